"""The interface of refinement rules: each corrects an analysed utterance and records its changes.

An `Utterance` has grammatical words, as in Universal Dependencies, each with its lemma, features
and head: `della` is the two words `di` and `la`, `dirlo` is `dir` and `lo`. `written` has the
written tokens of several words: a `Written` is the half-open range of words in one token, and its
form. Any other word is written in its own form. `Token.space_after` says whether a blank follows;
inside a written token it is False except for the last word, where it holds for the token. An elided
word keeps its apostrophe and has no blank after it: `Quell'` + `avviso`. `text(utterance)` is
exact.

A mention is a half-open range of words. So `del presidente` can have a mention `il presidente`
without the preposition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from corefmill.corpora.files.errors import UsageError, did_you_mean
from corefmill.corpora.records import Token


@dataclass(frozen=True, slots=True)
class KeyedMention:
    """A mention, named by its key: the words [start, end) of an utterance.

    Rules only move mentions. The caller identifies a mention by its `key`: its cluster, or a name
    that no other mention has.
    """

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Written:
    """A written token of two or more words [start, end), and its form: del."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words with their tree, mentions in any order, and written tokens of several words.

    `head` of a token counts the utterance's words from 1, as in `corpora/records.py`; an utterance
    parsed as several sentences has several roots. Raises `ValueError` for offsets or heads out of
    bounds, and for written tokens that cross.
    """

    tokens: tuple[Token, ...]
    mentions: tuple[KeyedMention, ...] = ()
    written: tuple[Written, ...] = ()

    def __post_init__(self) -> None:
        """Check that heads, mentions and written tokens lie inside the utterance."""
        size = len(self.tokens)
        for token in self.tokens:
            if token.head is not None and not 0 <= token.head <= size:
                raise ValueError(f"head {token.head} of {token.form!r} is outside the utterance")
        for mention in self.mentions:
            if not 0 <= mention.start < mention.end <= size:
                raise ValueError(f"{mention} is empty or outside the {size} words")
        last = 0
        for token_ in self.written:
            if not last <= token_.start < token_.end - 1 < size:
                raise ValueError(f"{token_} crosses another or holds fewer than two words")
            last = token_.end


@dataclass(frozen=True, slots=True)
class Change:
    """One change by a rule: the words [start, end) of its input, before and after.

    An insertion has `start == end`; a deletion has an empty `after`; two words that are now written
    as one token are both in `before` (a il: al), and stay words. If `before == after`, a refinement
    kept the words that the rule would have changed; it is named after the slash in `rule`, as in
    `subject-deletion/focus`. So counts by `rule` include kept words.
    """

    rule: str
    start: int
    end: int
    before: str
    after: str

    @property
    def is_kept(self) -> bool:
        """Whether a refinement kept the words unchanged."""
        return self.before == self.after


class Rule(Protocol):
    """One linguistic rule, which reads only the words of the utterance."""

    @property
    def name(self) -> str:
        """The rule's name in `without` and in the counts."""

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """Return the corrected utterance and the list of changes.

        Every mention is kept, under its key; different mentions stay on different words.
        """


def refine(utterance: Utterance, rules: Iterable[Rule]) -> tuple[Utterance, tuple[Change, ...]]:
    """Apply rules in order; the offsets of a change count words of that rule's input."""
    changes: list[Change] = []
    for rule in rules:
        utterance, made = rule.apply(utterance)
        changes += made
    return utterance, tuple(changes)


def text(utterance: Utterance) -> str:
    """Write the text of an utterance, without the blank after its last word."""
    pieces: list[str] = []
    position = 0
    for written in utterance.written:
        pieces += map(_spell, utterance.tokens[position : written.start])
        pieces.append(written.form + " " * utterance.tokens[written.end - 1].space_after)
        position = written.end
    pieces += map(_spell, utterance.tokens[position:])
    return "".join(pieces).removesuffix(" ")


def following(utterance: Utterance, at: int) -> str:
    """Return the text behind a word, up to the next word or two."""
    for written in utterance.written:
        if written.start == at + 1:
            return written.form
    return "".join(map(_spell, utterance.tokens[at + 1 : at + 4]))


def _spell(token: Token) -> str:
    return token.form + " " * token.space_after


@dataclass(frozen=True, slots=True)
class ChosenRules:
    """The rules and refinements of a language that mode and --without leave active.

    Raises `UsageError` for an unknown mode, or a name in `without` that the mode does not have.
    """

    paper: Mapping[str, Iterable[str]]
    clean: Collection[str]
    mode: str
    without: Collection[str]

    def __post_init__(self) -> None:
        """Check the mode, and that each name in `without` is a rule of the mode."""
        if self.mode not in ("paper", "clean"):
            raise UsageError(f"no mode {self.mode!r}", remedy="choose paper or clean")
        legal = list(self.paper)
        if self.mode == "clean":
            legal += [f"{rule}/{name}" for rule, names in self.paper.items() for name in names]
            legal += self.clean
        for name in self.without:
            if name not in legal:
                guess = did_you_mean(name, legal)
                raise UsageError(
                    f"{self.mode} mode has no rule or refinement {name!r}{guess}",
                    remedy=f"choose among {', '.join(sorted(legal))}",
                )

    def of(self, all_rules: Iterable[Rule]) -> tuple[Rule, ...]:
        """Select the active rules of a language, in order."""
        return tuple(
            rule
            for rule in all_rules
            if rule.name not in self.without and (self.mode == "clean" or rule.name in self.paper)
        )

    def refinements(self, rule: str) -> frozenset[str]:
        """List the active refinements of a rule."""
        if self.mode == "paper":
            return frozenset()
        return frozenset(name for name in self.paper[rule] if f"{rule}/{name}" not in self.without)
