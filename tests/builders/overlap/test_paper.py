"""The examples of Emami et al. 2020: the query of their code, the rankings of table 4."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from corefmill.builders.nlp import load_pipeline
from corefmill.builders.overlap.search import (
    Query,
    SentenceIndex,
    build_index,
    join_query_text,
    make_query,
)
from corefmill.corpora.records import MaskedExample, Source

SON = ("The man couldn't lift his son because [he] was so heavy.", "The man", "his son")
PHONE = ("Paul tried to call George on the phone, but [he] wasn't available.", "Paul", "George")
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


def paper_query(marked: str, *candidates: str) -> Query:
    (analysis,) = load_pipeline("en_mini", "en").full(
        [join_query_text(problem(marked, *candidates))]
    )
    found = make_query(analysis)
    assert isinstance(found, Query)
    return found


def test_the_query_is_the_one_of_the_published_code() -> None:
    query = paper_query(*SON)
    # The candidate stands in the pronoun's place; "was" is no stop word of Whoosh's.
    assert query.phrase == ("couldn", "lift", "was", "heavy")
    assert query.content == ("man", "his", "son", "because", "so")


@pytest.mark.parametrize(("row", "ranking"), [(SON, OF_SON), (PHONE, OF_PHONE)])
def test_table_4(tmp_path: Path, row: tuple[str, str, str], ranking: list[str]) -> None:
    pytest.importorskip("tantivy", reason="needs the extra overlap")
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
    build_index(tmp_path, [{"title": "", "sentences": [*OF_SON, *OF_PHONE, *others]}])
    hits = SentenceIndex(tmp_path).search(paper_query(*row), 10)
    assert [hit.text for hit in hits] == ranking[::-1]
