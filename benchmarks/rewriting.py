"""Problems rewritten and planted into texts: how many are found, and how many that are not there.

    python -m benchmarks.rewriting TEXT... --corpus dpr,winogrande --data-dir data --plant 400

Of the problems of the corpora `--plant` are drawn, rewritten by a seeded mutator (the names of the
candidates swapped for others or for each other, the tense changed, the sentence made two) and put
between paragraphs of the texts (.txt). Found is a planted one in a planted paragraph; a false alarm
is a problem, whichever, that is found in the texts themselves. Nothing of the search is used by the
mutator, whose verbs are its own. Printed: megabytes a minute of processor time, with cutting into
words and without; what was found, by kind of change and by corpus; and the false alarms.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corefmill.builders.overlap.rewritten import matches, wanted
from corefmill.builders.overlap.words import clean, forms
from corefmill.corpora import find
from corefmill.corpora.records import MaskedExample

NAMES = [
    "Alice",
    "Bertram",
    "Clara",
    "Desmond",
    "Edith",
    "Francis",
    "Greta",
    "Howard",
    "Ivy",
    "Jasper",
]
THINGS = ["the lawyer", "the gardener", "the parcel", "the lantern", "the visitor", "the captain"]
PAST = {
    "is": "was", "are": "were", "has": "had", "have": "had", "does": "did", "do": "did",
    "can": "could", "will": "would", "gets": "got", "goes": "went", "makes": "made",
    "takes": "took", "gives": "gave", "says": "said", "tells": "told", "knows": "knew",
    "thinks": "thought", "sees": "saw", "comes": "came", "keeps": "kept", "feels": "felt",
}  # fmt: skip
PRESENT = {past: present for present, past in PAST.items()} | {"were": "are", "had": "has"}
JOINS = re.compile(
    r"[,;]?\s+(?:because|although|though|since|so that|so|but|and|while|as|when|after|until)\s+"
    r"|[;,]\s+"
)
SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)]*\s+")


@dataclass(frozen=True, slots=True)
class Planted:
    """A problem and what became of it; `changes` are the acts that changed something."""

    example: MaskedExample
    text: str
    changes: tuple[str, ...]


def rewritten(example: MaskedExample, draw: random.Random) -> Planted:
    """The problem with names, tense and sentences changed, as far as it has them."""
    text = example.text
    start, end = example.target
    if not re.search(r"[^\W_]", text[start:end]):  # a mere blank
        text = text[:start] + example.candidates[0] + text[end:]
    acts = {"names": names_swapped, "tense": tense_changed, "split": sentence_split}
    changed = []
    for name, act in acts.items():
        made = act(text, example, draw)
        if made != text:
            text = made
            changed.append(name)
    return Planted(example, text, tuple(changed))


def names_swapped(text: str, example: MaskedExample, draw: random.Random) -> str:
    """The candidates become others, or one another."""
    own = list(example.candidates[:2])
    if draw.random() < 0.3:
        new = own[::-1]
    else:
        new = draw.sample(NAMES if own[0][:1].isupper() else THINGS, len(own))
    table = {old.casefold(): fresh for old, fresh in zip(own, new, strict=False)}
    pattern = "|".join(sorted(map(re.escape, own), key=len, reverse=True))
    return re.sub(
        rf"(?<!\w)(?:{pattern})(?!\w)", lambda m: table[m[0].casefold()], text, flags=re.I
    )


def tense_changed(text: str, _: MaskedExample, __: random.Random) -> str:
    """Past becomes present where there is any past, else present past."""
    words = re.split(r"(\W+)", text)
    is_past = any(word in PRESENT or _regular(word) for word in words)
    return "".join(_present(word) if is_past else PAST.get(word, word) for word in words)


def _regular(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed") and word.islower() and not word.endswith("eed")


def _present(word: str) -> str:
    if word in PRESENT:
        return PRESENT[word]
    if not _regular(word):
        return word
    if word.endswith("ied"):
        return f"{word[:-3]}ies"
    base = word[:-2]
    if base[-1] == base[-2] and base[-1] not in "lsz":
        return f"{base[:-1]}s"  # "stopped", "stops"
    if re.search(r"(?:[aeiou][sz]|[cgv]|[^aeiou]l|[^aeiou][aeiou](?:t|k|m|n|r|d|p))$", base):
        return f"{base}es"  # "loved", "loves"; at times a word that is none, as in "visites"
    return f"{base}es" if re.search(r"(?:s|x|ch|sh|z)$", base) else f"{base}s"


def sentence_split(text: str, _: MaskedExample, draw: random.Random) -> str:
    """A sentence ends where a clause does."""
    places = [match for match in JOINS.finditer(text) if match.start() > 8]
    places = [match for match in places if match.end() < len(text) - 8]
    if not places:
        return text
    at = draw.choice(places)
    rest = text[at.end() :]
    return f"{text[: at.start()]}. {rest[0].upper()}{rest[1:]}"


def paragraphs(path: Path) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
        if text := " ".join(block.split()):
            yield text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--corpus", default="dpr,winogrande,winobias,winogender")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--plant", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    items = [one for name in options.corpus.split(",") for one in problems(name, options.data_dir)]
    planted = [rewritten(one, draw) for one in draw.sample(items, options.plant)]
    files = [
        file
        for path in options.texts
        for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])
    ]
    texts = plant([list(paragraphs(file)) for file in files], planted, draw)
    report(options, items, planted, texts)


def problems(name: str, data_dir: Path) -> Iterator[MaskedExample]:
    corpus = find.found(name, data_dir=data_dir)
    for split in corpus.splits:
        for record in find.records(corpus, split):
            assert isinstance(record, MaskedExample)
            yield replace(record, id=f"{name} {split} {record.id}")


def plant(
    texts: Sequence[list[str]], planted: Sequence[Planted], draw: random.Random
) -> list[list[tuple[str, bool]]]:
    """The paragraphs of the texts, and each rewritten problem behind one that it was drawn to.

    With each stands whether it was planted.
    """
    made = [[(text, False) for text in own] for own in texts]
    for one in planted:
        own = draw.choice(made)
        own.insert(draw.randrange(len(own)), (one.text, True))
    return made


def report(
    options: argparse.Namespace,
    items: Sequence[MaskedExample],
    planted: Sequence[Planted],
    texts: Sequence[Sequence[tuple[str, bool]]],
) -> None:
    counts: Counter[str] = Counter()
    sentences = size = 0
    for text in texts:
        for paragraph, _ in text:
            size += len(paragraph.encode())
            for sentence in SENTENCE.split(paragraph):
                sentences += 1
                counts.update(set(forms(clean, sentence)))
    query = wanted(items, "en", counts.__getitem__, sentences)
    found: set[int] = set()
    false: dict[int, str] = {}
    began, spent = time.process_time(), 0.0
    for text in texts:
        words = [forms(clean, paragraph) for paragraph, _ in text]
        flat = [word for own in words for word in own]
        ends = np.cumsum([len(own) for own in words])
        before = time.process_time()
        hits = list(matches(query, flat, ends))
        spent += time.process_time() - before
        for number, _, first, last in hits:
            if text[int(np.searchsorted(ends, first, side="right"))][1]:
                found.add(number)
            else:
                false.setdefault(number, " ".join(flat[first : last + 1]))
    whole = time.process_time() - began
    print(f"{size / 1e6:.1f} MB, {sentences:,} sentences, {len(items):,} problems")
    print(f"MB a minute: {60e-6 * size / whole:.0f}, search alone {60e-6 * size / spent:.0f}")
    numbers = {id(one): number for number, one in enumerate(items)}
    by: dict[str, list[bool]] = defaultdict(list)
    for one in planted:
        right = numbers[id(one.example)] in found
        for name in (
            "all",
            f"changed: {' '.join(one.changes) or 'nothing'}",
            one.example.id.split()[0],
        ):
            by[name].append(right)
    for name, own in by.items():
        print(f"found, {name}: {sum(own)} of {len(own)} ({100 * sum(own) / len(own):.1f} %)")
    share = 100 * len(false) / len(items)
    print(f"false alarms: {len(false)} of {len(items):,} problems ({share:.3f} %)")
    for number, there in list(false.items())[:10]:
        print(f"  {items[number].id}: {items[number].text} | {there}")
    print(f"too short: {sum(map(query.too_short, range(len(items))))}")


if __name__ == "__main__":
    main()
