"""Readers that turn treebanks, name corpora and GAP into samples of text with labelled spans."""

import csv
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

Span = tuple[int, int, str]  # [start, end) in code points of the text, label


def names_of(tags: Sequence[str]) -> list[Span]:
    """The names that tags (IOB, IOB2) say, as half-open ranges of tokens with their labels."""
    names: list[Span] = []
    before = ""
    for index, tag in enumerate(tags):
        mark, _, label = tag.partition("-")
        if label and mark == "I" and label == before:
            names[-1] = (names[-1][0], index + 1, label)
        elif label:
            names.append((index, index + 1, label))
        before = label
    return names


@dataclass(frozen=True)
class Sample:
    """A text with names; `unknown` covers passages of which nothing is known."""

    text: str
    spans: tuple[Span, ...] = ()
    unknown: tuple[tuple[int, int], ...] = ()
    starts: tuple[int, ...] = (0,)  # first character of each sentence


@dataclass(frozen=True)
class NameData:
    """Samples for the names' encoder by source: trained on, and kept out."""

    train: dict[str, list[Sample]]
    held_out: dict[str, list[Sample]]


class DataMissing(Exception):
    """A file that a recipe needs is not where it was looked for."""


def require(data: Path, *parts: str) -> Path:
    """The path of a needed file or folder; raises DataMissing where there is none."""
    found = data.joinpath(*parts)
    if not found.exists():
        raise DataMissing(f"missing data: {found} (see --data; the card names what is needed)")
    return found


def blocks(path: Path) -> Iterator[list[list[str]]]:
    """The sentences of a file of tab-separated columns, blank line between them, comments kept."""
    rows: list[list[str]] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                rows.append(line.rstrip("\n").split("\t"))
            elif rows:
                yield rows
                rows = []
    if rows:
        yield rows


def letters(text: str) -> str:
    """Its letters and digits alone, in small letters: by these, texts are told apart."""
    return "".join(c for c in text.lower() if c.isalnum())


Spacing = Callable[[list[str]], list[bool]]
"""Whether a space follows each word, guessed as a language is printed."""
_NO_SPACE_BEFORE = re.compile(r"[,.;:!?)\]%]|'s|'|n't|['’][a-z]{1,2}|n’t|[”’]|\.\.\.")
_NO_SPACE_AFTER = frozenset("([$£€#“‘")
_RANGE = frozenset("–/")  # close up between numbers


def detokenise(words: list[str]) -> list[bool]:
    """Whether a space follows each word, guessed as English is printed."""
    spaces = []
    in_quote = False
    for i, word in enumerate(words):
        before = words[i - 1] if i else ""
        follower = words[i + 1] if i + 1 < len(words) else ""
        if word == '"':
            in_quote = not in_quote
        glued = (
            not follower
            or _NO_SPACE_BEFORE.fullmatch(follower)
            or word in _NO_SPACE_AFTER
            or (in_quote and '"' in (word, follower))
            or "-" in (word, follower)
            or (i > 0 and follower in _RANGE and word[0].isdigit())
            or (i > 0 and word in _RANGE and before[-1].isalnum() and follower[0].isdigit())
        )
        spaces.append(not glued)
    return spaces


def closed_up(words: list[str], spaces: list[bool], spaced: frozenset[str]) -> list[bool]:
    """The same without the space behind an elided word ("l'", "dell'") that is not in `spaced`."""
    for i, word in enumerate(words[:-1]):
        elided = word[-1] in "'’" and len(word) > 1 and word[-2].isalpha()
        if elided and word.lower().replace("’", "'") not in spaced and words[i + 1][0].isalnum():
            spaces[i] = False
    return spaces


def from_words(words: list[str], spaces: list[bool], spans: Iterable[Span]) -> Sample:
    """A sample whose spans, given in words, are moved to characters of the joined text."""
    offsets, text = [], ""
    for word, space in zip(words, spaces, strict=True):
        offsets.append((len(text), len(text) + len(word)))
        text += word + (" " if space else "")
    named = tuple((offsets[a][0], offsets[b - 1][1], label) for a, b, label in spans)
    return Sample(text.rstrip(), named)


def wikineural(path: Path, spacing: Spacing = detokenise) -> Iterator[Sample]:
    """WikiNEuRal: index, word, tag; `spacing` restores the printed form of the text."""
    for rows in blocks(path):
        words = [row[1] for row in rows]
        yield from_words(words, spacing(words), names_of([row[-1] for row in rows]))


def wikineural_parts(data: Path, lang: str) -> list[Path]:
    """The files of a language's WikiNEuRal; raises DataMissing where one is not there."""
    folder = require(data, "ner", "wikineural")
    of_six = (folder / f"{lang}-val.conllu").exists()
    parts = ("val", "test-rest") if of_six else ("train", "train2")
    return [require(folder, f"{lang}-{part}.conllu") for part in parts]


def divided_wikineural(
    data: Path, lang: str, seed: int, spacing: Spacing = detokenise
) -> tuple[list[Sample], list[Sample]]:
    """WikiNEuRal as (training, held out); a tenth is held out, by blocks of 50 sentences."""
    parts = wikineural_parts(data, lang)
    return held_out([s for part in parts for s in wikineural(part, spacing)], 0.1, seed)


def uner(path: Path) -> Iterator[Sample]:
    """Universal NER: the text stands in a comment, the words below it."""
    for rows in blocks(path):
        text = next((row[0][9:] for row in rows if row[0].startswith("# text = ")), None)
        if text is None:
            raise ValueError(f"{path}: a sentence has no comment '# text = '; it begins {rows[0]}")
        body = [row for row in rows if not row[0].startswith("#")]
        offsets, at = [], 0
        for row in body:
            at = text.index(row[1], at)
            offsets.append((at, at + len(row[1])))
            at += len(row[1])
        tags = [row[2] if re.fullmatch(r"[BI]-[A-Z]+", row[2]) else "O" for row in body]
        named = tuple((offsets[a][0], offsets[b - 1][1], label) for a, b, label in names_of(tags))
        yield Sample(text, named)


def gap(path: Path) -> Iterator[Sample]:
    """GAP: the two candidates are persons, other capitalised words are left unknown."""
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["Text"]
            spans = []
            for side in "AB":
                start = int(row[f"{side}-offset"])
                spans.append((start, start + len(row[side]), "PER"))
            taken = sorted(set(spans))
            unknown = tuple(
                (m.start(), m.end())
                for m in re.finditer(r"[^\W\d_a-z][\w'’.-]*", text)
                if not any(a < m.end() and m.start() < b for a, b, _ in taken)
            )
            yield Sample(text, tuple(taken), unknown, starts=())


def unsure_of_capitals(sample: Sample) -> Sample:
    """For a corpus without MISC: unlabelled capitalised words inside a sentence become unknown."""
    unknown = tuple(
        (m.start(), m.end())
        for m in re.finditer(r"[^\W\d_a-z][\w'’.-]+", sample.text)
        if m.start() > 1 and not any(a < m.end() and m.start() < b for a, b, _ in sample.spans)
    )
    return replace(sample, unknown=unknown, starts=())


def held_out(samples: list[Sample], share: float, seed: int) -> tuple[list[Sample], list[Sample]]:
    """Splits into (training, held out) by blocks of 50 sentences drawn with the seed."""
    size = 50
    cut = [samples[i : i + size] for i in range(0, len(samples), size)]
    drawn = set(random.Random(seed).sample(range(len(cut)), round(len(cut) * share)))
    kept_texts = {s.text for i in drawn for s in cut[i]}
    training = [s for i, b in enumerate(cut) if i not in drawn for s in b]
    kept = [s for i in sorted(drawn) for s in cut[i]]
    return [s for s in training if s.text not in kept_texts], kept


def join(samples: list[Sample]) -> Sample:
    """Several samples as one text, a space between them."""
    text, spans, unknown, starts = "", [], [], []
    for sample in samples:
        at = len(text) + 1 if text else 0
        text = f"{text} {sample.text}" if text else sample.text
        spans += [(a + at, b + at, label) for a, b, label in sample.spans]
        unknown += [(a + at, b + at) for a, b in sample.unknown]
        starts += [a + at for a in sample.starts]
    known = tuple(starts) if all(s.starts for s in samples) else ()
    return replace(samples[0], text=text, spans=tuple(spans), unknown=tuple(unknown), starts=known)


def joined(samples: Sequence[Sample], rng: random.Random, most: int) -> list[Sample]:
    """The samples joined in runs of one to `most`, so that texts of many sentences are seen too."""
    runs, at = [], 0
    while at < len(samples):
        size = rng.randint(1, most)
        runs.append(join(list(samples[at : at + size])))
        at += size
    return runs


def marked(path: Path) -> Iterator[Sample]:
    """Lines of text with names marked [name|LABEL]; a line that begins with # is a comment."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        text, spans, at = "", [], 0
        for mark in re.finditer(r"\[([^|\]]+)\|([A-Z]+)\]", line):
            text += line[at : mark.start()]
            spans.append((len(text), len(text) + len(mark[1]), mark[2]))
            text += mark[1]
            at = mark.end()
        text += line[at:]
        if "[" in text or "|" in text:
            raise ValueError(f"{path}, line {number}: a mark is not of the form [name|LABEL]")
        yield Sample(text, tuple(spans))
