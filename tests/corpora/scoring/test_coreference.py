"""Clusters are counted document by document, in all and by class."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.coreference import (
    add_classes,
    class_measures,
    classify_mention,
    compile_pattern,
    match_names,
)
from corefmill.corpora.scoring.metrics import parse_metrics
from corefmill.corpora.scoring.table import ScoreTable
from tests.corpora.scoring.files import letters


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("GUM_([a-z]+)_", ["news", None, None]),
        ("GUM_([a-z]*)", ["news", None, ""]),
        ("GUM", ["GUM", None, "GUM"]),
        ("(?P<kind>[a-z]+)/", [None, "nw", None]),
        ("(x)?.", ["", "", ""]),
    ],
)
def test_the_first_group_from_the_start(source: str, found: list[str | None]) -> None:
    names = ["GUM_news_1", "nw/wsj_0037", "GUM__2"]
    for pattern in (compile_pattern(source), re.compile(source)):
        assert match_names(pattern, names) == found


def test_no_expression_takes_long() -> None:
    pattern = compile_pattern("(a+)+$")
    assert match_names(pattern, ["a" * 100_000 + "!", "aa", "\udc80"]) == [None, "aa", None]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("(", "missing \\)"),
        ("(?=a)", "look-around and back-references are not known here"),
        (r"(a)\1", "look-around and back-references are not known here"),
        ("a" * 1_001, "over 1,000 characters long"),
        ("((a{100}){100}){100}", "repetition size"),
    ],
)
def test_what_is_no_expression(source: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compile_pattern(source)


def text(
    name: str, drawn: str, part: int = 0, tokens: int | None = 100, **more: Any
) -> ScoredDocument:
    return ScoredDocument(name, part, tokens, [list(entity) for entity in letters(drawn)], **more)


def table(
    key: list[ScoredDocument], response: list[ScoredDocument], metrics: str = "all", **more: Any
) -> ScoreTable:
    return coreference.count(key, response, parse_metrics(metrics), **more)


def test_counts_are_summed_over_documents_in_any_order() -> None:
    # {ab} 1 link of 1; {abc} 0 of 2, {d} none; {abcd} 3 of 3
    key = [text("x", "ab"), text("y", "abc d"), text("y", "abcd", part=1)]
    response = [text("y", "abcd", part=1), text("x", "ab"), text("y", "a b c d")]
    found = table(key, response)
    assert list(found.totals()["muc"]) == [4, 6, 4, 4]
    assert list(found.scores(found.totals())["muc"]) == pytest.approx([4 / 6, 1, 4 / 5])
    assert [name for name, _ in found.group("document")] == ["x", "y", "y part 1"]
    assert list(found.group("document")[1][1]["muc"]) == [0, 2, 0, 0]


def test_singletons_are_kept_or_dropped_on_both_sides() -> None:
    key, response = [text("x", "a bc d")], [text("x", "a b cd")]
    kept, dropped = table(key, response), table(key, response, singletons="drop")
    assert list(kept.totals()["bcub"]) == [1 + 1 / 2 + 1 / 2 + 1, 4, 1 + 1 + 1 / 2 + 1 / 2, 4]
    assert list(dropped.totals()["bcub"]) == [1 / 2, 2, 1 / 2, 2]
    assert list(dropped.totals()["mentions"]) == [1, 2, 1, 2]


def test_genres_come_from_the_corpus_or_from_the_name() -> None:
    key = [*(text(name, "ab") for name in ("nw/wsj/1", "bc/x", "book")), text("z", "ab", genre="q")]
    found = table(key, key)
    assert list(found.genres) == ["nw", "bc", "-", "q"]
    groups = [(name, list(counts["muc"])) for name, counts in found.group("genre")]
    assert groups == [(name, [1] * 4) for name in ("-", "bc", "nw", "q")]
    gum = [text("GUM_art_1", "ab")]
    assert list(table(gum, gum, genre=re.compile("GUM_([a-z]+)")).genres) == ["art"]


X, Y = text("x", "ab"), text("y", "ab", part=3)


@pytest.mark.parametrize(
    ("key", "response", "said"),
    [
        ([], [X], "key: no documents here"),
        ([X], [], "response: the response lacks 1 of 1 documents of the key, such as 'x'"),
        (
            [X],
            [X, Y],
            "response: the key lacks 1 of 2 documents of the response, such as 'y part",
        ),
        (
            *([text("x", "ab", tokens=1200)], [text("x", "ab", tokens=1199)]),
            "response: document 'x' has 1,199 tokens, but 1,200 in the key",
        ),
        ([X] * 2, [X], "key: document 'x' is there twice"),
        ([X], [X] * 2, "response: document 'x' is there twice"),
    ],
)
def test_what_does_not_match_is_refused(
    key: list[ScoredDocument], response: list[ScoredDocument], said: str
) -> None:
    with pytest.raises(DataError) as raised:
        table(key, response, paths=(Path("key"), Path("response")))
    assert str(raised.value).startswith(said)


def test_or_scored_as_the_reference_scorer_does() -> None:
    key = [text("x", "ab", tokens=7), text("y", "abc")]
    response = [text("x", "ab", tokens=9), text("z", "abcd")]
    found = table(key, response, unmatched="ignore")
    assert list(found.totals()["muc"]) == [1, 3, 1, 1]
    assert found.notes == (
        "the response lacks 1 of 2 documents; they count as empty",
        "1 documents of the response are not in the key and were left out",
    )


def test_duplicates_and_empty_keys_are_told() -> None:
    assert table([text("x", "ab bc")], [text("x", "aba")]).notes == (
        "1 mentions of the key stand more than once in the response; the first counts",
        "1 mentions stand more than once in the key; they are counted as the reference scorer "
        "counts them",
    )
    assert table([text("x", "")], [text("x", "")]).notes == ("the key has no mentions",)


ANN, SHE, EVE, HER, DOG = (Mention(0, n, n + 1) for n in range(5))


def document(clusters: list[list[Mention]], lang: str = "en", tags: str = "") -> Document:
    words = ["Ann", "she", "Eve", "her", "dog"]
    found = [Token(form, xpos=tag) for form, tag in zip(words, tags.split(), strict=False)]
    tokens = tuple(found or map(Token, words))
    return Document("d", 0, lang, (Sentence(tokens),), tuple(map(tuple, clusters)))


def shares(response: list[list[Mention]]) -> dict[str, tuple[int, int]]:
    key = document([[ANN, SHE], [EVE, HER], [DOG]])
    empty = ScoreTable("document", ["d"], ["-"], [], {})
    table = add_classes(empty, [key], [document(response)], singletons=True)
    return {name: (int(row[0]), int(row[1])) for name, row in table.totals().items()}


def test_the_nearest_antecedent_decides_and_what_is_not_found_has_no_link() -> None:
    assert shares([[SHE, ANN], [EVE, HER], [DOG]]) == {
        "pronoun recall": (2, 2),
        "pronoun link accuracy": (2, 2),
        "name recall": (1, 1),
        "nominal recall": (2, 2),  # of the first word nothing says that it is a name
    }
    assert shares([[ANN, EVE, HER]])["pronoun recall"] == (1, 2)
    for response, links in (
        ([[ANN, EVE, HER]], (1, 1)),
        ([[ANN, SHE, HER]], (1, 2)),
        ([[SHE], [HER]], (0, 2)),
    ):
        assert shares(response)["pronoun link accuracy"] == links


@pytest.mark.parametrize(
    ("lang", "tags", "classes"),
    [
        ("en", "", ["nominal", "pronoun", "name", "pronoun", "nominal"]),
        ("de", "", ["-"] * 5),
        ("de", "NNP PRP NNPS PRP$ NN", ["name", "pronoun", "name", "pronoun", "nominal"]),
    ],
)
def test_tags_say_the_class_and_forms_in_english_alone(
    lang: str, tags: str, classes: list[str]
) -> None:
    one = document([], lang, tags)
    assert [classify_mention(one, mention) for mention in (ANN, SHE, EVE, HER, DOG)] == classes


def test_the_head_is_the_word_whose_own_head_lies_outside() -> None:
    words = (Token("king", upos="NOUN", head=0), Token("of"), Token("Spain", upos="PROPN", head=1))
    one = Document("d", 0, "en", (Sentence(words),), ())
    assert classify_mention(one, Mention(0, 0, 3)) == "nominal"
    assert classify_mention(one, Mention(0, 2, 3)) == "name"
    assert classify_mention(one, Mention(0, 1, 1, zero=True)) == "zero"
    assert len(class_measures()) == 6
