"""Conversions, whole or not at all, the losses by field, and the same functions from Python."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora import api, convert, manifest
from corefmill.corpora.convert import find_losses
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import native
from corefmill.corpora.formats.registry import get_format
from corefmill.corpora.records import Document, MaskedExample, Mention, Record, Source
from corefmill.corpora.scoring.score import score
from tests.corpora.test_records import EVENT, EXAMPLE, MANIFEST, document

FIVE = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


def run(
    source: Path, target: Path, to: str | None = None, **more: bool
) -> convert.ConversionReport:
    work = convert.plan(source, target, writer=get_format(to) if to else None)
    return convert.run(work, **more)


def native_file(path: Path, *records: Record) -> Path:
    jsonl.write(path, records)
    return path


def test_the_outputs_suffix_names_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE)
    report = run(tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert (report.records, report.files, report.lost) == (1, 1, {})
    assert [e.answer for e in jsonl.read(tmp_path / "b.jsonl", MaskedExample)] == ["Anna"]
    run(tmp_path / "b.jsonl", tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text() == FIVE


def test_what_the_format_does_not_carry_is_counted_by_field(tmp_path: Path) -> None:
    source = native_file(tmp_path / "a.jsonl", EXAMPLE, replace(EXAMPLE, id="2", mentions=()))
    lost = run(source, tmp_path / "b.txt").lost
    assert lost == {
        "id": 2, "text": 2, "sentences": 2, "target": 2, "mentions": 1,
        "source.title": 2, "source.page_id": 2, "source.paragraph": 2,
    }  # fmt: skip


def test_masked_examples_become_documents_with_a_cluster_a_candidate(tmp_path: Path) -> None:
    source = native_file(tmp_path / "a.jsonl", EXAMPLE, replace(EXAMPLE, label=None))
    run(source, tmp_path / "b.jsonl", "native-documents")
    first, unlabelled = jsonl.read(tmp_path / "b.jsonl", Document)
    # Anna met Bob . | Anna left .
    assert [len(sentence.tokens) for sentence in first.sentences] == [4, 3]
    assert [token.space_after for token in first.sentences[0].tokens] == [True, True, False, True]
    anna, bob, again = Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1)
    assert first.clusters == ((anna, again), (bob,))
    assert unlabelled.clusters == ((anna,), (bob,), (again,))


def test_event_mentions_become_one_document_a_paragraph_a_sentence(tmp_path: Path) -> None:
    other = replace(EVENT, text="A flood came.", start=2, end=7, source=Source("B", 1))
    source = native_file(
        tmp_path / "a.jsonl", EVENT, other, replace(EVENT, start=0, end=5, cluster="8")
    )
    run(source, tmp_path / "b.jsonl", "native-documents")
    (whole,) = jsonl.read(tmp_path / "b.jsonl", Document)
    assert len(whole.sentences) == 2
    assert whole.clusters == ((Mention(0, 2, 3), Mention(1, 1, 2)), (Mention(0, 0, 1),))


def test_a_corpus_becomes_a_folder_with_a_file_a_split(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for split in ("train", "validation"):
        native_file(corpus / f"{split}.jsonl", EXAMPLE)
    manifest.write(corpus, replace(MANIFEST, splits={"train": 1, "validation": 1}))
    assert run(corpus, tmp_path / "out", "five-line").files == 2
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"train.txt", "validation.txt"}
    assert run(corpus, tmp_path / "one.txt").records == 2


def test_a_folder_keeps_its_tree_and_names_what_is_left_out(tmp_path: Path) -> None:
    deep = tmp_path / "in" / "deep"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text(FIVE)
    (tmp_path / "in" / "README").write_text("Read me.\n")
    work = convert.plan(tmp_path / "in", tmp_path / "out", writer=native.MASKED)
    assert work.left_out == (tmp_path / "in" / "README",)
    convert.run(work)
    assert [p.name for p in (tmp_path / "out" / "deep").iterdir()] == ["a.jsonl"]


def test_a_broken_input_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE + "Anna left.\n")
    with pytest.raises(DataError) as caught:
        run(tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "a.txt"), 6)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_records_that_cannot_be_carried_are_named_or_left_out(tmp_path: Path) -> None:
    examples = [replace(EXAMPLE, id=str(n), label=n % 2 or None) for n in range(9)]
    source, target = native_file(tmp_path / "a.jsonl", *examples), tmp_path / "b.txt"
    with pytest.raises(
        DataError, match=r"has no label .*--lenient leaves out such a mention"
    ) as caught:
        run(source, target)
    assert caught.value.path == str(target)
    report = run(source, target, lenient=True)
    assert (report.records, report.left_out, report.why) == (4, 5, "example 0 has no label")
    assert "records" not in report.lost
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["a.jsonl", "b.txt"]


def test_what_stands_at_the_output_stays_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE)
    (tmp_path / "b.jsonl").write_text("mine")
    with pytest.raises(UsageError, match="--overwrite"):
        run(tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text() == "mine"
    run(tmp_path / "a.txt", tmp_path / "b.jsonl", overwrite=True)
    with pytest.raises(UsageError, match="the output is the same file as the input"):
        run(tmp_path / "a.txt", tmp_path / "a.txt", overwrite=True)
    with pytest.raises(UsageError, match="the output folder is not empty"):
        run(tmp_path / "a.txt", tmp_path, "native-masked", overwrite=True)


def test_what_has_no_clear_answer_is_counted_or_left_out(tmp_path: Path) -> None:
    names = {"candidate0": ["Ada"], "candidate1": ["Eve"], "correct_candidate": ["Eve"]}
    clear = {"sentence_with_pronoun": "Ada met Eve , so [she] left .", **names}
    both = {**clear, "sentence_with_pronoun": "Ada met Eve , so [she] let [her] go ."}
    source = tmp_path / "rest.json"
    source.write_text(json.dumps([clear, both]))
    whole = run(source, tmp_path / "all.jsonl")
    assert (whole.records, whole.unclear, whole.left_out) == (2, 1, 0)
    assert whole.unclear_why == "2: 2 pronouns are marked"
    again = run(tmp_path / "all.jsonl", tmp_path / "again.json", "knowref")
    assert not again.lost and json.loads((tmp_path / "again.json").read_text()) == [clear, both]
    parts = run(source, tmp_path / "clear.jsonl", lenient=True)
    assert (parts.records, parts.unclear, parts.left_out) == (1, 0, 1) and not parts.lost


def test_the_order_of_clusters_and_mentions_says_nothing() -> None:
    one, two, other = Mention(0, 0, 1), Mention(1, 0, 1), Mention(0, 1, 2)
    before = replace(document(), clusters=((one, two), (other,)))
    after = replace(before, clusters=((other,), (two, one)))
    assert find_losses(before, after) == set()
    assert find_losses(before, replace(before, clusters=((one,), (two,)))) == {"clusters"}


ONE = document(Mention(0, 0, 1))


def test_a_document_through_files_of_two_formats(tmp_path: Path) -> None:
    conll, lines = tmp_path / "gold.conll", tmp_path / "response.jsonl"
    assert api.write(conll, [ONE]) == 1
    assert list(api.read(conll)) == [ONE]
    assert api.convert(conll, lines).records == 1
    assert list(api.read(str(lines))) == [ONE]
    assert score(conll, lines)["muc"].f1 == 0 and score(conll, lines)["bcub"].f1 == 1
    assert [found.code for found in api.check(conll, lines)] == []


def test_records_are_written_as_what_they_can_become(tmp_path: Path) -> None:
    api.write(tmp_path / "a.conll", [EXAMPLE], "conll2012")
    (found,) = api.read(tmp_path / "a.conll")
    assert isinstance(found, Document) and len(found.clusters) == 2
    with pytest.raises(UsageError, match="does not say which mention is the target"):
        api.write(tmp_path / "a.txt", [ONE], "five-line")
    with pytest.raises(UsageError, match="can be read, but not written"):
        api.write(tmp_path / "a", [EXAMPLE], "ecbplus")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no records to write"):
        api.write(tmp_path / "a.conll", [])
    with pytest.raises(DataError, match="a Document among"):
        api.write(tmp_path / "a.jsonl", [EXAMPLE, ONE])
