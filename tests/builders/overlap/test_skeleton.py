"""Which parts a problem has, by its parse; and which have none, and why."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.overlap.query import published, published_text
from corefmill.builders.overlap.skeleton import readable, skeleton
from tests.builders.overlap.test_paper import clean_query, parsed, parts, problem


@pytest.mark.parametrize(
    ("marked", "candidates", "shown"),
    [
        (  # the context clause hangs on the query clause
            "Since Chester was dependent on Rudolph, [he] couldn't win.",
            ("Chester", "Rudolph"),
            """Phrase("was dependent", "couldn't win", 10) ∩ (Chester ∪ Rudolph ∪ Since)""",
        ),
        (  # the pronoun stands in another sentence
            "The trophy doesn't fit in the suitcase. [It] is too large.",
            ("The trophy", "the suitcase"),
            """Phrase("doesn't fit", "is too large", 10) ∩ (the trophy ∪ the suitcase)""",
        ),
        (  # the pronoun's clause is a complement of the verb that both candidates are with
            "The supervisor asked the assistant to get [her] agreement.",
            ("The supervisor", "the assistant"),
            """Phrase("asked", "get", 10) ∩ (the supervisor ∪ the assistant)""",
        ),
    ],
)
def test_parts(marked: str, candidates: tuple[str, str], shown: str) -> None:
    assert clean_query(marked, *candidates).shown == shown


def test_a_blank_is_read_as_the_first_candidate() -> None:
    one = problem("Ann called Eve because [_] was ill.", "Ann", "Eve")
    text, target = readable(one)
    assert text == "Ann called Eve because Ann was ill."
    assert text[slice(*target)] == "Ann"
    found = parts("Ann called Eve because [_] was ill.", "Ann", "Eve")
    assert found.query.surface(found.text) == "was ill"


@pytest.mark.parametrize(
    ("marked", "candidates", "reason"),
    [
        ("The guard praised the cook for [his] taste.", ("The guard", "the cook"), "one_clause"),
        ("They left because [she] was ill.", ("Ann", "Eve"), "no_candidate"),
    ],
)
def test_no_parts(marked: str, candidates: tuple[str, str], reason: str) -> None:
    one = problem(marked, *candidates)
    assert skeleton(one, parsed(readable(one)[0])) == reason


def test_a_pipeline_without_a_parser_gives_no_parts() -> None:
    one = problem("Ann saw Eve because [she] was there.", "Ann", "Eve")
    assert skeleton(one, Analysis(one.text, ((0, 3),), ((0, 3),), ())) == "no_parse"


def _tagged(forms: str, upos: str) -> Analysis:
    words = forms.split()
    text, spans = " ".join(words), []
    for word in words:
        begin = spans[-1][1] + 1 if spans else 0
        spans.append((begin, begin + len(word)))
    return Analysis(text, tuple(spans), ((0, len(text)),), (), upos=tuple(upos.split()))


def test_the_published_query_does_with_coarse_tags() -> None:
    query = published(_tagged("Anna vede il cane", "PROPN VERB DET NOUN"))
    assert not isinstance(query, str)
    assert (query.phrase, query.content) == (("vede",), ("il", "cane"))


@pytest.mark.parametrize(
    ("forms", "upos", "reason"),
    [("the cat", "DET NOUN", "no_predicate"), ("Ann saw", "PROPN VERB", "no_content")],
)
def test_where_the_published_code_asks_a_broken_query(forms: str, upos: str, reason: str) -> None:
    assert published(_tagged(forms, upos)) == reason


def test_the_published_text_has_the_first_candidate_for_the_pronoun() -> None:
    one = problem("Ann saw Eve because [she] was there.", "Ann", "Eve")
    assert published_text(one) == "Ann saw Eve because Ann was there."
