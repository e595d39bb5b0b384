"""Read features and dependents of words, and the tables of a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.records import Token

GENDERS = {"Masc": "m", "Fem": "f"}
NUMBERS = {"Sing": "s", "Plur": "p"}
"""Map the values of Universal Dependencies to their letters in the tables."""


@lru_cache(maxsize=4096)
def _features(feats: str) -> dict[str, str]:
    pairs = (item.partition("=") for item in feats.split("|"))
    return {name: value for name, _, value in pairs if value}


def feature(token: Token, name: str) -> str | None:
    """Return the value of a feature, None if the word lacks it."""
    return _features(token.feats).get(name) if token.feats else None


def with_features(token: Token, **values: str | None) -> Token:
    """Return the word with changed features; None removes a feature."""
    known = dict(_features(token.feats)) if token.feats else {}
    known.update({name: value for name, value in values.items() if value is not None})
    for name, value in values.items():
        if value is None:
            known.pop(name, None)
    order = sorted(known.items(), key=lambda item: item[0].lower())
    return replace(token, feats="|".join(f"{name}={value}" for name, value in order) or None)


def low(token: Token) -> str:
    """Write the word in small letters, with the straight apostrophe."""
    return token.form.lower().replace("’", "'")


def recase(model: str, word: str) -> str:
    """Give `word` the capitals of `model`: all of them, the first, or none."""
    return word.upper() if len(model) > 1 and model.isupper() else with_initial_of(model, word)


def with_initial_of(model: str, word: str) -> str:
    """Give `word` an initial capital if `model` begins with a capital.

    For articles and prepositions, whose capital may be that of a word in capitals or not: L', A.
    """
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


class Tree:
    """Heads and dependents of the words of an utterance; offsets count from 0."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self._children: list[list[int]] = [[] for _ in tokens]
        for at, token in enumerate(tokens):
            if token.head:
                self._children[token.head - 1].append(at)

    def head(self, at: int) -> int | None:
        """Return the offset of the word's head, None for a root or an unparsed word."""
        head = self.tokens[at].head
        return head - 1 if head else None

    def children(self, at: int, *relations: str) -> list[int]:
        """List the dependents of a word in order, of all or the given relations."""
        found = self._children[at]
        if not relations:
            return list(found)
        return [child for child in found if is_relation(self.tokens[child], *relations)]


def is_relation(token: Token, *relations: str) -> bool:
    """Tell whether the word's relation is one of these or a subtype of one."""
    deprel = token.deprel or ""
    return any(deprel == name or deprel.startswith(name + ":") for name in relations)


def read_words(table: dict[str, Any], *keys: str) -> frozenset[str]:
    """Read a list of words from a parsed TOML table, at the keys."""
    value: Any = table
    for key in keys:
        value = value[key]
    return frozenset(map(str, value))


@cache
def table(lang: str, name: str) -> dict[str, Any]:
    """Read the table NAME.toml of a language's folder."""
    return disk.read_package_table(__file__, f"{lang}/{name}")
