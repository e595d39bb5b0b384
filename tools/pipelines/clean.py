"""Repairs of silver name labels: titles cut, commonplace words and outvoted labels undone."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corefmill.corpora.files import disk
from tools.pipelines.sources import Sample, Span

_WORD = re.compile(r"[^\W\d_][\w'’.-]*")


@dataclass(frozen=True)
class Words:
    """The word tables of a language, read from the TOML file beside the code."""

    titles: frozenset[str]
    name_like_titles: frozenset[str]
    never_names: frozenset[str]
    human_verbs: frozenset[str] = frozenset()
    speech_verbs: frozenset[str] = frozenset()
    place_prepositions: frozenset[str] = frozenset()
    place_heads: frozenset[str] = frozenset()
    loose_titles: frozenset[str] = frozenset()
    personal_pronouns: frozenset[str] = frozenset()
    other_pronouns: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    linkers: frozenset[str] = frozenset()
    short_forms: frozenset[str] = frozenset()


def word_tables(lang: str) -> Words:
    """The tables of `lang`; a table that is missing or unknown raises TypeError."""
    table = disk.read_package_table(__file__, lang)
    return Words(**{key: frozenset(value) for key, value in table.items()})


def trim(text: str, span: Span, words: Words) -> Span | None:
    """A person's span without titles and possessive; None where nothing is left."""
    start, end, label = span
    while match := re.match(r"\S+\s+", text[start:end]):
        word = match.group().strip()
        name_like = word in words.name_like_titles and len(text[start:end].split()) < 3
        if word not in words.titles or name_like:
            break
        start += match.end()
    name = re.sub(r"['’]s?$", "", text[start:end])
    end = start + len(name)
    if not name or (name in words.titles and name not in words.name_like_titles):
        return None
    return start, end, label


def commonplace(samples: Iterable[Sample]) -> dict[str, float]:
    """Per word, how often it is in lower case, of its occurrences off a sentence's start."""
    low: Counter[str] = Counter()
    high: Counter[str] = Counter()
    for sample in samples:
        for match in _WORD.finditer(sample.text):
            word = match.group().rstrip(".")
            if word[0].islower():
                low[word] += 1
            elif match.start() not in sample.starts and match.start() > 2:
                high[word.lower()] += 1
    return {word: n / (n + high[word]) for word, n in low.items() if n > 2}


def repair(samples: Sequence[Sample], words: Words) -> list[Sample]:
    """Silver samples with the noise that their own statistics show taken out."""
    common = commonplace(samples)
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for start, end, label in sample.spans:
            votes[sample.text[start:end]][label] += 1
    repaired = []
    for sample in samples:
        spans: list[Span] = []
        for start, end, label in sample.spans:
            surface = sample.text[start:end]
            if not any(c.isupper() for c in surface):
                continue
            if start <= 1 and common.get(surface.lower(), 0) > 0.8:
                continue
            tally = votes[surface]
            best, n = tally.most_common(1)[0]
            if best != label and n >= 6 and n / tally.total() >= 0.9:
                label = best
            span: Span | None = (start, end, label)
            if label == "PER":
                span = trim(sample.text, (start, end, label), words)
            if span is not None:
                spans.append(span)
        repaired.append(replace(sample, spans=tuple(spans)))
    return complete(repaired, common)


def complete(samples: Sequence[Sample], common: dict[str, float]) -> list[Sample]:
    """Full names labelled as persons elsewhere are labelled where they were passed over."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for start, end, label in sample.spans:
            votes[sample.text[start:end]][label] += 1
    known = {
        surface
        for surface, tally in votes.items()
        if " " in surface and tally["PER"] >= 2 and tally["PER"] == tally.total()
    }
    firsts = {surface.split()[0] for surface in known}
    completed = []
    for sample in samples:
        spans = list(sample.spans)
        for match in re.finditer(r"[^\W\d_]\S+", sample.text):
            if match.group() not in firsts:
                continue
            for surface in _runs(sample.text, match.start()):
                end = match.start() + len(surface)
                clash = any(a < end and match.start() < b for a, b, _ in spans)
                if surface in known and not clash:
                    spans.append((match.start(), end, "PER"))
        completed.append(replace(sample, spans=tuple(sorted(spans))))
    return completed


def _runs(text: str, start: int) -> list[str]:
    """The runs of two to four words that begin at `start`, longest first, final marks cut."""
    words = text[start : start + 80].split(" ")[:4]
    return [" ".join(words[:n]).rstrip(".,;:!?)\"'") for n in range(len(words), 1, -1)]
