"""`corefmill check`: what is wrong in a corpus, and a mended copy of it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from corefmill.cli.plain_options import Json, Lang, Overwrite, Theirs
from corefmill.cli.tables import table
from corefmill.corpora import disk
from corefmill.corpora.atomic import make_way, refuse_taken
from corefmill.corpora.check import sarif
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.check.finding import Finding, codes
from corefmill.corpora.check.fix import Mended, fix
from corefmill.corpora.errors import UsageError
from corefmill.corpora.formats.registry import named

EXAMPLES = """Examples:

    corefmill check out/wikicrem-en

    corefmill check train.conll dev.conll --singletons forbid --fail-on warning

    corefmill check WEC-Eng_dev.json --fix --out mended.json

    corefmill check corpus/ --sarif findings.sarif

    corefmill check --codes
"""


class Singletons(StrEnum):
    """What clusters of one are."""

    forbid = "forbid"
    allow = "allow"


class Severity(StrEnum):
    """From which severity on the exit code is 1."""

    warning = "warning"
    error = "error"


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE|DIR...", help="Files, folders of them, or corpora."),
    ] = None,
    form: Theirs = None,
    lang: Lang = "en",
    singletons: Annotated[
        Singletons | None,
        typer.Option(
            help="Clusters of one: findings or not. (default: findings in a CoNLL-2012 file of"
            " which they are at most a tenth)"
        ),
    ] = None,
    fail_on: Annotated[
        Severity, typer.Option(help="Exit with 1 from this severity on.")
    ] = Severity.error,
    most: Annotated[
        int, typer.Option("--most", min=0, help="Findings shown of each code in each file; 0: all.")
    ] = 10,
    mend: Annotated[
        bool, typer.Option("--fix", help="Write a mended copy of what has one right answer.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="With --fix: the copy, a folder where there are several files."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="With --fix: replace the files.")
    ] = False,
    sarif_file: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0, too."),
    ] = None,
    overwrite: Overwrite = False,
    show: Annotated[bool, typer.Option("--codes", help="Explain the codes, and no more.")] = False,
    as_json: Json = False,
) -> None:
    """Check corpora: offsets, spans, clusters, candidates, splits, encoding, checksums.

    Files given together, or found in one folder, are splits of one corpus where their names or
    those of folders in it say so (train, dev, validation, test). Exit code 0: nothing, 1: findings,
    2: cannot be read.
    """
    if show:
        _codes(as_json)
        return
    if not paths:
        raise UsageError("check takes files or folders", remedy="--codes explains the findings")
    if mend != bool(out or in_place) or (out and in_place):
        raise UsageError("--fix goes with one of --out and --in-place")
    if sarif_file:
        refuse_taken(sarif_file, overwrite=overwrite)
    checker = Checker(
        form=named(form) if form else None,
        lang=lang,
        singletons=singletons.value if singletons else None,
        watch=_watched,
    )
    found = list(checker.check(paths))
    if sarif_file:
        make_way(sarif_file, overwrite=overwrite)
        sarif.write(sarif_file, found)
    copies = fix(found, checker.forms, lang, out, overwrite=overwrite) if mend else []
    if as_json:
        _json(checker, found, copies)
    else:
        _tell(checker, found, most)
        for copy in copies:
            what = ", ".join(f"{code} {count:,}" for code, count in sorted(copy.mended.items()))
            print(f"{copy.target}: mended {what or 'nothing'}")
    for note in checker.notes:
        print(f"check: {note}", file=sys.stderr)
    failing = {"error", fail_on.value}
    if any(finding.severity in failing for finding in found):
        raise typer.Exit(1)


def _watched(items: Iterable[Any]) -> Iterable[Any]:
    return tqdm(items, unit=" records", delay=2, disable=None, leave=False)


def _codes(as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                [{**asdict(code), "severity": code.severity} for code in codes().values()],
                ensure_ascii=False,
            )
        )
        return
    for code in codes().values():
        mends = ", mended by --fix" if code.mends else ""
        print(f"{code.code} {code.title} ({code.severity}{mends})\n    {code.explanation}")


def _json(checker: Checker, found: list[Finding], copies: list[Mended]) -> None:
    print(
        json.dumps(
            {
                "files": [
                    {"path": disk.shown(path), "format": form, "records": checker.read[path]}
                    for path, form in checker.forms.items()
                ],
                "counts": dict(sorted(Counter(finding.code for finding in found).items())),
                "findings": [finding.as_json() for finding in found],
                "skipped": [disk.shown(path) for path in checker.skipped],
                "notes": checker.notes,
                "mended": [
                    {"out": disk.shown(copy.target), "counts": dict(copy.mended)} for copy in copies
                ],
            },
            ensure_ascii=False,
        )
    )


def _tell(checker: Checker, found: list[Finding], most: int) -> None:
    told: Counter[tuple[Path, str]] = Counter()
    for finding in found:
        key = finding.path, finding.code
        told[key] += 1
        if not most or told[key] <= most:
            print(finding)
        elif told[key] == most + 1:
            print(f"{finding.path}: more of {finding.code}; --most 0 shows all")
    if checker.skipped:
        print(f"Of no known format, not checked: {', '.join(map(str, checker.skipped))}")
    records = sum(checker.read.values())
    files = len(checker.forms)
    print(
        f"{records:,} record{'s' * (records != 1)} in {files:,} file{'s' * (files != 1)}"
        " were checked."
    )
    if not found:
        print("Nothing was found.")
        return
    counts = Counter(finding.code for finding in found)
    rows = [
        (code, codes()[code].severity, codes()[code].title, f"{count:,}")
        for code, count in sorted(counts.items(), key=lambda item: item[0][1:])
    ]
    print(table(("Code", "severity", "what", "count"), rows, numbers=1))
