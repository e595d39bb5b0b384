"""What trees say of a target and each mention, as features of the pair: roles, clauses, order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from zlib import crc32

from corefmill.coref_model.documents.surface import ROWS
from corefmill.coref_model.masked.answers import Answerer, CandidateScores
from corefmill.coref_model.masked.baselines import Roles, readable
from corefmill.coref_model.pointer.passages import mentions
from corefmill.corpora import record_meta
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.record_meta import (
    SUBJECT,
    SpansSyntax,
    SpanSyntax,
    find_clause,
    opens_clause,
)
from corefmill.corpora.records import MaskedExample

FAR = 3
"""Sentences, mentions and clauses are counted up to so many."""
_LONG = 7
"""Words between are told apart by powers of two up to this one."""
_ROLES = ("subject", "object", "possessor", "obl", "nmod", "appos", "root", "vocative")
_BESIDE = ("conj", "appos", "flat", "compound")
_BATCH = 256

Feature = tuple[object, ...]


def parsed(examples: Iterable[MaskedExample], roles: Roles) -> Iterator[MaskedExample]:
    """The examples with all their mentions stated, and what trees say of these and the target."""
    left = iter(examples)
    while batch := list(islice(left, _BATCH)):
        stated = [replace(one, mentions=tuple(mentions(one))) for one in batch]
        found = roles(readable(one, [mention[1:] for mention in one.mentions]) for one in stated)
        yield from map(record_meta.add_syntax, stated, found)


@dataclass(frozen=True, slots=True)
class Parsing:
    """An answerer for which every example is parsed first."""

    answerer: Answerer
    roles: Roles

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """An answer to each example, in their order."""
        return self.answerer.answers(parsed(examples, self.roles))


def features_of(example: MaskedExample) -> list[tuple[int, ...]]:
    """Of each mention in order the rows of its features beside the target; none where no tree is.

    Raises `DataError` for an example that was not parsed.
    """
    target, *others = record_meta.read_syntax(example)
    if list(example.mentions) != mentions(example):
        raise DataError(
            f"example {example.id} does not state all its mentions in order",
            remedy="`corefmill parse IN OUT` finds them",
        )
    rows: list[tuple[int, ...]] = []
    if target is None:
        return [() for _ in others]
    owners = [owner for owner, *_ in example.mentions]
    places = [None if one is None else one.word for one in others]
    first = list(dict.fromkeys(owners))  # mentions are in order
    clauses = record_meta.find_clauses_of_subject(target, others)
    for at, (one, owner) in enumerate(zip(others, owners, strict=True)):
        if one is None:
            rows.append(())
            continue
        before = [place for place in places if place is not None and place < target.word]
        behind = one.word > target.word
        between = sum(place > one.word for place in before)
        nearer = FAR + 1 if behind else min(between, FAR)
        known: list[Feature] = [
            ("nearer", nearer),
            ("nearer", nearer, _role(one)),
            ("earlier", min(at, FAR)),
            ("in sentence", _earlier_in_sentence(others, at)),
            ("times", min(owners.count(owner), FAR + 1)),
            ("first named", first[0] == owner),
            ("words", min(len(example.candidates[owner].split()), FAR)),
            ("its subject", one.role == SUBJECT and find_clause(one).word in clauses),
        ]
        known += _of_pair(target, one)
        rows.append(tuple(row for own in known for row in _rows(target, own)))
    return rows


def _earlier_in_sentence(others: SpansSyntax, at: int) -> int:
    own = others[at]
    assert own is not None
    return min(sum(one is not None and one.sentence == own.sentence for one in others[:at]), FAR)


def _rows(target: SpanSyntax, feature: Feature) -> Iterator[int]:
    """A feature's rows: once by itself and once with the target's role."""
    for key in (feature, (target.role, *feature)):
        yield crc32(repr(key).encode()) % ROWS


def _role(mention: SpanSyntax) -> str:
    return mention.role if mention.role in _ROLES else "other"


def _of_pair(target: SpanSyntax, mention: SpanSyntax) -> Iterator[Feature]:
    role = _role(mention)
    behind = mention.word > target.word
    sentences = min(abs(target.sentence - mention.sentence), FAR)
    gap = f"{'behind' if behind else 'before'} {sentences}"
    here = target.sentence == mention.sentence
    near = min(abs(target.word - mention.word).bit_length(), _LONG)
    depth = min(sum(map(opens_clause, mention.path)), FAR)
    relation = mention.path[0].relation
    governor = mention.path[1] if len(mention.path) > 1 else None
    main = role == SUBJECT and governor is not None and governor.relation == "root"
    above = {step.word for step in target.path}
    yield from (
        ("gap", gap),
        ("role", role),
        ("same role", role == target.role),
        ("gap, role", gap, role),
        ("depth", depth, role),
        ("main subject", main, gap),
        ("relation", relation),
        ("beside", relation in _BESIDE),
        ("near", near),
        ("near, role", near, role),
        ("one clause", here and find_clause(mention).word == find_clause(target).word, role),
        ("governs", here and governor is not None and governor.word in above, role, behind),
        ("inside", mention.word in above),
        ("same governor", here and mention.path[1:2] == target.path[1:2]),
        ("clause", find_clause(target).relation, role, here),
    )
