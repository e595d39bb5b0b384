"""What the small pipeline learns from the teacher: labelled paragraphs of raw text."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.pipelines import raw
from tools.pipelines.clean import Words
from tools.pipelines.loop import Say
from tools.pipelines.sources import Sample, Span, join
from tools.pipelines.teacher import Teacher


def paragraphs(teacher: Teacher, texts: Sequence[str], words: Words) -> list[Sample]:
    """Paragraphs labelled sentence by sentence."""
    cut = [raw.sentences(text, words) for text in texts]
    labelled = iter(teacher.label([sentence for text in cut for sentence in text]))
    return [join([next(labelled) for _ in text]) for text in cut if text]


def with_given(sample: Sample, given: Sample) -> Sample:
    """The teacher's labels of a text under those that were given with it."""
    spans = given.spans + tuple(s for s in sample.spans if not _touches(s, given.spans))
    unknown = tuple(s for s in sample.unknown if not _touches(s, given.spans))
    return Sample(sample.text, tuple(sorted(spans)), unknown, sample.starts)


def _touches(span: tuple[int, int] | Span, others: Sequence[Span]) -> bool:
    return any(a < span[1] and span[0] < b for a, b, _ in others)


def label(
    teacher: Teacher, texts: dict[str, list[str]], words: Words, say: Say
) -> dict[str, list[Sample]]:
    """The texts of each source with the names that the teacher finds."""
    labelled = {}
    for source, part in texts.items():
        labelled[source] = paragraphs(teacher, part, words)
        names = sum(len(s.spans) for s in labelled[source])
        say(f"teacher: {source}, {len(part)} paragraphs, {names} names")
    return labelled


def merged(teacher: Teacher, given: Sequence[Sample], words: Words) -> list[Sample]:
    """Samples of which some names are given, with what the teacher finds beside those."""
    by_text = {s.text: s for s in paragraphs(teacher, [s.text for s in given], words)}
    return [with_given(by_text[s.text], s) if s.text in by_text else s for s in given]


def save(samples: dict[str, list[Sample]], folder: Path) -> None:
    """Writes JSON Lines, a file a source; the folder is there only when it is whole."""
    part = folder.with_name(f"{folder.name}.part")
    part.mkdir(parents=True, exist_ok=True)
    for source, found in samples.items():
        lines = (json.dumps(asdict(sample), ensure_ascii=False) for sample in found)
        (part / f"{source}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    part.rename(folder)


def load(folder: Path) -> dict[str, list[Sample]]:
    """What `save` wrote."""
    samples = {}
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            samples[path.stem] = [_sample(json.loads(line)) for line in lines]
    return samples


def _sample(record: dict[str, Any]) -> Sample:
    spans = tuple((a, b, label) for a, b, label in record["spans"])
    unknown = tuple((a, b) for a, b in record["unknown"])
    return Sample(record["text"], spans, unknown, tuple(record["starts"]))
