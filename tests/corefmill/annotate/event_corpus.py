"""A corpus of event mentions, written by hand where a test wants certain ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corefmill.builders.wec.facts.event_facts import EVENT_NOTES, EventNote
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention, Source
from tests.corefmill.dumps import make_manifest


def event(
    name: str, cluster: str, text: str, words: str, title: str = "Town", **more: Any
) -> EventMention:
    start = text.index(words)
    made: dict[str, Any] = {"cluster_title": f"Event {cluster}", **more}
    return EventMention(
        id=name,
        lang="en",
        text=text,
        start=start,
        end=start + len(words),
        cluster=cluster,
        event_type="Flood",
        infobox="infoboxflood",
        source=Source(title, 1),
        **made,
    )


def write(
    folder: Path, splits: Mapping[str, Sequence[EventMention]], notes: Sequence[EventNote] = ()
) -> Path:
    folder.mkdir()
    for split, mentions in splits.items():
        jsonl.write(folder / f"{split}.jsonl", mentions)
    names = [f"{split}.jsonl" for split in splits]
    if notes:
        jsonl.write(folder / EVENT_NOTES, notes)
        names.append(EVENT_NOTES)
    sizes = {split: len(mentions) for split, mentions in splits.items()}
    files = {name: manifest.sha256(folder / name) for name in names}
    made = make_manifest("own", "event-mention/1", sizes, files=files)
    manifest.write(folder, made)
    return folder
