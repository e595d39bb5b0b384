"""No command replaces a file that it did not make, unless --overwrite is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, EventMention, MaskedExample, Sentence, Source, Token
from tests.commands import command
from tests.corefmill.dumps import make_manifest

MINE = "what a person wrote\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of masked examples, documents, event mentions, and text with CR LF."""
    folder = tmp_path_factory.mktemp("inputs")
    text, source = "Ann saw Eve, and she left.", Source("T", 0)
    target, mentions = (17, 20), ((0, 0, 3), (1, 8, 11))
    meta = {"original": {"text": text, "sha224": "0", "target": target, "mentions": mentions}}
    example = MaskedExample(
        "e", "en", text, ((0, 26),), target, ("Ann", "Eve"), mentions, 0, source, meta
    )
    (folder / "corpus").mkdir()
    jsonl.write(folder / "corpus" / "train.jsonl", [example])
    made = make_manifest("toy", "masked-example/1", {"train": 1})
    manifest.write(folder / "corpus", made)
    utterance = Sentence(tuple(map(Token, ["Va", "via", "."])))
    jsonl.write(folder / "docs.jsonl", [Document("d", 0, "it", (utterance,), ())])
    mention = EventMention("m", "en", "It ran", 3, 6, "c", "C", "t", "i", source)
    jsonl.write(folder / "events.jsonl", [mention])
    (folder / "crlf.txt").write_bytes(
        b"Ann saw Eve because she left.\r\nshe\r\nAnn,Eve\r\nAnn\r\n\r\n"
    )
    (folder / "story.txt").write_text("Ann saw Eve.\n")
    answer = {"item": "e", "rater": "ann", "person": True, "question": "answer", "answer": "Ann"}
    (folder / "t.jsonl").write_text(json.dumps(answer) + "\n")
    return folder


_COMMANDS = {
    "export": ("annotate export corpus --out {}", "mine.csv"),
    "import": ("annotate import corpus t.jsonl --min-raters 1 --out {}", "labelled/README.md"),
    "fix": ("check crlf.txt --fix --out {}", "mine.txt"),
    "convert": ("convert docs.jsonl {}", "mine.conllu"),
    "parse": ("parse events.jsonl {}", "mine.jsonl"),
    "predict": ("predict story.txt --model none --out {}", "mine.jsonl"),
    "answers": ("evaluate --model none --corpus gap --answers {}", "mine.csv"),
    "wnli": ("evaluate --model none --corpus gap --wnli {}", "mine.tsv"),
    "overlap": ("overlap --test crlf.txt --text story.txt --out {}", "overlap/tables.md"),
}
_NEEDS = {"predict": "torch", "answers": "torch", "wnli": "torch", "overlap": "tantivy"}


@pytest.mark.parametrize("name", _COMMANDS)
def test_a_file_of_somebodys_own_stays(name: str, folder: Path, tmp_path: Path) -> None:
    if name in _NEEDS:
        pytest.importorskip(_NEEDS[name])
    words, file = _COMMANDS[name]
    mine = tmp_path / file
    mine.parent.mkdir(exist_ok=True)
    mine.write_text(MINE)
    out = mine if mine.parent == tmp_path else mine.parent
    line = [word.format(out) for word in words.split()]
    done = command("corefmill", *line, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{mine}: is there already (--overwrite replaces it)" in done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == MINE
    if _NEEDS.get(name) == "torch":
        return  # there is no model here
    done = command("corefmill", *line, "--overwrite", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert mine.read_text("utf-8") != MINE
