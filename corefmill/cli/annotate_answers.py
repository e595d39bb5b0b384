"""`corefmill annotate answers`, and what export and import do with event mentions."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.plain_options import Json, Overwrite, Quiet
from corefmill.cli.printing import print_result
from corefmill.corpora import disk
from corefmill.corpora.atomic import make_way

if TYPE_CHECKING:
    from corefmill.annotate.exchange.transfer import TaskSelection
    from corefmill.corpora.manifest import Manifest

EXAMPLES = """Examples:

    corefmill annotate answers out/wec-en.answers.sqlite --out answers.jsonl

    corefmill annotate answers out/wec-en.answers.sqlite --adjudicated --out all.jsonl --json
"""

EVENTS_LEAST, EVENTS_RATERS = 1, 2
"""WEC's dev and test were validated by one reader, a part by a second (WEC, section 3.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerImport:
    """What `corefmill annotate import` is asked: whose answers make which corpus, and where.

    `least` is how many raters must agree, None for what the kind of corpus takes.
    """

    corpus: Path
    files: Sequence[Path]
    out: Path
    least: int | None
    adjudicator: str | None
    overwrite: bool

    @property
    def command(self) -> str:
        """The line that the new corpus's card gives to make it again."""
        words = ["import", *(disk.shown(path.name) for path in (self.corpus, *self.files))]
        words += ["--adjudicator", self.adjudicator] if self.adjudicator else []
        words += ["--least", str(self.least)] if self.least else []
        return shlex.join(["corefmill", "annotate", *words])


def answers(
    db: Annotated[Path, typer.Argument(metavar="DB", help="File of `annotate serve`.")],
    out: Annotated[Path, typer.Option("--out", help="The answers, JSON Lines.")],
    adjudicated: Annotated[
        bool, typer.Option("--adjudicated", help="What the adjudicator decided, too.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what raters said: a judgement a line, without exercises and what was undone.

    It may run while the pages are served.
    """
    from corefmill.annotate import judgements
    from corefmill.annotate.answers import stored

    make_way(out, overwrite=overwrite)
    count = judgements.write(out, stored(db, adjudicated=adjudicated))
    result = {"out": str(out), "judgements": count}
    print_result(result, f"{count:,} judgements are in {out}.", as_json=as_json, quiet=quiet)


def is_events(corpus: Path) -> bool:
    """Whether a corpus holds event mentions; raises `DataError` where it is none."""
    from corefmill.corpora import manifest

    return manifest.read(corpus).schema == "event-mention/1"


def export_events(
    corpus: Path, out: Path, selection: TaskSelection, *, raters: int, overwrite: bool
) -> tuple[int, int]:
    """Writes a spreadsheet of mentions to be judged; returns how many, and how many rows.

    Where no split is selected they are of validation and test, where there are such.
    """
    from corefmill.annotate import event_sheets
    from corefmill.annotate.exchange.transfer import chosen

    found = chosen(corpus, selection)
    make_way(out, overwrite=overwrite)
    return len(found), event_sheets.write(out, found, raters=raters)


def import_events(asked: AnswerImport) -> tuple[Manifest, str]:
    """Writes the validated corpus; returns its manifest, and what to tell of it."""
    from corefmill.annotate.answers import gathered
    from corefmill.annotate.validated import validate

    corpus, files = asked.corpus, asked.files
    made = validate(
        corpus,
        files,
        asked.out,
        answers=gathered(corpus, files, events=True, adjudicator=asked.adjudicator),
        least=asked.least or EVENTS_LEAST,
        overwrite=asked.overwrite,
        command=asked.command,
    )
    return made, told(made, f"The validated corpus is in {asked.out}", "mentions")


def told(made: Manifest, where: str, units: str) -> str:
    """What to tell of a judged corpus: how many units each split has, and what was left out."""
    sizes = ", ".join(f"{split} {size:,}" for split, size in made.splits.items())
    left = [
        f"{split}: {reason} {count:,}"
        for split, counted in made.counts["rejected"].items()
        for reason, count in counted.items()
    ]
    return f"{where}: {sizes} {units}. Left out: {'; '.join(left) or '-'}."
