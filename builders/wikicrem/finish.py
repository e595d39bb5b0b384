"""Makes a corpus directory of a run's shards; the manifest comes last."""

from __future__ import annotations

import json
import platform
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from builders.job import RunResult
from builders.wikicrem import assemble, card, table
from builders.wikicrem.filters import SURFACE
from builders.wikicrem.filters_syntax import SYNTAX
from builders.wikicrem.gender import Genders
from corpora import manifest
from corpora.atomic import replacing

_PACKAGES = ("corefmill", "spacy", "lxml", "duckdb", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """All that a finished corpus states besides what the shards hold; called once they are whole.

    `facts` are rows of the card's first table, `filters` the names of those asked here (see
    `assemble.judge`), `limits` what the card says of the method's weaknesses.
    """

    name: str
    title: str
    lang: str
    mode: str
    out: Path
    seed: int
    validation: int | None
    limit: int | None
    filters: tuple[str, ...]
    facts: Mapping[str, str]
    limits: tuple[str, ...]
    licence: str
    attribution: str
    command: str
    pipeline: str
    keep_rejects: bool = False

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus into `out` and removes the shards.

        Raises `DataError` where there is no example at all.
        """
        verdicts = assemble.judge(
            result, self.filters, validation=self.validation, limit=self.limit, seed=self.seed
        )
        rejects = result.rejects + verdicts.rejected()
        assemble.check_not_empty(verdicts, rejects)
        survey = card.Survey(Genders(self.lang, table.load(self.lang)), self.seed)
        paper = self.mode == "paper"
        splits = assemble.write_splits(
            result, verdicts, self.out, survey, ascii_only=paper, pairs=not paper
        )
        warnings = [] if result.source_error is None else [f"{result.source_error}"]
        if not splits[assemble.VALIDATION]:
            warnings.append("too few articles for a validation split; all examples are in train")
        self._write_rejects(result, verdicts, rejects)
        card.write(
            self.out,
            survey,
            title=self.title,
            facts={**self.facts, "Licence": self.licence, "Source": self.attribution},
            splits=splits,
            counts=result.counts,
            rejects=rejects,
            limits=self.limits,
            warnings=warnings,
            command=self.command,
        )
        manifest.write(self.out, self._manifest(result, survey, splits, rejects, warnings))
        shutil.rmtree(result.folder.parent, ignore_errors=True)

    def _write_rejects(
        self, result: RunResult, verdicts: assemble.Verdicts, rejects: Counter[str]
    ) -> None:
        stages: dict[str, dict[str, int]] = {"input": {}, "draft": {}, "corpus": {}}
        for reason, count in sorted(rejects.items()):
            if reason in verdicts.reasons:
                stage = "corpus"
            else:
                drafts = reason in SURFACE or reason in SYNTAX or reason == "name_not_expressible"
                stage = "draft" if drafts else "input"
            stages[stage][reason] = count
        with replacing(self.out / "rejects.json") as out:
            out.write(json.dumps(stages, indent=2).encode() + b"\n")
        if self.keep_rejects:
            with replacing(self.out / "rejects.jsonl") as out:
                for source in (
                    result.records("rejects"),
                    assemble.rejected_examples(result, verdicts),
                ):
                    for record in source:
                        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")

    def _manifest(
        self,
        result: RunResult,
        survey: card.Survey,
        splits: dict[str, int],
        rejects: Counter[str],
        warnings: list[str],
    ) -> manifest.Manifest:
        counts: dict[str, Any] = {"read": dict(sorted(result.counts.items())), **survey.counts()}
        counts["rejected"] = dict(sorted(rejects.items()))
        files = sorted(
            path
            for path in self.out.iterdir()
            if path.is_file() and path.name != manifest.NAME and not path.name.startswith(".")
        )
        return manifest.Manifest(
            name=self.name,
            schema="masked-example/1",
            lang=self.lang,
            mode=self.mode,
            splits=splits,
            counts=counts,
            seed=self.seed,
            versions={
                "pipeline": self.pipeline,
                "python": platform.python_version(),
                **{package: version(package) for package in _PACKAGES},
            },
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={path.name: manifest.sha256(path) for path in files},
            warnings=warnings,
        )
