"""Mined pronouns: what the surface takes, what gender tells, each reason, and their corpus."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from corefmill.builders.corpus.options import Mode
from corefmill.builders.knowref import record, table
from corefmill.builders.knowref.build import Knowref, stages
from corefmill.builders.knowref.mined import MINED_FILTERS, STRUCTURE
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.sentences import ProblemSpans, find_mined, find_mined_pair
from corefmill.builders.nlp import Backend, load_pipeline
from corefmill.builders.persons import table as names_table
from corefmill.builders.run.run import run
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.inputs import from_text
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats import five_line
from corefmill.corpora.records import MaskedExample
from tests.builders.chain import through
from tests.builders.knowref.problems import mined_problem
from tests.builders.knowref.test_stages import own_names, shown
from tests.builders.wikicrem.passages import article

EN, NAMES = table.load("en"), names_table.load("en")
ASKED = {**STRUCTURE, **MINED_FILTERS}

TALE = (
    "It rained all day. Martha thanked Gilbert for the letter that she had found on the table. "
    'The road was long. "Good night, Samuel," said Helen. Then the lamp went out in his hand.'
)


@pytest.fixture(scope="module")
def pipeline() -> Backend:
    return load_pipeline("en_mini", "en")


def mined(
    pipeline: Backend, text: str = TALE, *, swap: bool = True
) -> tuple[list[dict[str, Any]], Context]:
    context = Context(0, 3)
    options = KnowrefOptions(nlp="en_mini", mined=True)
    with nullcontext() if swap else mock.patch.object(record, "draw_names", own_names):
        made = through(stages(options, pipeline), [article(text)], context)
        return [dict(out.record) for out in made], context


def test_gender_tells_whom_a_pronoun_means(pipeline: Backend) -> None:
    (one, two), context = mined(pipeline, swap=False)
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


def test_a_pronoun_within_speech_is_not_taken(pipeline: Backend) -> None:
    said = 'Martha looked up at Gilbert. "I believe that she has come home at last."'
    assert mined(pipeline, said)[1].rejects["quoted"] == 1


def faults(line: str, relations: str = "") -> list[str]:
    found = mined_problem(line, relations)
    return [name for name, stops in ASKED.items() if stops(found)]


def test_a_good_one_passes_all() -> None:
    assert faults("[Ann] left [Bob] at the mill, but she slept.") == []


@pytest.mark.parametrize(
    ("line", "relations", "fault"),
    [
        ("[Ann] left [Emma] at the mill, but she slept.", "", "not_told_apart"),
        ("[Ann] left [Helstone] at the mill, but she slept.", "", "not_told_apart"),
        ("[Ann] left [Bob] with [Peter] early, but she slept.", "", "three_persons"),
        ("[Bob] left, but [Ann] saw her at the mill.", "saw nsubj Ann; saw obj her", "own_clause"),
        (
            "[Bob] left, but [Ann] came to meet her at the mill.",
            "came nsubj Ann; came xcomp meet; meet obj her",
            "own_clause",
        ),
        ("[Ann] left the king [Bob] at the mill, but she slept.", "", "noun_of_other_gender"),
        ("[Ann] left [Bob] with the doctor at noon, but she slept.", "", "third_person"),
        ("[Ann] and [Bob] left early for the mill, but she slept.", "", "coordinated"),
    ],
)
def test_each_filter(line: str, relations: str, fault: str) -> None:
    assert fault in faults(line, relations)


def test_paper_mode_mines_nothing() -> None:
    with pytest.raises(UsageError, match="--mined and --mode paper exclude each other"):
        KnowrefOptions(mode=Mode.paper, mined=True)


def test_a_corpus_of_mined_pronouns_has_labels_in_all_its_forms(tmp_path: Path) -> None:
    (tmp_path / "tale.txt").write_text(TALE, "utf-8")
    options = KnowrefOptions(nlp="en_mini", mined=True, out=tmp_path / "made", seed=1)
    job, assembly = Knowref(options, [from_text([str(tmp_path / "tale.txt")])]).plan()
    with run(job, workers=1, progress=False) as result:
        assembly(result)
    made = manifest.read(tmp_path / "made")
    records = list(manifest.records(tmp_path / "made", "train"))
    assert all(isinstance(one, MaskedExample) and one.label == 0 for one in records)
    assert made.counts["pronouns"] == {
        "pattern": {"mined": 1, "mined_next": 1},
        "pronoun": {"his": 1, "she": 1},
        "answer": {"named first": 2, "named last": 0},
    }
    card = (tmp_path / "made/README.md").read_text("utf-8")
    assert "# Mined pronouns, en" in card
    assert "| means the person named first | 2 |" in card
    assert "| no_connective |" not in card
    lines = [one for *_, one in five_line.read(tmp_path / "made/train.txt")]
    assert [one.answer for one in lines] == [one.answer for one in records]  # type: ignore[union-attr]
