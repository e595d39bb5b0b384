"""Augmentation that lets the context decide: names are swapped for other names."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tools.pipelines.sources import NameData, Sample, Span, joined


@dataclass(frozen=True)
class Names:
    """Parts of persons' names and whole names of places and bodies, from the training data."""

    given: tuple[str, ...]
    family: tuple[str, ...]
    others: dict[str, tuple[str, ...]]  # label -> surfaces


@dataclass(frozen=True)
class Mix:
    """What an epoch draws of the samples, by source; what is not listed gets `others`."""

    shares: Mapping[str, float]  # of the source's samples
    others: float
    swapped: Mapping[str, float]  # of the names that are swapped
    others_swapped: float
    single: float  # how often a person is swapped for one of a single word
    joined: Mapping[str, int]  # samples that make one document at most, else 1
    places: float = 0.5  # how often places and bodies of one word are swapped, by persons' share
    linked: bool = False  # whether a person keeps its words in small letters ("de", "van der")


def gather(samples: Iterable[Sample]) -> Names:
    """The names that occur in the samples: first and last words of persons, others whole."""
    given, family = set[str](), set[str]()
    others: dict[str, set[str]] = {"LOC": set(), "ORG": set()}
    for sample in samples:
        for start, end, label in sample.spans:
            surface = sample.text[start:end]
            words = surface.split()
            if label == "PER" and len(words) == 2 and all(_plain(w) for w in words):
                given.add(words[0])
                family.add(words[1])
            elif label in others and len(words) == 1 and _plain(surface):
                others[label].add(surface)
    elsewhere = others["LOC"] | others["ORG"]
    return Names(
        tuple(sorted(given - elsewhere)),
        tuple(sorted(family - elsewhere)),
        {label: tuple(sorted(surfaces - given - family)) for label, surfaces in others.items()},
    )


def _plain(word: str) -> bool:
    letters = word.replace("-", "")
    return len(word) > 2 and word[0].isupper() and letters.isalpha() and not word.isupper()


def person(rng: random.Random, names: Names, words: int) -> str:
    """A new name: of one word a given name (or, one time in four, a family name)."""
    if words == 1:
        return rng.choice(names.family if rng.random() < 0.25 else names.given)
    return f"{rng.choice(names.given)} {rng.choice(names.family)}"


def _another(rng: random.Random, names: Names, surface: str, mix: Mix) -> str:
    """A person for the one of this name; `linked`: "Silas de Oliveira" gives "Ana de Melo"."""
    first, *rest = surface.split()
    if rng.random() < mix.single:
        return person(rng, names, 1)
    if not (mix.linked and rest):
        return person(rng, names, 1 + len(rest))
    new = [rng.choice(names.family) if word[0].isupper() else word for word in rest]
    return " ".join([rng.choice(names.given) if first[0].isupper() else first, *new])


def edit(sample: Sample, changes: Sequence[tuple[int, int, str]]) -> Sample:
    """The sample with passages of its text replaced; offsets follow, spans keep their labels."""
    text, at, shifts = "", 0, []
    for start, end, new in sorted(changes):
        text += sample.text[at:start] + new
        shifts.append((end, len(new) - (end - start)))
        at = end
    text += sample.text[at:]

    def moved(offset: int) -> int:
        return offset + sum(shift for end, shift in shifts if end <= offset)

    spans: tuple[Span, ...] = tuple((moved(a), moved(b), label) for a, b, label in sample.spans)
    unknown = tuple((moved(a), moved(b)) for a, b in sample.unknown)
    return Sample(text, spans, unknown, tuple(moved(a) for a in sample.starts))


def swap(sample: Sample, names: Names, rng: random.Random, share: float, mix: Mix) -> Sample:
    """A share of the names replaced, alike throughout, in the way that the mix says."""
    if not (sample.spans and names.given and names.family):
        return sample
    own = share * mix.places
    chosen: dict[str, str] = {}
    changes = []
    for start, end, label in sample.spans:
        surface = sample.text[start:end]
        count = len(surface.split())
        if surface not in chosen:
            chosen[surface] = surface
            draw = rng.random()
            counted = [w for w in surface.split() if w[0].isupper() or not mix.linked]
            if label == "PER" and draw < share and 1 <= len(counted) <= 3:
                chosen[surface] = _another(rng, names, surface, mix)
            elif label in names.others and draw < own and count == 1 and _plain(surface):
                chosen[surface] = rng.choice(names.others[label] or (surface,))
        if chosen[surface] != surface:
            changes.append((start, end, chosen[surface]))
    return edit(sample, changes) if changes else sample


def epoch(data: NameData, names: Names, mix: Mix, rng: random.Random) -> list[Sample]:
    """The samples of one epoch: a share of each source, names swapped, short samples joined."""
    samples: list[Sample] = []
    for source, part in data.train.items():
        drawn = rng.sample(part, round(len(part) * mix.shares.get(source, mix.others)))
        share = mix.swapped.get(source, mix.others_swapped)
        swapped = [swap(s, names, rng, share, mix) for s in drawn]
        samples += joined(swapped, rng, mix.joined.get(source, 1))
    return samples
