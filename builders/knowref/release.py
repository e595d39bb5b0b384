"""The hashed form in which problems are released where their text may not be (spec C1, S7).

A line a problem, JSON: the published keys (`original_sentence_hashed`, `candidate0`, `candidate1`,
`correct_candidate`, `annotation_strength`), and what makes the record again once the sentence is
found: `id`, `split`, `mode`, `lang`, `source`, and of the normalised original sentence `target` and
`mentions`, and `sentences` where there are two. No word of the text is in it but the pronoun's
offsets and the names drawn for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.annotate import examples
from corefmill.builders.corpus.groups import GROUP
from corefmill.builders.knowref.swap import normalised, renamed
from corefmill.corpora import manifest, names
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import json_records
from corefmill.corpora.records import MaskedExample, Source, Span

_HASH = re.compile(r"[0-9a-f]{56}")
_FAULTY = "not written by `corefmill annotate release`, or damaged"


@dataclass(frozen=True, slots=True)
class ReleaseEntry:
    """A problem without its text; offsets are those of the normalised original sentence."""

    digest: str
    id: str
    split: str
    mode: str
    lang: str
    candidates: tuple[str, str]
    label: int | None
    target: Span
    mentions: tuple[tuple[int, int, int], ...]
    sentences: tuple[Span, ...]
    source: Source
    meta: dict[str, Any]

    def example(self, sentence: str) -> MaskedExample:
        """The problem on the normalised sentence; raises `ValueError` where it does not fit."""
        spans = [(index, (start, end)) for index, start, end in self.mentions]
        keep = (self.target, *(self.sentences or ((0, len(sentence)),)))
        if any(end > len(sentence) for _, end in (*keep, *(span for _, span in spans))):
            raise ValueError("offsets outside the sentence")
        text, mentions, (target, *sentences) = renamed(sentence, spans, self.candidates, keep)
        return MaskedExample(
            id=self.id,
            lang=self.lang,
            text=text,
            sentences=tuple(sentences),
            target=target,
            candidates=self.candidates,
            mentions=tuple(mentions),
            label=self.label,
            source=self.source,
            meta={**self.meta, "original": {"text": sentence, "sha224": self.digest}},
        )


def write(corpus: Path, path: Path) -> int:
    """Writes the corpus in the hashed form and returns how many problems there are.

    Raises `DataError` for a corpus that `build knowref` has not made.
    """
    made = manifest.read(corpus)
    count = 0
    with replacing(path) as out:
        for split, found in examples(corpus).items():
            for example in found:
                try:
                    line = _line(example, split, made.mode)
                except (KeyError, TypeError, ValueError):
                    raise DataError(
                        f"{example.id} has no original sentence",
                        path=corpus,
                        remedy="only what `build knowref` made can be released so",
                    ) from None
                out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
                count += 1
    return count


def _line(example: MaskedExample, split: str, mode: str) -> dict[str, Any]:
    original = example.meta["original"]
    text: str = original["text"]
    first, second = example.candidates
    strength = example.meta.get("annotation", {}).get("strength")
    kept = ("pattern", "connective", "gender", GROUP, "annotation")
    return {
        "original_sentence_hashed": original["sha224"],
        "candidate0": first,
        "candidate1": second,
        "correct_candidate": None if example.label is None else f"candidate_{example.label}",
        "annotation_strength": None if strength is None else str(strength),
        "id": example.id,
        "split": split,
        "mode": mode,
        "lang": example.lang,
        "target": [_moved(text, offset) for offset in original["target"]],
        "mentions": [
            [index, _moved(text, start), _moved(text, end)]
            for index, start, end in original["mentions"]
        ],
        "sentences": [
            [_moved(text, offset) for offset in span] for span in original.get("sentences", ())
        ],
        "source": example.source.as_json(),
        "meta": {key: example.meta[key] for key in kept if key in example.meta},
    }


def _moved(text: str, offset: int) -> int:
    """Where the border of a word stands in the normalised text."""
    before = normalised(text[:offset])
    return len(before) + bool(before and text[offset - 1].isspace())


def read(path: Path) -> Iterator[ReleaseEntry]:
    """Streams a release; raises `DataError` with the line for what is none."""
    seen: set[str] = set()
    for line, item in json_records.read(path):
        try:
            entry = _entry(item)
        except (KeyError, TypeError, ValueError) as error:
            said = f"no {error}" if isinstance(error, KeyError) else str(error)
            said = "a value is of the wrong kind" if isinstance(error, TypeError) else said
            raise DataError(f"{said[:120]}", path=path, line=line, remedy=_FAULTY) from None
        if entry.id in seen:
            raise DataError(
                f"{entry.id[:60]!r} stands here twice", path=path, line=line, remedy=_FAULTY
            )
        seen.add(entry.id)
        yield entry


def _entry(item: dict[str, Any]) -> ReleaseEntry:
    digest, mode = item["original_sentence_hashed"], item["mode"]
    if not isinstance(digest, str) or not _HASH.fullmatch(digest):
        raise ValueError("original_sentence_hashed is no SHA-224")
    if mode not in ("clean", "paper"):
        raise ValueError(f"the mode {str(mode)[:20]!r} is not clean or paper")
    right = item["correct_candidate"]
    if right not in (None, "candidate_0", "candidate_1"):
        raise ValueError("correct_candidate is not candidate_0 or candidate_1")
    source, meta = item["source"], item["meta"]
    strings = [item[key] for key in ("candidate0", "candidate1", "id", "split", "lang")]
    strings.append(source["title"])
    if not all(isinstance(value, str) for value in strings) or not isinstance(meta, dict):
        raise ValueError("a value is of the wrong kind")
    first, second, name, split, lang, title = strings
    if not names.is_plain(split):
        raise ValueError("the split is no plain word")
    places = {key: source.get(key) for key in ("paragraph", "start", "end")}
    whole = [source["page_id"], *(place for place in places.values() if place is not None)]
    page, *_ = _numbers(whole, len(whole))
    return ReleaseEntry(
        digest=digest,
        id=name,
        split=split,
        mode=mode,
        lang=lang,
        candidates=(first, second),
        label=None if right is None else int(right[-1]),
        target=_span(item["target"]),
        mentions=tuple(_mention(mention) for mention in item["mentions"]),
        sentences=tuple(_span(sentence) for sentence in item.get("sentences", ())),
        source=Source(title, page, **places),
        meta=meta,
    )


def _mention(value: Any) -> tuple[int, int, int]:
    index, start, end = _numbers(value, 3)
    if index not in (0, 1):
        raise ValueError(f"a mention of candidate {index}")
    return index, *_span([start, end])


def _span(value: Any) -> Span:
    start, end = _numbers(value, 2)
    if not 0 <= start < end:
        raise ValueError(f"not a span of a sentence: {str(value)[:40]}")
    return start, end


def _numbers(value: Any, count: int) -> list[int]:
    if not isinstance(value, list) or len(value) != count or any(type(v) is not int for v in value):
        raise ValueError(f"not {count} whole numbers: {str(value)[:40]}")
    return value
