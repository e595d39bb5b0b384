"""What every builder writes beside its records: the rejects, and the versions it ran with."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corefmill.builders.run.job import RunResult
from corefmill.corpora.files.writing import replacing

COUNTED, KEPT = "rejects.json", "rejects.jsonl"

_PACKAGES = ("corefmill", "spacy", "lxml", "duckdb", "numpy")


def write_rejects(
    out: Path,
    rejects: Mapping[str, Counter[str]],
    result: RunResult,
    later: Iterator[dict[str, Any]],
) -> list[str]:
    """Writes the counts by stage and reason; where the job keeps rejects, the run's and
    the later records too.

    Returns the names of the files.
    """
    stages = {stage: dict(sorted(counted.items())) for stage, counted in rejects.items()}
    with replacing(out / COUNTED) as file:
        file.write(json.dumps(stages, indent=2).encode() + b"\n")
    if not result.job.keep_rejects:
        (out / KEPT).unlink(missing_ok=True)  # what is overwritten may have had them
        return [COUNTED]
    with replacing(out / KEPT) as file:
        sources: tuple[Iterable[dict[str, Any]], ...] = (result.records("rejects"), later)
        for source in sources:
            for record in source:
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return [COUNTED, KEPT]


def versions(pipeline: str) -> dict[str, str]:
    """What a manifest says of the software."""
    return {
        "pipeline": pipeline,
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }
