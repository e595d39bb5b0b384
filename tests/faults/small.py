"""Every command that writes files, on inputs of a few lines, and what it makes of them."""

from __future__ import annotations

import re
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from corefmill import corpora
from corefmill.builders.translate import build as ontonotes_it
from corefmill.builders.translate import stages
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.ownership import MARKER
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Sentence,
    Source,
    Token,
)
from tests.builders.translate.conll import NEWS
from tests.builders.translate.double import WordForWord
from tests.builders.wiki.dump.dump_writer import dump
from tests.commands import command
from tests.coref_model.masked.passages import PASSAGES
from tests.corefmill import trained
from tests.corefmill.dumps import sample_pages

MINE = "what a person wrote\n"
OLD = "what an earlier command wrote\n"


@dataclass(frozen=True, slots=True)
class Small:
    """A command line, given in a folder beside that of the inputs, `../given`.

    `out` is the file or folder that it makes; with `--overwrite` there is an older file. `growing`
    are files that are there, and grow, before the work is done.
    """

    program: str
    words: str
    out: str
    needs: str = "spacy"
    growing: tuple[str, ...] = ()

    def run(self, folder: Path) -> subprocess.CompletedProcess[str]:
        """Gives the command in `folder`."""
        with ExitStack() as stack:
            for module in (ontonotes_it, stages):
                known = mock.patch.object(module, "translator_of", lambda options: WordForWord())
                stack.enter_context(known)
            return command(self.program, *self.words.split(), cwd=folder)

    def prepare(self, folder: Path) -> Path:
        """A new folder with a file of somebody's, and what the command is to replace."""
        folder.mkdir()
        (folder / "README.md").write_text(MINE)
        if "--overwrite" in self.words:
            (folder / self.out).write_text(OLD)
        return folder


_BUILD = "--quiet --workers 1 --out out"
_TRAIN = "--encoder tiny --quiet --out out"

COMMANDS = {
    "wikicrem": Small("build", f"wikicrem --dump ../given/small.xml {_BUILD}", "out"),
    "wikirand": Small(
        "build",
        f"wikirand --dump ../given/small.xml --like ../given/wikicrem {_BUILD}",
        "out",
    ),
    "wec": Small("build", f"wec --dump ../given/events.xml {_BUILD}", "out"),
    "knowref": Small("build", f"knowref --text ../given/tale.txt {_BUILD}", "out"),
    "chains": Small("build", f"chains --text ../given/persons.txt {_BUILD}", "out"),
    "ontonotes-it": Small(
        "build",
        "ontonotes-it --source ../given/own.conll --nlp en_mini --nlp-to it_mini"
        f" --keep-rejects {_BUILD}",
        "out",
    ),
    "convert": Small("corefmill", "convert ../given/docs.jsonl out.conllu", "out.conllu"),
    "convert over": Small(
        "corefmill", "convert ../given/docs.jsonl out.conllu --overwrite", "out.conllu"
    ),
    "convert folder": Small("corefmill", "convert ../given/docs out --to conll2012", "out"),
    "check --fix": Small("corefmill", "check ../given/crlf.txt --fix --out out.txt", "out.txt"),
    "check --fix folder": Small("corefmill", "check ../given/two --fix --out out", "out"),
    "annotate export": Small(
        "corefmill", "annotate export ../given/corpus --out out.csv", "out.csv"
    ),
    "annotate import": Small(
        "corefmill", "annotate import ../given/corpus ../given/t.csv --min-raters 1 --out out", "out"
    ),
    "annotate release": Small(
        "corefmill", "annotate release ../given/corpus --out out.jsonl --overwrite", "out.jsonl"
    ),
    "parse": Small(
        "corefmill", "parse ../given/events.jsonl out.jsonl --nlp en_mini --quiet", "out.jsonl"
    ),
    "predict": Small(
        "corefmill",
        "predict ../given/story.txt --model ../given/model --out out.conll --to conll2012",
        "out.conll",
        needs="torch",
    ),
    "evaluate": Small(
        "corefmill",
        "evaluate --model ../given/model --corpus ../given/docs --answers out.csv --overwrite",
        "out.csv",
        needs="torch",
    ),
    "overlap": Small(
        "corefmill",
        "overlap --test ../given/crlf.txt --text ../given/tale.txt --workers 1 --out out"
        " --data-dir data",
        "out",
        needs="tantivy",
    ),
    "train coref": Small(
        "train",
        f"coref --corpus ../given/docs {_TRAIN} --set max_steps=4 --set evaluate_every=2",
        "out",
        needs="torch",
        growing=("log.csv",),
    ),
}


def given(folder: Path) -> None:
    """Makes the inputs of all commands."""
    folder.mkdir()
    tale = (Path(corpora.__file__).parent / "sample/tales/en.txt").read_text("utf-8")
    (folder / "tale.txt").write_text("\n\n".join(tale.split("\n\n")[:3]) + "\n")
    (folder / "persons.txt").write_text("Mr. Gilbert Lane smiled at it. Mr. Lane went home.\n")
    (folder / "small.xml").write_bytes(dump(sample_pages()[:4]))
    (folder / "events.xml").write_bytes(dump(sample_pages()))
    (folder / "own.conll").write_text(NEWS, "utf-8")
    (folder / "story.txt").write_text("An ox was at it. He had his ox. They said it is so. " * 4)
    (folder / "two").mkdir()
    for name in ("crlf.txt", "two/a.txt", "two/b.txt"):
        (folder / name).write_bytes(
            b"Ann saw Eve because she left.\r\nshe\r\nAnn,Eve\r\nAnn\r\n\r\n"
        )
    text, source = "Ann saw Eve, and she left.", Source("T", 0)
    target, mentions = (17, 20), ((0, 0, 3), (1, 8, 11))
    meta = {"original": {"text": text, "sha224": "0", "target": target, "mentions": mentions}}
    example = MaskedExample(
        "e", "en", text, ((0, 26),), target, ("Ann", "Eve"), mentions, 0, source, meta
    )
    (folder / "corpus").mkdir()
    jsonl.write(folder / "corpus" / "train.jsonl", [example])
    made = manifest.Manifest(
        "toy", "masked-example/1", "en", "clean", {"train": 1}, {}, 0, {}, {}, "CC0", "us", {}
    )
    manifest.write(folder / "corpus", made)
    utterance = Sentence(tuple(map(Token, ["Va", "via", "."])))
    jsonl.write(folder / "docs.jsonl", [Document("d", 0, "it", (utterance,), ())])
    mention = EventMention("m", "en", "It ran", 3, 6, "c", "C", "t", "i", source)
    jsonl.write(folder / "events.jsonl", [mention])
    trained.folder(folder / "docs", trained.documents(3), trained.documents(2))
    trained.folder(folder / "masked", PASSAGES, PASSAGES)
    done = command("corefmill", "annotate", "export", "corpus", "--out", "t.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    sheet = (folder / "t.csv").read_text("utf-8").splitlines()
    (folder / "t.csv").write_text("\n".join([sheet[0], *(line + "a" for line in sheet[1:])]))
    built = command(
        *("build", "wikicrem", "--dump", "small.xml", "--workers", "1", "--out", "wikicrem", "-q"),
        cwd=folder,
    )
    assert built.returncode == 0, built.stderr


def given_model(folder: Path) -> None:
    """Makes the model that is asked for answers."""
    line = "coref --corpus docs --encoder tiny --set max_steps=2 -q --out model"
    done = command("train", *line.split(), cwd=folder)
    assert done.returncode == 0, done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the markers and the index of a search, which has random names;
    without the seconds that something took."""
    return {
        path.relative_to(folder).as_posix(): _timeless(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MARKER and "index" not in path.parts
    }


def _timeless(path: Path) -> bytes:
    """The bytes of a file but for lines of seconds."""
    if path.suffix not in (".toml", ".json", ".md"):
        return path.read_bytes()
    return re.sub(rb'(?m)^\W*"?seconds"? ?[:=|].*$', b"", path.read_bytes())


def is_there(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a command did nothing because what it makes is there: what was stopped after its last
    step is whole, and is not replaced unasked, not even by the same."""
    known = ("is there already", "a folder with something in it")
    return done.returncode != 0 and any(words in done.stderr for words in known)


def lasting(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without what is hidden: drafts, which a disk that can only be read keeps from removing."""
    return {path: data for path, data in files.items() if "/." not in f"/{path}"}


def different(some: dict[str, bytes], others: dict[str, bytes]) -> str:
    """The names of the files that differ."""
    paths = sorted(path for path in some | others if some.get(path) != others.get(path))
    return f"these differ: {', '.join(paths)}"
