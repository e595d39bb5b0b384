"""The description of a corpus for its card and manifest, and the files of its rejects."""

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
    """Write rejects.json, the counts by stage and reason; return the names of the files written.

    If the job keeps rejects, also write the rejected records of the run and the `later` ones, of
    the corpus, to rejects.jsonl.
    """
    stages = {stage: dict(sorted(counted.items())) for stage, counted in rejects.items()}
    with replacing(out / COUNTED) as file:
        file.write(json.dumps(stages, indent=2).encode() + b"\n")
    if not result.job.keep_rejects:
        (out / KEPT).unlink(missing_ok=True)  # of a corpus that is overwritten
        return [COUNTED]
    with replacing(out / KEPT) as file:
        sources: tuple[Iterable[dict[str, Any]], ...] = (result.records("rejects"), later)
        for source in sources:
            for record in source:
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return [COUNTED, KEPT]


def list_versions(pipeline: str) -> dict[str, str]:
    """List the versions of pipeline, Python and packages, for a manifest."""
    return {
        "pipeline": pipeline,
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }


DEFAULT_FILTERS = "the default filters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The description of a corpus without its records, for the writers of its parts.

    `facts` are rows of the card's first table, `limits` the known weaknesses of the method,
    `pipeline` the name and version of the language pipeline, `command` the command that builds the
    corpus again. `warnings` depend on input and options, not on the records. `texts` names the
    input folder or file, "" for a dump. `filters` is DEFAULT_FILTERS, or
    "" for others, of which nobody has read examples.
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
        """The title with the name of the source texts, if they have one."""
        return f"{self.title} from {self.texts}" if self.texts else self.title

    @classmethod
    def from_rated(
        cls,
        manifest: Manifest,
        work: str,
        out: Path,
        *,
        command: str,
        facts: Mapping[str, str],
        limits: Sequence[str],
    ) -> Self:
        """Describe an annotated corpus, from the `manifest` that it had before the annotation.

        `work` names the raters' work and is added to the name: labelled, validated.
        """
        return cls(
            name=f"{manifest.name}-{work}",
            title=f"{manifest.name}, {work}",
            lang=manifest.lang,
            mode=manifest.mode,
            out=out,
            seed=manifest.seed,
            licence=manifest.licence,
            attribution=manifest.attribution,
            command=command,
            pipeline=manifest.versions.get("pipeline", ""),
            facts={"Language": manifest.lang, "Mode": manifest.mode, **facts},
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
            versions=list_versions(self.pipeline),
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={name: manifest.sha256(self.out / name) for name in sorted(files)},
            warnings=list(warnings),
        )
