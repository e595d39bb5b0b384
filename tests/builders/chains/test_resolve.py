"""Whom names and pronouns mean, and what leaves it in doubt: one sentence a reason."""

from __future__ import annotations

import pytest

from corefmill.builders.chains.stages import sentences_to_parse
from corefmill.builders.wiki.markup.records import Link
from tests.builders.chains.parses import read, resolved, told


def test_a_pronoun_is_the_one_person_of_its_gender() -> None:
    sentences, _ = resolved([read(["[Martha] met [John] .", "She smiled , and he bowed to her ."])])
    assert told(sentences) == ["Martha 1", "John 0", "She 1", "he 0", "her 1"]
    evidence = [one.evidence for one in sentences[1].referents]
    assert evidence == ["name_sentence_before"] * 2 + ["pronoun_same_sentence"]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["[Martha] met [Anna] .", "She smiled ."], "She two_persons"),
        (["[Martha] sang .", "It rained .", "She smiled ."], "She nobody_before"),
        (["[Martha] met Quorl/PROPN .", "She smiled ."], "She noun_between"),
        (["[John] sang .", "The Captain/PROPN bowed .", "He smiled ."], "He noun_between"),
        (["[Martha] sang .", "As she met [Anna] , they ran ."], "she name_behind"),
    ],
)
def test_what_leaves_a_pronoun_in_doubt(lines: list[str], fault: str) -> None:
    sentences, _ = resolved([read(lines)])
    assert fault in told(sentences)


def test_nobody_is_the_object_of_the_own_verb() -> None:
    saw = read(["[Martha] saw her ."], "saw nsubj Martha; saw obj her")
    assert told(resolved([saw])[0]) == ["Martha 0", "her own_subject"]
    itself = read(["[Martha] saw herself ."], "saw nsubj Martha; saw obj herself")
    assert told(resolved([itself])[0]) == ["Martha 0", "herself 0"]


def test_a_word_of_a_name_where_none_was_seen_is_in_doubt() -> None:
    text = read(["[Martha Lang] sang .", "Lang/X smiled ."])
    assert told(resolved([text])[0]) == ["Martha Lang 0", "Lang unseen_name"]


def test_german_sie_that_may_be_several_is_in_doubt() -> None:
    text = read(["[Anna] sang .", "Dann kam sie/PRON ."])
    assert told(resolved([text], "de")[0]) == ["Anna 0", "sie perhaps_plural"]
    polite = read(["[Anna] sang .", "Dann kam Sie/PRON ."])
    assert told(resolved([polite], "de")[0]) == ["Anna 0"]


def test_without_nouns_there_are_only_fewer_doubts() -> None:
    lines = [read(["[Martha] met the doctor/NOUN .", "She smiled .", "[Quorl] saw her ."])]
    every, _ = resolved(lines)
    fewer, _ = resolved(lines, names_alone=True)
    assert "She noun_between" in told(every) and "She 0" in told(fewer)
    for one, other in zip(told(every), told(fewer), strict=True):
        assert one == other or not other.split()[-1].isalpha()


def parsed(lines: list[str]) -> list[str]:
    """The sentences, a paragraph each, whose trees can change a document."""
    sentences, _ = resolved([read([line]) for line in lines], names_alone=True)
    chosen = sentences_to_parse(sentences, 0.0)
    return [sentence.paragraph.read.text.split()[0] for sentence in chosen]


def test_what_has_no_chain_needs_no_tree() -> None:
    assert parsed(["[Martha] sang .", "It rained .", "[John] slept ."]) == []
    lines = ["So it was .", "It rained .", "[Martha] sang as she slept .", "So it was ."]
    assert parsed(lines) == ["It", "Martha"]  # nouns of "It rained" might be meant


def test_what_stands_between_two_links_of_a_chain_is_parsed() -> None:
    lines = ["[Martha] sang .", "It rained .", "[Martha] slept .", "So it was ."]
    assert parsed(lines) == ["Martha", "It", "Martha"]


def test_whom_a_pronoun_means_is_parsed_as_far_back_as_pronouns_are_linked() -> None:
    # The third sentence is in doubt; in the second a noun might be meant by "she" of the last.
    lines = ["[Martha] sang .", "She met him .", "She slept as she sang .", "So it was ."]
    assert parsed(lines) == ["Martha", "She", "She"]


def test_parts_of_a_name_are_one_person() -> None:
    sentences, people = resolved(
        [read(["[Martha Lang] sang .", "[Lang] bowed .", "[Martha] left ."])]
    )
    assert told(sentences) == ["Martha Lang 0", "Lang 0", "Martha 0"]
    assert people.found[0].gender == "female"
    evidence = [one.evidence for sentence in sentences for one in sentence.referents]
    assert evidence[:2] == ["", "part_of_name"]


def test_a_surname_of_two_is_nobodys_for_sure() -> None:
    text = read(["[Martha Lang] met [John Lang] .", "[Lang] bowed ."])
    assert told(resolved([text])[0])[-1] == "Lang ambiguous_name"


def test_a_married_woman_is_not_taken_for_her_daughter() -> None:
    text = read(["[Mrs. Lang] met [Martha Lang] ."])
    first, second = told(resolved([text])[0])
    assert first.split()[-1] != second.split()[-1]


def test_links_to_two_articles_are_two_persons() -> None:
    text = read(["[Martha Lang] met [Lang] ."])
    assert len(resolved([text])[1].found) == 1
    links = [Link(0, 11, "Martha Lang", None), Link(16, 20, "Fritz Lang", None)]
    assert len(resolved([text], links=links)[1].found) == 2
