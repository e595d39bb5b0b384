"""Corpora with a question of each kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corefmill.annotate.questions import AnnotationItem, items
from corefmill.corpora import jsonl
from tests.corpora.test_records import EVENT, EXAMPLE

HOSTILE = replace(EVENT, id="</script><b>'\"\n", cluster_title="<img src=x> A flood")
HOSTILE = replace(HOSTILE, text="After <i>the</i> flood & [so].", start=17, end=22)
PRONOUN = replace(
    EXAMPLE,
    id="p",
    text="Anna met Bob. She left.",
    sentences=((0, 13), (14, 23)),
    target=(14, 17),
    mentions=(),
)


def events(folder: Path) -> tuple[Path, list[AnnotationItem]]:
    path = folder / "events.jsonl"
    jsonl.write(path, [EVENT, HOSTILE])
    return path, list(items(path))


def problems(folder: Path) -> tuple[Path, list[AnnotationItem]]:
    path = folder / "problems.jsonl"
    jsonl.write(path, [EXAMPLE, PRONOUN])
    return path, list(items(path))
