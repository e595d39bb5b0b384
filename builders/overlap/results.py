"""The files of `corefmill overlap`, and its tables: rows, scores and the picture."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corefmill.builders.overlap import report
from corefmill.builders.overlap.run import OverlapRow
from corefmill.builders.overlap.split import CutoffSplit
from corefmill.corpora import disk, sheets
from corefmill.corpora import tables as layout
from corefmill.corpora.atomic import replacing, write_whole
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import refuse_finished, together

ROWS, SCORES, SUMMARY, TABLES = "overlap.jsonl", "scores.csv", "overlap.json", "tables.md"
FILES = (ROWS, SCORES, TABLES, report.PICTURE, SUMMARY)
"""All that it writes."""

Tables = list[tuple[list[str], list[list[str]]]]


def tables(
    found: Mapping[str, Any],
    models: Sequence[tuple[str, str, list[CutoffSplit]]],
    limits: Sequence[float],
) -> Tables:
    """A head and its lines for the shares, and if models were judged, for their accuracies.

    `found` is by corpus what `report.shares` says of it, `models` what `report.accuracies` yields.
    """
    head = ["corpus", "items", "no query", *(f"> {one:g}" for one in limits), "13-gram", "near"]
    head += ["rewritten", "too short"]
    cells = [
        [
            name,
            f"{one['size']:,}",
            _reasons(one["without_query"]),
            *(_part(one["over"][f"{limit:g}"], one["size"]) for limit in limits),
            _part(one["gram"], one["size"]),
            _part(one["near"], one["size"]),
            _part(one["rewritten"], one["size"]),
            f"{one['too_short']:,}",
        ]
        for name, one in found.items()
    ]
    made: Tables = [(head, cells)]
    if models:
        head = ["answers", "corpus", "BM25", "over it", "n", "rest", "n", "difference", "p", "test"]
        made.append((head, [_line(model, name, one) for model, name, own in models for one in own]))
    return made


def _reasons(counts: Mapping[str, int]) -> str:
    """How many items have no query, and why: "139 (one_clause 130, no_candidate 9)"."""
    said = ", ".join(f"{why} {number:,}" for why, number in sorted(counts.items()))
    return f"{sum(counts.values()):,}" + (f" ({said})" if said else "")


def _part(number: int, size: int) -> str:
    return f"{number:,} ({100 * number / size:.1f} %)"


def _line(model: str, corpus: str, one: CutoffSplit) -> list[str]:
    def accuracy(value: float | None, interval: tuple[float, float] | None) -> str:
        if value is None or interval is None:
            return "-"
        return f"{100 * value:.1f} [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"

    test = one.test
    return [
        model,
        corpus,
        f"> {one.cutoff:g}",
        accuracy(one.over.value, one.over.interval),
        f"{one.over.total:,}",
        accuracy(one.rest.value, one.rest.interval),
        f"{one.rest.total:,}",
        accuracy(one.difference, one.interval),
        "-" if test is None else f"{test[1]:.3f}",
        "-" if test is None else test[0],
    ]


def refuse_results(out: Path, *, overwrite: bool) -> None:
    """Raises `UsageError` where `out` has a file of a name that is to be written.

    Those of a run that was killed while it wrote them are its own.
    """
    refuse_finished(out, FILES, overwrite=overwrite)


def refuse_replacing(
    remove: Path, read: Iterable[Path], results: Sequence[Path] = (), index: Path | None = None
) -> None:
    """Raises `UsageError` where the text that is left would replace what is read or written.

    That is a file of `read`, by whatever name, or one in a folder of it, one of the `results`, or
    one in the folder of the index. Neither --overwrite nor a link makes it free.
    """
    place = remove.resolve()
    if place in [one.resolve() for one in results]:
        raise _refused(remove, "one of the results' own files")
    if index is not None and index.resolve() in (place, *place.parents):
        raise _refused(remove, "in the folder of the index")
    for path in read:
        if not path.exists():
            continue
        if path.resolve() in (place, *place.parents) or (remove.exists() and remove.samefile(path)):
            raise _refused(remove, f"{disk.shown(path)}, which is read, or in it")


def _refused(remove: Path, what: str) -> UsageError:
    return UsageError(f"--remove is {what}", path=remove, remedy="name a new file")


def write(
    out: Path,
    rows: Sequence[OverlapRow],
    summary: Mapping[str, Any],
    shown: Tables,
    *,
    cutoffs: Sequence[float],
    overwrite: bool = False,
) -> None:
    """Writes what was found to the folder `out`, each file whole or not at all.

    Raises `UsageError` as `refuse_results`.
    """
    with together(out, FILES, overwrite=overwrite):
        with replacing(out / ROWS) as file:
            for row in rows:
                file.write(json.dumps(row.as_json(), ensure_ascii=False).encode() + b"\n")
        sheets.write(out / SCORES, _scores(rows), end="\n")
        with replacing(out / TABLES) as file:
            made = (layout.table(head, cells, len(head) - 1) for head, cells in shown)
            texts = ["\n".join(lines) for lines in made]
            file.write(("\n\n".join(texts) + "\n").encode())
        report.draw(out / report.PICTURE, rows, cutoffs)
        write_whole(out / SUMMARY, json.dumps(summary, ensure_ascii=False, indent=1) + "\n")


def _scores(rows: Sequence[OverlapRow]) -> Iterator[Sequence[object]]:
    yield "corpus", "id", "score", "gram", "near", "rewritten"
    for row in rows:
        item = row.asked.item
        yield (
            item.corpus,
            item.example.id,
            f"{row.score:.6f}",
            int("gram" in row.copies),
            *(
                f"{row.copies[kind]['value']:.3f}" if kind in row.copies else ""
                for kind in ("near", "rewritten")
            ),
        )
