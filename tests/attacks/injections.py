"""Data that is taken for something else: paths, formulas, programs, escapes, SQL, patterns."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator

from tests.attacks.attack import (
    EITHER,
    REFUSED,
    After,
    Attack,
    Conditions,
    Place,
    Result,
    Setup,
    line,
    nothing_else,
)
from tests.attacks.formats import BIDI, ESCAPE, FORMULA, HUGE
from tests.attacks.slots import S, W

STRINGS = {
    "escape": ESCAPE,
    "c1": "\x9b31mOWNED\x85",
    "bidi": BIDI,
    "formula": FORMULA,
    "plus": "+1+1",
    "minus": "-1+1|cmd",
    "at": "@SUM(1+1)",
    "tab": "\t=1+1",
    "cr": "\r=1+1",
    "quotes": '"=1+1","',
    "newline": "a\n=1+1",
    "path": "../../theirs/mine.txt",
    "absolute": "/etc/hostname",
    "sql": "'; DROP TABLE x; --",
    "format": "%s%n{0}{a.__class__}",
    "markdown": "| a |\n|---|\n<script>alert(1)</script>[x](javascript:1)",
    "nul": "a\0b",
    "surrogate": "\ud800",
    "huge": HUGE,
    "long": "n" * 100_000,
    "empty": "",
    "latex": "$\\input{/etc/hostname}$",
    "newlines": "\u2028\u0085",
}
_ASCII_FORMULA = tuple("=+-@\t\r")

FIELDS: dict[str, dict[str, object]] = {
    "masked": {"id": "X", "source": {"title": "X", "page_id": 1}, "candidates": ["X", "Eve"]},
    "events": {"id": "X", "cluster": "X", "cluster_title": "X", "event_type": "X", "infobox": "X"},
    "documents": {"name": "X", "doc": "X", "meta": {"X": "X"}},
}

USES = {
    "stats": "corefmill stats in/train.jsonl",
    "check": "corefmill check in/train.jsonl",
    "check-json": "corefmill check in/train.jsonl --json",
    "score": "corefmill score in/train.jsonl in/train.jsonl --by document",
    "convert": "corefmill convert in/train.jsonl out.FORM --to NATIVE",
    "answers": f"corefmill evaluate --model {S}/model-KIND --corpus in --answers out.csv",
    "markdown": "corefmill stats in/train.jsonl --markdown",
}
_OTHER = {
    "masked": ("txt", "five-line"),
    "events": ("json", "wec-json"),
    "documents": ("conll", "conll2012"),
}


def _fields(kind: str, value: str) -> Setup:
    """A corpus whose every text field is `value`."""

    def setup(place: Place) -> None:
        for split in ("train", "dev"):
            rows = (place.seeds / kind / f"{split}.jsonl").read_text("utf-8").splitlines()
            changed = [_changed(json.loads(row), FIELDS[kind], value) for row in rows[:2]]
            for number, row in enumerate(changed):
                if "id" in row:
                    row["id"] = f"{row['id']}{number or ''}"
            lines = "".join(json.dumps(row) + "\n" for row in changed)
            place.put(f"in/{split}.jsonl", lines)

    return setup


def _changed(row: dict[str, object], fields: dict[str, object], value: str) -> dict[str, object]:
    for key, pattern in fields.items():
        if key in row:
            row[key] = json.loads(json.dumps(pattern).replace("X", json.dumps(value)[1:-1]))
    return row


def _no_formula(name: str) -> After:
    """No cell of the sheets that were written is one that a spreadsheet computes."""

    def after(place: Place, result: Result) -> str:
        for path in sorted(place.at.glob(name)):
            with path.open(encoding="utf-8-sig", newline="") as file:
                for row in csv.reader(file):
                    for cell in row:
                        if cell.startswith(_ASCII_FORMULA) and not _is_number(cell):
                            return f"a formula in {path.name}: {cell[:20]!a}"
        return ""

    return after


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def records() -> Iterator[Attack]:
    """Hostile words in the fields of records, through what prints or writes them."""
    for kind in FIELDS:
        for use, command in USES.items():
            if use == "score" and kind == "events":
                continue
            suffix, form = _OTHER[kind]
            for name, value in STRINGS.items():
                yield Attack(
                    group="injection",
                    name=f"{kind}/{use}/{name}",
                    argv=line(command, KIND=kind, FORM=suffix, NATIVE=form),
                    setup=_fields(kind, value),
                    codes=(0, 1, 2) if "check" in command else EITHER,
                    after=_no_formula("out*.csv"),
                )


def _problem(value: str) -> Setup:
    """The corpus of pronoun problems with names and ids that are `value`."""

    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / "knowref", place.at / "in")
        path = place.at / "in" / "train.jsonl"
        rows = [json.loads(row) for row in path.read_text("utf-8").splitlines()]
        for number, row in enumerate(rows):
            row["id"] = f"{value}{number}"
            row["text"] = f"{value} and B: he {row['text']}"
            row["sentences"] = [[0, len(row["text"])]]
            row["candidates"] = [value or "A", "B"]
            row["mentions"] = []
            row["target"] = [len(value) + 8, len(value) + 10]
            row.pop("tokens", None)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    return setup


def sheets() -> Iterator[Attack]:
    """What people open in a spreadsheet."""
    for name, value in STRINGS.items():
        yield Attack(
            group="injection",
            name=f"sheets/export/{name}",
            argv=line("corefmill annotate export in --out out.csv --raters 1"),
            setup=_problem(value),
            after=_no_formula("out.csv"),
        )


MANIFESTS: dict[str, dict[str, object]] = {
    "split-up": {"splits": {"../evilsplit": 1, "train": 31}},
    "split-absolute": {"splits": {"/etc/hostname": 1}},
    "split-escape": {"splits": {ESCAPE: 1}},
    "split-huge": {"splits": {"train": 10**30}},
    "split-negative": {"splits": {"train": -1}},
    "splits-list": {"splits": ["train"]},
    "splits-none": {"splits": {}},
    "file-up": {"files": {"../../theirs/mine.txt": "0" * 64}},
    "file-absolute": {"files": {"/dev/zero": "0" * 64}},
    "file-fifo": {"files": {"fifo": "0" * 64}},
    "file-escape": {"files": {ESCAPE: "0" * 64}},
    "files-list": {"files": [1]},
    "schema": {"schema": "../../x"},
    "schema-escape": {"schema": ESCAPE},
    "lang": {"lang": "../../x"},
    "lang-escape": {"lang": ESCAPE},
    "name": {"name": "../../theirs/mine"},
    "name-escape": {"name": ESCAPE + BIDI},
    "counts": {"counts": {"read": 10**400}},
    "mode": {"mode": [ESCAPE]},
    "foreign-key": {ESCAPE: BIDI},
}

OF_CORPORA = {
    "check": "corefmill check in",
    "stats": "corefmill stats in",
    "export": "corefmill annotate export in --out deep/out.csv",
    "import": f"corefmill annotate import in {S}/filled.csv --min-raters 1 --out deep/out",
    "release": "corefmill annotate release in --out deep/out.jsonl",
    "like": f"build wikirand --like in --text {S}/tales.txt --out deep/out {W}",
    "train": "train coref --corpus in --encoder tiny --set max_steps=1 -q --out deep/out",
    "convert": "corefmill convert in deep/out.jsonl",
}


def _manifest(change: dict[str, object]) -> Setup:
    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / "knowref", place.at / "in")
        path = place.at / "in" / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}))
        shutil.copy(place.at / "in" / "train.jsonl", place.at / "evilsplit.jsonl")
        place.path("deep/x")

    return setup


def manifests() -> Iterator[Attack]:
    """Names and numbers of a manifest that somebody else wrote."""
    for name, change in MANIFESTS.items():
        for use, command in OF_CORPORA.items():
            yield Attack(
                group="injection",
                name=f"manifest/{use}/{name}",
                argv=line(command),
                setup=_manifest(change),
                codes=(0, 1, 2) if use == "check" else EITHER,
                writes=("deep/out*",),
            )


BIN = "/usr/share/apertium/apertium-eng-cat/eng-cat.automorf.bin"
MODES = {
    "output-file": f"lt-proc {BIN} /etc/hostname VICTIM",
    "output-option": f"lt-proc -w {BIN} /etc/hostname VICTIM",
    "shell": "touch VICTIM",
    "shell-path": "/bin/sh -c 'echo > VICTIM'",
    "semicolon": f"lt-proc {BIN}; touch VICTIM",
    "pipe": f"lt-proc {BIN} | tee VICTIM",
    "redirect": f"lt-proc {BIN} > VICTIM",
    "substitute": "lt-proc $(touch VICTIM)",
    "backticks": "lt-proc `touch VICTIM`",
    "tagger": "apertium-tagger -g x.prob /etc/hostname VICTIM",
    "postchunk": f"apertium-postchunk x.t1x {BIN} /etc/hostname VICTIM",
    "transfer": f"apertium-transfer x.t1x {BIN} {BIN} /etc/hostname VICTIM",
    "own-program": "./apertium-evil VICTIM",
    "train": "apertium-tagger -t 8 a b c VICTIM",
    "quote": "lt-proc 'a",
    "long": "lt-proc " + "a" * 200_000,
    "empty": "",
    "pipes": "| | |",
    "escape": f"lt-proc {ESCAPE}",
    "nul": "lt-proc a\0b",
    "missing": "lt-proc /nothing/there.bin",
    "zero": "lt-proc /dev/zero",
    "fifo": "lt-proc it",
    "text": "lt-proc /etc/hostname",
}


def _mode(text: str) -> Setup:
    def setup(place: Place) -> None:
        victim = place.base / "theirs" / "mine.txt"
        place.put("ap/modes/en-it.mode", text.replace("VICTIM", str(victim)))
        place.put("apertium-evil", "#!/bin/sh\necho > $1\n").chmod(0o755)

    return setup


def modes() -> Iterator[Attack]:
    """Apertium's .mode files, which name programs."""
    for name, text in MODES.items():
        yield Attack(
            group="injection",
            name=f"mode/{name}",
            argv=line(
                f"build ontonotes-it --source {S}/news.conll --translator apertium --model ap"
                f" --out out {W}"
            ),
            setup=_mode(text),
            codes=REFUSED,
            needs="apertium",
        )


def patterns() -> Iterator[Attack]:
    """Patterns of the user's that take for ever with some engines, and names that are many a's."""
    for number, pattern in enumerate(
        ("(a+)+$", "(a|a)*$", "(a|aa)+$", "((a*)*)*$", "a{99999}", "(?=a)", "(", "\\", "(.*)*x")
    ):
        row = {"doc_key": "a" * 5000 + "!", "sentences": [["A", "b"]], "clusters": []}
        text = json.dumps({**row, "clusters": [[[0, 0], [1, 1]]]}) + "\n"
        yield Attack(
            group="injection",
            name=f"pattern/{number}",
            argv=(*line("corefmill score in.jsonl in.jsonl --by genre --genre"), pattern),
            setup=lambda place, text=text: place.put("in.jsonl", text),  # type: ignore[misc]
        )


def environments() -> Iterator[Attack]:
    """Variables of the environment that change what programs do."""
    for number, env in enumerate(ENVIRONMENTS):
        for use in ("corefmill stats", "corefmill check"):
            yield Attack(
                group="user error",
                name=f"environment-{number}/{use.split()[1]}",
                argv=line(f"{use} {S}/formats/gap/gap.tsv"),
                conditions=Conditions(env=env, program=number < 2),
                after=nothing_else,
                codes=(0, 1, 2),
            )


ENVIRONMENTS = (
    {"LC_ALL": "it_IT.UTF-8"},
    {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    {"HOME": "/nonexistent"},
    {"HOME": "/proc"},
    {"TMPDIR": "/nonexistent"},
    {"COLUMNS": "-1", "LINES": "0"},
    {"COLUMNS": "x"},
    {"TZ": "Nowhere/Nothing"},
    {"PATH": ""},
    {"TERM": "\x1b[31m"},
)


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from records()
    yield from sheets()
    yield from manifests()
    yield from modes()
    yield from patterns()
    yield from environments()
