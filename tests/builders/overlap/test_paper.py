"""The examples of Emami et al. 2020: the queries of tables 2 and 3, the rankings of table 4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from corefmill.builders.nlp import Analysis, Backend, load
from corefmill.builders.overlap.query import Query, of_skeleton, published, published_text
from corefmill.builders.overlap.search import BM25, SentenceHit, search
from corefmill.builders.overlap.skeleton import Skeleton, readable, skeleton
from corefmill.corpora.records import MaskedExample, Source
from tests.builders.overlap.made import indexed

SON = ("The man couldn't lift his son because [he] was so heavy.", "The man", "his son")
PHONE = ("Paul tried to call George on the phone, but [he] wasn't available.", "Paul", "George")
STUDENTS = (
    "The older students were bullying the younger ones, so we punished [them].",
    "The older students",
    "the younger ones",
)
GOLFERS = (
    "Sam tried to paint a picture of shepherds with sheep, but [they] ended up looking more like"
    " golfers.",
    "shepherds",
    "sheep",
)

# Table 4, from the lowest of the published scores to the highest.
OF_SON = [
    "Nope , our driver had a steel plate in his back and couldn't lift anything (although he was"
    " able to open the truck and put the rather heavy ramp in place , so I am not sure if he was"
    " unable or just lazy).",
    "Then I came across a box that weighed a ton - I couldn't even lift it it was so heavy",
    "I man stopped to get it but he couldn't lift it because it was so heavy",
    "The man couldn't lift his son because he was so heavy",
]
OF_PHONE = [
    "A couple of days later we tried to call him at home but his wife told us he wasn't available.",
    "I also tried to call the district attorney, but, unsurprisingly, he wasn't available.",
    "Have a go and check if you're as intelligent as a human: Paul tried to call George on the"
    " phone, but he wasn't [successful/available]",
    "Paul tried to call George on the phone, but he wasn't available",
]


def problem(marked: str, *candidates: str) -> MaskedExample:
    """A problem with its pronoun in brackets."""
    before, pronoun, after = marked.replace("]", "[").split("[")
    text = before + pronoun + after
    target = (len(before), len(before) + len(pronoun))
    whole = ((0, len(text)),)
    return MaskedExample("1", "en", text, whole, target, candidates, (), 0, Source("", 0))


@cache
def pipeline() -> Backend:
    return load("en_mini", "en")


def parsed(text: str) -> Analysis:
    return next(iter(pipeline().full([text])))


def parts(marked: str, *candidates: str) -> Skeleton:
    one = problem(marked, *candidates)
    found = skeleton(one, parsed(readable(one)[0]))
    assert isinstance(found, Skeleton)
    return found


def clean_query(marked: str, *candidates: str) -> Query:
    return of_skeleton(parts(marked, *candidates))


def paper_query(marked: str, *candidates: str) -> Query:
    found = published(parsed(published_text(problem(marked, *candidates))))
    assert isinstance(found, Query)
    return found


@pytest.mark.parametrize(
    ("row", "context", "query", "connective"),
    [
        (SON, "couldn't lift", "was so heavy", "because"),
        (STUDENTS, "were bullying", "punished", "so"),
        # The paper has "ended up looking more like", which reaches into the noun phrase.
        (GOLFERS, "tried to paint", "ended up looking", "but"),
        (PHONE, "tried to call", "wasn't available", "but"),
    ],
)
def test_table_2(row: tuple[str, str, str], context: str, query: str, connective: str) -> None:
    found = parts(*row)
    assert found.context.surface(found.text) == context
    assert found.query.surface(found.text) == query
    assert found.connective and found.text[slice(*found.connective)] == connective
    assert [found.text[slice(*span)] for span in found.candidates] == list(row[1:])


def test_table_3() -> None:
    query = clean_query(*SON)
    expected = """Phrase("couldn't lift", "was so heavy", 10) ∩ (the man ∪ his son ∪ because)"""
    assert query.shown == expected
    assert query.phrase == ("could", "not", "lift", "was", "heavy")
    assert query.content == ("the", "man", "his", "son", "because")
    assert not query.needs_content


def test_the_published_query_is_the_one_of_its_code() -> None:
    query = paper_query(*SON)
    # The candidate stands in the pronoun's place; "was" is no stop word of Whoosh's.
    assert query.phrase == ("couldn", "lift", "was", "heavy")
    assert query.content == ("man", "his", "son", "because", "so")
    assert query.needs_content
    assert query.scored == query.phrase + query.content


def _ranked(folder: Path, query: Query, mode: str, ranking: BM25) -> Sequence[SentenceHit]:
    # Sentences of a usual length, since BM25 weighs lengths against the mean, and rare names.
    clauses = [
        f"{who} {did} {what}"
        for who in ("the old man", "she", "his eldest son", "he", "nobody in the house")
        for did in ("was so fond of", "tried to find", "couldn't find", "was on the way to")
        for what in ("a heavy box of letters", "the town where they lived", "somebody to call")
    ]
    others = [
        f"{first}, but {second} because {third}"
        for first, second, third in permutations(clauses[::5], 3)
    ]
    index = indexed(folder, [*OF_SON, *OF_PHONE, *others], mode)
    return search(index, query, ranking, 10).best


@pytest.mark.parametrize(("row", "ranking"), [(SON, OF_SON), (PHONE, OF_PHONE)])
@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_table_4(tmp_path: Path, row: tuple[str, str, str], ranking: list[str], mode: str) -> None:
    pytest.importorskip("tantivy", reason="needs the extra overlap")
    query = clean_query(*row) if mode == "clean" else paper_query(*row)
    hits = _ranked(tmp_path, query, mode, BM25(rounded=mode == "paper"))
    assert [hit.text for hit in hits] == ranking[::-1]
