"""`corefmill check`: find the faults of a corpus, and write a corrected copy."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Columns, Json, Lang, Overwrite, Quiet, Theirs, choose_reader
from corefmill.cli.printing import many, print_json, progress, table
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.corpora.check import Finding
    from corefmill.corpora.check.checker import Checker
    from corefmill.corpora.check.fix import FixedCopy


_log = logging.getLogger(__name__)


class SingletonsAllowed(StrEnum):
    """Treatment of clusters of one mention: findings (forbid), or allowed."""

    forbid = "forbid"
    allow = "allow"


class Severity(StrEnum):
    """Lowest severity of a finding that makes the exit code 1."""

    warning = "warning"
    error = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Scope of the findings, and their correction."""

    form: Theirs = None
    columns: Columns = None
    lang: Lang = "en"
    singletons: Annotated[
        SingletonsAllowed | None,
        Option(
            help="How to treat clusters of one mention: forbid reports them, allow does not.",
            default="forbid in a CoNLL-2012 file with at most a tenth of such clusters, else allow",
        ),
    ] = None
    fail_on: Annotated[
        Severity, Option(help="Exit with code 1 for a finding of this severity or worse.")
    ] = Severity.error
    most: Annotated[
        int, Option("--limit", min=0, help="Findings to print of a code in a file; 0 for all.")
    ] = 10
    mend: Annotated[
        bool,
        Option(
            "--fix",
            help="Correct faults that have one possible correction: in a copy with --out, or in"
            " the files themselves with --overwrite alone.",
        ),
    ] = False
    out: Annotated[
        Path | None,
        Option(help="File to write the corrected copy to, with --fix; a folder for several files."),
    ] = None
    overwrite: Overwrite = False

    def check(self) -> None:
        """Raise `UsageError` for --fix without --out or --overwrite, and for the reverse."""
        if self.mend != bool(self.out or self.overwrite):
            raise UsageError("--fix needs --out COPY or --overwrite, and these need --fix")


def check(
    paths: Annotated[
        list[Path] | None,
        Argument(metavar="FILE|DIR...", help="Files, folders of files, or built corpora to check."),
    ] = None,
    *,
    options: CheckOptions,
    show: Annotated[
        bool, Option("--list", help="Print and explain the codes of findings, and exit.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check corpora for faults in offsets, spans, clusters, candidates, splits and checksums.

    Files given together, or found in one folder, are splits of one corpus where their names say
    so (train, dev, validation, test). Exit code 0: no finding, 1: findings, 2: unreadable file.

    Examples:
        corefmill check out/wikicrem-en
        corefmill check train.conll dev.conll --singletons forbid --fail-on warning
        corefmill check WEC-Eng_dev.json --fix --out fixed.json
        corefmill check --list
    """
    from corefmill.corpora.check.checker import Checker
    from corefmill.corpora.check.fix import fix

    if show:
        _print_codes(as_json)
        return
    if not paths:
        raise UsageError(
            "no file or folder to check is named", remedy="--list explains the codes of findings"
        )
    options.check()
    checker = Checker(
        form=choose_reader(options.form, options.columns),
        lang=options.lang,
        singletons=options.singletons.value if options.singletons else None,
        watch=progress,
    )
    found = list(checker.check(paths))
    for note in checker.notes:
        _log.warning("check: %s", note)
    copies = []
    if options.mend:
        copies = fix(found, checker.forms, options.lang, options.out, overwrite=options.overwrite)
        if not copies and options.out:
            _log.warning("check: --fix found nothing to correct, and wrote no %s", options.out)
    if as_json:
        print_json(_to_json(checker, found, copies))
    else:
        _print_found(checker, found, options.most, copies)
    if {one.severity for one in found} & {"error", options.fail_on.value}:
        raise click.exceptions.Exit(1)


def _print_codes(as_json: bool) -> None:
    """Print every code of a finding with its severity and explanation."""
    from corefmill.corpora.check import codes

    if as_json:
        print_json([{**asdict(code), "severity": code.severity} for code in codes().values()])
        return
    for code in codes().values():
        mends = ", corrected by --fix" if code.mends else ""
        print(f"{code.code} {code.title} ({code.severity}{mends})\n    {code.explanation}")


def _to_json(
    checker: Checker, findings: list[Finding], copies: list[FixedCopy]
) -> dict[str, object]:
    """Make the result of --json: files, counts, findings, skipped files, corrected copies."""
    return {
        "files": [
            {"path": disk.show_name(path), "format": form, "records": checker.read[path]}
            for path, form in checker.forms.items()
        ],
        "counts": dict(sorted(Counter(finding.code for finding in findings).items())),
        "findings": [finding.as_json() for finding in findings],
        "skipped": [disk.show_name(path) for path in checker.skipped],
        "notes": checker.notes,
        "mended": [
            {"out": disk.show_name(copy.target), "counts": dict(copy.fixed)} for copy in copies
        ],
    }


REJECTS = "rejects.jsonl"
"""The file of rejected records that `build --keep-rejects` writes beside a corpus."""


def _print_found(
    checker: Checker, findings: list[Finding], most: int, copies: list[FixedCopy]
) -> None:
    """Print findings (at most `most` per file and code), skipped files, counts, corrected files."""
    from corefmill.corpora.check import codes

    told: Counter[tuple[Path, str]] = Counter()
    for finding in findings:
        key = finding.path, finding.code
        told[key] += 1
        if not most or told[key] <= most:
            print(finding)
        elif told[key] == most + 1:
            print(f"{finding.path}: more of {finding.code}; --limit 0 shows all")
    rejects = [path for path in checker.skipped if path.name == REJECTS]
    unknown = [path for path in checker.skipped if path.name != REJECTS]
    if rejects:
        print(f"What a build left out, not checked: {', '.join(map(str, rejects))}")
    if unknown:
        print(f"Of no known format, not checked: {', '.join(map(str, unknown))}")
    records = sum(checker.read.values())
    files = len(checker.forms)
    print(
        f"{many(records, 'record')} in {many(files, 'file')}"
        f" {'was' if records == 1 else 'were'} checked."
    )
    if findings:
        counts = Counter(finding.code for finding in findings)
        rows = [
            (code, codes()[code].severity, codes()[code].title, f"{count:,}")
            for code, count in sorted(counts.items(), key=lambda item: item[0][1:])
        ]
        print(table(("Code", "severity", "what", "count"), rows, numbers=1))
    else:
        print("Nothing was found.")
    for copy in copies:
        what = ", ".join(f"{code} {count:,}" for code, count in sorted(copy.fixed.items()))
        print(f"{copy.target}: corrected {what or 'nothing'}")
