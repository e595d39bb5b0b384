"""Worlds for tests, and what is true of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.world.dump import write

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")


@dataclass(frozen=True)
class Written:
    """A world on disk and its truth, as `tools.world.dump.write` describes it."""

    lang: str
    dump: Path
    records: tuple[dict[str, Any], ...]

    @property
    def pivots(self) -> dict[str, dict[str, Any]]:
        return {record["title"]: record for record in self.records if record["kind"] == "pivot"}

    @property
    def links(self) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == "link"]

    @property
    def names(self) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == "names"]


def written(folder: Path, lang: str, countries: int, seed: int = 0, suffix: str = "xml") -> Written:
    """A world of so many countries, in `folder`."""
    dump, truth = folder / f"{lang}wiki.{suffix}", folder / f"{lang}.jsonl"
    write(dump, truth, lang=lang, countries=countries, seed=seed)
    lines = truth.read_text(encoding="utf-8").splitlines()
    return Written(lang, dump, tuple(json.loads(line) for line in lines))
