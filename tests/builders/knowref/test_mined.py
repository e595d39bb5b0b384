"""Mined pronouns: what the surface takes, what gender tells, each reason, and their corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.corpus.options import Mode
from corefmill.builders.knowref import table
from corefmill.builders.knowref.mined import MINED_FILTERS, STRUCTURE
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.sentences import ProblemSpans, find_mined, find_mined_pair
from corefmill.builders.persons import table as names_table
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats import five_line
from tests.builders.knowref.problems import problem, problem_in
from tests.builders.knowref.test_stages import build, mine, shown
from tests.builders.rows import rows

EN, NAMES = table.load("en"), names_table.load("en")
ASKED = {**STRUCTURE, **MINED_FILTERS}

TALE = (
    "It rained all day. Martha thanked Gilbert for the letter that she had found on the table. "
    'The road was long. "Good night, Samuel," said Helen. Then the lamp went out in his hand.'
)


def test_gender_tells_whom_a_pronoun_means() -> None:
    (one, two), context = mine(TALE, mined=True, swap=False)
    assert shown(one) == (
        "Martha thanked Gilbert for the letter that [she] had found on the table."
    )
    assert (one["candidates"], one["label"]) == (["Martha", "Gilbert"], 0)
    assert shown(two).endswith("said Helen. Then the lamp went out in [his] hand.")
    assert (two["candidates"], two["label"]) == (["Samuel", "Helen"], 0)
    assert [two["text"][start:end] for start, end in two["sentences"]] == [
        '"Good night, Samuel," said Helen.',
        "Then the lamp went out in his hand.",
    ]
    assert [one["meta"]["pattern"], two["meta"]["pattern"]] == ["mined", "mined_next"]
    assert context.rejects == {"no_pronoun": 2, "too_few_names": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It was a very long road to the inn.", "no_pronoun"),
        ("Ann saw Bob; she left.", "length"),
        ("Ann told Bob that she would wait for his letter.", "both_genders"),
        ("Ann told Bob herself that he had to wait here.", "both_genders"),
        ("She told Ann and Bob that it was late.", "too_few_names"),
        ("- Ann told Bob | that she would wait here", "not_prose"),
    ],
)
def test_each_reason_of_the_surface(text: str, reason: str) -> None:
    assert find_mined(text, EN, NAMES) == reason


def test_of_two_sentences_the_first_has_no_pronoun() -> None:
    first, second = "Ann met Bob at the mill.", "After a while she went home."
    found = find_mined_pair(first, second, len(first) + 1, EN, NAMES)
    assert isinstance(found, ProblemSpans)
    assert f"{first} {second}"[slice(*found.pronoun)] == "she"
    assert find_mined_pair("Ann met Bob when she came.", second, 27, EN, NAMES) is None


def test_a_pronoun_within_speech_is_not_taken() -> None:
    said = 'Martha looked up at Gilbert. "I believe that she has come home at last."'
    assert mine(said, mined=True)[1].rejects["quoted"] == 1


MEET = "came nsubj Ann; came xcomp meet; meet obj her"

GERUND = "saw nsubj Ann; saw obj use; use acl meeting; meeting obj her"


def faults(line: str, relations: str = "") -> list[str]:
    found = problem(line, relations, mined=True)
    return [name for name, stops in ASKED.items() if stops(found)]


@pytest.mark.parametrize(
    ("line", "relations", "fault"),
    [
        ("[Ann] left [Emma] at the mill, but she slept.", "", "not_told_apart"),
        ("[Ann] left [Helstone] at the mill, but she slept.", "", "not_told_apart"),
        ("[Ann] left [Bob] with [Peter] early, but she slept.", "", "three_persons"),
        ("[Bob] left, but [Ann] saw her at the mill.", "saw nsubj Ann; saw obj her", "own_clause"),
        ("[Bob] left, but [Ann] came to meet her.", MEET, "own_clause"),
        ("[Bob] left, but [Ann] saw no use in meeting her.", GERUND, "own_clause"),
        ("'There is [Ann] at the mill with [Bob],' she said.", "", "speech_tag"),
        ("'There is [Ann] at the mill with [Bob],' said she.", "", "speech_tag"),
        ("[Ann] left the king [Bob] at the mill, but she slept.", "", "noun_of_other_gender"),
        ("[Ann] left [Bob] with the doctor at noon, but she slept.", "", "third_person"),
        ("[Ann] and [Bob] left early for the mill, but she slept.", "", "coordinated"),
    ],
)
def test_each_filter(line: str, relations: str, fault: str) -> None:
    assert fault in faults(line, relations)
    assert faults("[Ann] left [Bob] at the mill, but she slept.") == []


@pytest.mark.parametrize(
    ("lang", "line", "words", "fault"),
    rows("""
        fr  [Alix] de [Paul] partit hier, et il dormait mal.  ''  coordinated
        # Words of the other person's gender would tell who that is.
        fr  [Paul] vit [Anne] hier, et il la salua bien.
            la PRON obj salua Gender=Fem|PronType=Prs  contrary_word
        es  [Luis] buscó a [Ana] ayer, y ésta le habló de él.
            ésta PRON nsubj habló Gender=Fem|PronType=Dem  contrary_word
    """),
)
def test_each_filter_in_other_languages(lang: str, line: str, words: str, fault: str) -> None:
    found = problem_in(lang, line, words, mined=True)
    assert MINED_FILTERS[fault](found)
    assert not MINED_FILTERS["contrary_word"](problem_in(lang, line, "", mined=True))


def test_paper_mode_mines_nothing() -> None:
    with pytest.raises(UsageError, match="--mined and --mode paper exclude each other"):
        KnowrefOptions(mode=Mode.paper, mined=True)


def test_a_corpus_of_mined_pronouns_has_labels_in_all_its_forms(tmp_path: Path) -> None:
    again = " Martha told Gilbert that Martha would stay if she could find the letter."
    made, records = build(tmp_path, TALE + again, mined=True)
    assert [one.label for one in records] == [0, 0, 0]
    assert made.counts["pronouns"] == {
        "pattern": {"mined": 2, "mined_next": 1},
        "pronoun": {"his": 1, "she": 2},
        "answer": {"named first": 3, "named last": 1},
    }
    card = (tmp_path / "made/README.md").read_text("utf-8")
    assert "# Mined pronouns, en" in card
    assert "| means the person named first | 3 |" in card
    assert "| no_connective |" not in card
    lines = [one for *_, one in five_line.read(tmp_path / "made/train.txt")]
    assert [one.answer for one in lines] == [one.answer for one in records]
