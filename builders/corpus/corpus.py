"""A corpus's statements in its card and manifest, and its rejects."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from corefmill.builders.run.job import RunResult
from corefmill.corpora import manifest
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.manifest import Manifest

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
    """Return the versions of the software for a manifest."""
    return {
        "pipeline": pipeline,
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }


DEFAULT_FILTERS = "the default filters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A corpus but for its records; passed whole to all that writes a part of it.

    `facts` are rows of the card's first table, `limits` the known weaknesses of the method,
    `pipeline` names what analysed the text, `command` builds the corpus again. `warnings` are what
    the user should know of it whatever its records are. `texts` names the folder or the file that
    it is made from, "" for a dump. `filters` says in words which filters are in force, where that
    is one of the settings that readings.toml knows: DEFAULT_FILTERS, or --min-confidence P.
    """

    name: str
    title: str
    lang: str
    mode: str
    out: Path
    seed: int
    licence: str
    attribution: str
    command: str
    pipeline: str
    facts: Mapping[str, str]
    limits: Sequence[str]
    warnings: Sequence[str] = ()
    texts: str = ""
    filters: str = ""

    @property
    def full_title(self) -> str:
        """The title, with the name of the source texts, if they have one."""
        return f"{self.title} from {self.texts}" if self.texts else self.title

    @classmethod
    def judged(
        cls,
        made: Manifest,
        how: str,
        out: Path,
        *,
        command: str,
        facts: Mapping[str, str],
        limits: Sequence[str],
    ) -> Self:
        """What a corpus states that raters have judged: what it did before, but for their part.

        `how` is what they made of it: labelled, validated.
        """
        return cls(
            name=f"{made.name}-{how}",
            title=f"{made.name}, {how}",
            lang=made.lang,
            mode=made.mode,
            out=out,
            seed=made.seed,
            licence=made.licence,
            attribution=made.attribution,
            command=command,
            pipeline=made.versions.get("pipeline", ""),
            facts={"Language": made.lang, "Mode": made.mode, **facts},
            limits=limits,
        )

    def manifest(
        self,
        result: RunResult,
        *,
        schema: str,
        splits: Mapping[str, int],
        counts: Mapping[str, Any],
        files: Iterable[str],
        warnings: Sequence[str] = (),
    ) -> Manifest:
        """Make the manifest of `files`, existing names relative to `out`."""
        return Manifest(
            name=self.name,
            schema=schema,
            lang=self.lang,
            mode=self.mode,
            splits=dict(splits),
            counts=dict(counts),
            seed=self.seed,
            versions=versions(self.pipeline),
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={name: manifest.sha256(self.out / name) for name in sorted(files)},
            warnings=list(warnings),
        )
