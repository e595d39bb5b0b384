"""From articles to records and through a release back again, with the pipeline that ships."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from corefmill.builders.knowref import record as knowref_record
from corefmill.builders.knowref.build import Knowref, stages
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.record import digest
from corefmill.builders.nlp import load_pipeline
from corefmill.builders.run.run import run
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.inputs import from_text
from corefmill.corpora import manifest
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample
from tests.builders.chain import through
from tests.builders.wikicrem.passages import article

TEXT = (
    "It rained all day. Martha told Helen the whole story, but she did not believe a word of it. "
    "Gilbert met Samuel at the station because he had missed the last train to Oxford."
)


def own_names(text: str, *more: Any) -> tuple[str, ...]:
    """Stands for the draw of names: the persons keep their own."""
    mentions = {index: text[start:end] for index, start, end in reversed(more[-1])}
    return tuple(mentions[index] for index in sorted(mentions))


def mine(text: str, *, swap: bool = True, **options: Any) -> tuple[list[dict[str, Any]], Context]:
    """The records of a text, with their own names unless `swap`, and what was counted."""
    context = Context(0, 3)
    steps = stages(KnowrefOptions(nlp="en_mini", **options), load_pipeline("en_mini", "en"))
    with nullcontext() if swap else mock.patch.object(knowref_record, "draw_names", own_names):
        return [dict(out.record) for out in through(steps, [article(text)], context)], context


def shown(record: dict[str, Any]) -> str:
    start, end = record["target"]
    text: str = record["text"]
    return f"{text[:start]}[{text[start:end]}]{text[end:]}"


def test_new_names_stand_where_the_old_ones_stood() -> None:
    one, two = mine(TEXT)[0]
    for record, gender in ((one, "female"), (two, "male")):
        assert record["meta"]["gender"] == gender
        original = record["meta"]["original"]
        assert not set(record["candidates"]) & set(original["candidates"])
        for candidate, start, end in record["mentions"]:
            assert record["text"][start:end] == record["candidates"][candidate]
        back = record["text"]
        for new, old in zip(record["candidates"], original["candidates"], strict=True):
            back = back.replace(new, old)
        assert back == original["text"]
        assert original["sha224"] == digest(original["text"])
        tokens = [record["text"][start:end] for start, end in record["meta"]["tokens"]]
        assert set(record["candidates"]) <= set(tokens) and tokens[-1] == "."


def test_an_earlier_connective_serves_where_the_last_joins_no_clauses() -> None:
    text = "Martha told Helen the whole story, but after a few weeks she had forgotten it."
    (one,), _ = mine(text)
    assert one["meta"]["connective"] == "but"


def test_paper_mode_is_of_tokens() -> None:
    text = "Martha had never liked Helen very much, but she went to the funeral all the same."
    (one,), context = mine(text, mode="paper", swap=False)
    assert shown(one) == (
        "Martha had never liked Helen very much , but [she] went to the funeral all the same ."
    )
    assert one["meta"]["connective"] == ","
    assert context.rejects == {}


RAINED = "but it never rained at all."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('Martha said "no" to Helen, but she went there.', "paragraph_quoted_or_empty"),
        ("Martha went there with Helen.", "paragraph_without_pattern"),
        ("Martha saw Helen, but she slept.", "spaces"),
        ("Martha had seen Helen at 5 every day of her life, but she never came.", "signs"),
        # The year is a third noun phrase.
        (f"Martha had seen Helen on every day of that year, {RAINED}", "no_connective_passes"),
        (f"The house had been sold to the bank, {RAINED}", "pronoun_not_person"),
    ],
)
def test_what_paper_mode_rejects(text: str, reason: str) -> None:
    found, context = mine(text, mode="paper")
    assert (found, list(context.rejects)) == ([], [reason])


def build(folder: Path, text: str, **options: Any) -> tuple[manifest.Manifest, list[MaskedExample]]:
    """The corpus of a text in the folder `made`, with its records."""
    (folder / "tale.txt").write_text(text, "utf-8")
    out = folder / "made"
    given = KnowrefOptions(nlp="en_mini", out=out, seed=1, **options)
    job, assembly = Knowref(given, [from_text([str(folder / "tale.txt")])]).plan()
    with run(job, workers=1, progress=False) as result:
        assembly(result)
    made = manifest.read(out)
    records = [r for split in made.splits for r in manifest.records(out, split)]
    return made, [r for r in records if isinstance(r, MaskedExample)]


def test_a_corpus_counts_each_stage_and_drops_what_comes_again(tmp_path: Path) -> None:
    made, _ = build(tmp_path, f"{TEXT}\n\n{TEXT}\n")
    corpus = tmp_path / "made"
    assert made.splits == {"train": 2, "validation": 0}
    assert made.counts["read"]["sentences"] == 6
    rejects = json.loads((corpus / "rejects.json").read_text("utf-8"))
    stages_of = {"input": {}, "sentence": {"no_pronoun": 2}, "corpus": {"repeated_passage": 2}}
    assert rejects == stages_of
    assert set(made.files) >= {"train.json", "train.jsonl", "README.md"}
    (_, first), (_, second) = knowref.read(corpus / "train.json")
    assert first.label is None and first.meta["knowref"]["is_pronoun_male"] is False
    assert second.meta["knowref"]["is_pronoun_male"] is True


PAIR = (
    "It rained. Martha told Helen the whole story. She did not believe a word of it. It was late."
)


def test_two_sentences_are_a_problem(tmp_path: Path) -> None:
    _, (record,) = build(tmp_path, PAIR)
    assert record.meta["pattern"] == "next_sentence"
    first, second = record.sentences
    assert record.text[slice(*first)].endswith(" the whole story.")
    assert record.text[slice(*second)] == "She did not believe a word of it."
    card = (tmp_path / "made/README.md").read_text("utf-8")
    assert "| stands at the head of the sentence that follows | 1 |" in card
    assert "`[She]` did not believe" in card
    assert "| Labels | none: every label is null" in card
