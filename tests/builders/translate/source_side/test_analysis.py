"""Trees and classes of the source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders import nlp
from corefmill.builders.persons import table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.translate.source_side.analysis import (
    ClassEvidence,
    PersonEvidence,
    SourceParser,
    classify,
    read_pronoun_class,
)
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    EntityClass,
    SourceTree,
    SourceUtterance,
    is_person,
)
from corefmill.corpora.files.errors import UsageError
from tests.builders.translate.running import loaded


def test_ontonotes_tokens_keep_their_number() -> None:
    given = [
        ["``", "Mary", "Smith", "-LRB-", "%pw", "-RRB-", "saw", "the", "dog", "/.", "''"],
        ["1 1/2", "\u00a0", "years"],
        ["."],
    ]
    first, *others = SourceParser(loaded("en_mini", "en")).read(given)
    assert [len(parsed.tags) for parsed in (first, *others)] == [11, 3, 1]
    assert first.tags[6:9] == ("VBD", "DT", "NN")
    assert first.names[1:3] == ("PERSON", "PERSON")
    assert not any(first.names[3:])
    assert first.root(7, 9) == 8


class _Nothing:
    name = "bare"
    version = "bare 1"

    def on_words(self, sentences: object) -> object:
        return (nlp.Analysis("a b", ((0, 1), (2, 3)), (), ()) for _ in sentences)  # type: ignore[attr-defined]


def test_a_pipeline_without_trees_is_refused() -> None:
    with pytest.raises(UsageError, match="gives no Penn tags or no tree"):
        list(SourceParser(_Nothing()).read([["a", "b"]]))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cannot parse tokenised text"):
        SourceParser(object.__new__(type("Other", (), {"name": "x"})))  # type: ignore[arg-type]


def utterance(number: int, pairs: str, *mentions: ChainMention) -> SourceUtterance:
    forms, _, tags = zip(*(pair.rpartition("_") for pair in pairs.split()), strict=True)
    return SourceUtterance(number, forms, tags, mentions)


def classes(
    part: DocumentPart, evidence: dict[tuple[int, int], ClassEvidence]
) -> list[EntityClass | None]:
    """The classes of all mentions; evidence stands by utterance and start."""
    found = classify(part, lambda utterance, mention: evidence[utterance.index, mention.start])
    return [mention.entity for _, mention in found.mentions()]


def test_the_papers_example_of_a_cluster() -> None:
    name, she = ChainMention(6, 0, 2, 1), ChainMention(6, 0, 1, 0)
    first = utterance(0, "Lora_NNP Owens_NNP laughs_VBZ", name)
    second = utterance(1, "She_PRP joins_VBZ", she)
    part = DocumentPart("train", "d", 0, (first, second), "en")
    shown = {(0, 0): read_pronoun_class(first, name), (1, 0): read_pronoun_class(second, she)}
    assert shown == {(0, 0): ClassEvidence(), (1, 0): ClassEvidence("human", "f", "s", 2)}
    assert set(classes(part, shown)) == {EntityClass("human", "f", "s")}


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], ("thing", "m", "s")),
        ([ClassEvidence(gender="f")], ("thing", "f", "s")),
        ([ClassEvidence(gender="f"), ClassEvidence(gender="m")], ("thing", "m", "s")),
        ([ClassEvidence(gender="m"), ClassEvidence("human", "f", "p", 2)], ("human", "f", "p")),
        ([*[ClassEvidence(number="s")] * 2, ClassEvidence(number="p", weight=2)],
         ("thing", "m", "s")),
        ([ClassEvidence(number="s"), ClassEvidence(number="p", weight=2)], ("thing", "m", "p")),
    ],
)  # fmt: skip
def test_pronouns_outvote_nouns_and_ties_give_the_default(
    others: list[ClassEvidence], expected: tuple[str, str, str]
) -> None:
    mentions = [ChainMention(0, place, place + 1, place) for place in range(len(others) + 1)]
    words = " ".join(["this_DT"] * len(mentions))
    part = DocumentPart("train", "d", 0, (utterance(0, words, *mentions),), "en")
    shown = dict(zip([(0, m.start) for m in mentions], [ClassEvidence(), *others], strict=True))
    assert classes(part, shown)[0] == expected


def test_a_mentions_own_word_stands_against_any_vote() -> None:
    both = utterance(0, "a_DT b_DT", ChainMention(0, 0, 1), ChainMention(0, 1, 2))
    part = DocumentPart("train", "d", 0, (both,), "en")
    shown = {(0, 0): ClassEvidence(gender="m"), (0, 1): ClassEvidence(gender="f", weight=2)}
    assert [c.gender for c in classes(part, shown) if c] == ["m", "f"]


@pytest.mark.parametrize(
    ("pairs", "heads", "names", "root", "expected"),
    [
        ("Mrs._NNP Bell_NNP", (1, 1), "- PERSON", 1, "human f None"),
        ("Anna_NNP Bell_NNP", (0, 0), "PERSON PERSON", 0, "human f None"),
        ("Hall_NNP", (0,), "PERSON", 0, "human None None"),
        ("Ann_NNP and_CC Bob_NNP", (0, 2, 0), "PERSON - PERSON", 0, "human None p"),
        ("the_DT women_NNS", (1, 1), "- -", 1, "human None None"),
        ("the_DT cars_NNS", (1, 1), "- -", 1, "None None None"),
        ("the_DT Germans_NNPS", (1, 1), "- NORP", 1, "human None None"),
        ("research_NN and_CC growth_NN unit_NN", (3, 2, 0, 3), "- - - -", 3, "None None None"),
        ("This_DT", (0,), "-", 0, "None None None"),
    ],
)
def test_clean_mode_knows_persons(
    pairs: str, heads: tuple[int, ...], names: str, root: int, expected: str
) -> None:
    given = utterance(0, pairs)
    labels = tuple(name.strip("-") for name in names.split())
    tree = SourceTree(tuple(tag or "" for tag in given.tags), heads, labels)
    evidence = PersonEvidence(Genders("en", table.load("en")))
    own = evidence(replace(given, tree=tree), ChainMention(0, 0, len(heads), root))
    assert f"{own.type} {own.gender} {own.number}" == expected


def test_nouns_for_people_in_singular_and_plural() -> None:
    persons = ["President", "ladies", "women", "fishermen", "wives", "witnesses", "child"]
    assert all(map(is_person, persons))
    assert not any(map(is_person, ("car", "window", "")))
