from __future__ import annotations

import csv
from pathlib import Path

import pytest

from corefmill.cli import ratings
from corefmill.corpora import jsonl
from corefmill.corpora.errors import CorefmillError, UsageError
from corefmill.corpora.formats import ontocorefit
from corefmill.corpora.records import Document, EventMention, Sentence, Source, Token
from tests.commands import command, json_result


def document(name: str, texts: list[str], lang: str = "it") -> Document:
    sentences = tuple(Sentence(tuple(map(Token, text.split()))) for text in texts)
    return Document(name, 0, lang, sentences, ())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus with a stage of its making inside, which is not to be drawn from."""
    folder = tmp_path / "corpus"
    stage = folder / "stages" / "alpha"
    stage.mkdir(parents=True)
    for own in (folder, stage):
        (own / "manifest.json").write_text("{}")
    texts = [f"Va via {number} ." for number in range(6)]
    jsonl.write(folder / "train.jsonl", [document("d", texts)])
    jsonl.write(stage / "train.jsonl", [document("d", ["She has gone away ."], "en")])
    return folder


def fill(path: Path, answer: str) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for number, row in enumerate(rows):
            row["grammatical"] = row["acceptable"] = answer if number else ""
            writer.writerow(row)


def test_sample_and_score(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings"
    done = command(
        "corefmill", "ratings", "sample", corpus, "--out", out, "--per-class", "4", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json_result(done.stdout)
    assert (told["drawn"][">80"], told["corpus"][">80"]) == (4, 6)
    assert sorted(path.name for path in out.iterdir()) == [
        "key.csv", "rater-1.csv", "rater-2.csv", "rater-3.csv",
    ]  # fmt: skip
    fill(out / "rater-1.csv", "1")
    fill(out / "rater-2.csv", "0")
    scored = command("corefmill", "ratings", "score", out, "--json", "--bootstrap", "10")
    assert scored.returncode == 0, scored.stderr
    own = json_result(scored.stdout)["grammatical"]["all"]
    assert own["answers"] == 6
    assert own["measures"]["yes"]["value"] == 0.5
    shown = command("corefmill", "ratings", "score", out, "--bootstrap", "10").stdout
    assert shown.startswith("grammatical")
    assert "\nacceptable" in shown


def test_reads_ontocorefit(tmp_path: Path) -> None:
    path = tmp_path / "OntoCorefIT_dev.json"
    ontocorefit.write(path, [document("d", ["Va via ."])])
    done = command("corefmill", "ratings", "sample", path, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("readability")


def test_refusals(corpus: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    events = tmp_path / "events.jsonl"
    mention = EventMention("m", "en", "It", 0, 2, "c", "C", "t", "i", Source("T", 0))
    jsonl.write(events, [mention])
    broken = tmp_path / "broken.jsonl"
    meta = {"ontocorefit": {"utterances": {"7": {}}}}
    jsonl.write(broken, [Document("d", 0, "it", (), (), meta)])
    taken, others = tmp_path / "taken", tmp_path / "others"
    for folder, name in ((taken, "key.csv"), (others, "rater-9.csv")):
        folder.mkdir()
        (folder / name).write_text("mine")
    out = tmp_path / "out"
    for source, target, message in (
        (corpus, taken, r"key\.csv: is there already \(--overwrite replaces it"),
        (corpus, others, r"rater-9\.csv: is there already, and would be read as a sheet"),
        (empty, out, "no file in here is of a format known here"),
        (tmp_path / "none", out, "there is no such file or folder"),
        (events, out, "holds event-mention/1, not documents"),
        (broken, out, r"broken\.jsonl:1: a record of utterance '7', which"),
    ):
        with pytest.raises(CorefmillError, match=message):
            ratings.sample([source], target, quiet=True)
    with pytest.raises(UsageError, match=r"has no key\.csv with sheets beside it"):
        ratings.score(empty)
    assert not out.exists()
