"""`python -m benchmarks.persons`: what `predict` finds of persons by rules, in eight languages.

Reads the texts of readings/predict, with names as [Ann/a], pronouns as {she/a}; with --gold a
folder of brat's or of CoNLL files instead. A name is found if a mention overlaps it, a pronoun if a
cluster of two or more mentions has it. A cluster stands for the person of most of its mentions,
names first; a pronoun is right if it is of this person. Pronouns `of-rules` tell the gender.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.chains import cluster_of
from corefmill.builders.persons import reference_words
from corefmill.cli.person_rules import PersonPredictor
from corefmill.coref_model import load
from corefmill.coref_model.prediction.resolved import lay_out_text
from corefmill.corpora import plain
from corefmill.corpora.card_parts import columns
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Span
from corefmill.corpora.scoring.alignment import align
from corefmill.corpora.scoring.metrics import CONLL, METRICS, Row, ratios

TEXTS = Path(__file__).parent / "readings" / "predict"
_MARKED = re.compile(r"[\[{]([^\[\]{}/]+)/(\w)[\]}]")


class Gold(NamedTuple):
    """A text, with the person of each name and of each pronoun by its place."""

    text: str
    names: dict[Span, str]
    pronouns: dict[Span, str]
    mentions: dict[Span, str]


def read_marked(path: Path) -> Iterator[Gold]:
    """Read the marked texts of a file, a line each."""
    for line in path.read_text("utf-8").splitlines():
        gold, done = Gold("", {}, {}, {}), 0
        marked = line.partition(": ")[2]
        text = ""
        for match in _MARKED.finditer(marked):
            text += marked[done : match.start()]
            found = gold.pronouns if match.group()[0] == "{" else gold.names
            found[len(text), len(text) + len(match[1])] = match[2]
            text += match[1]
            done = match.end()
        yield gold._replace(text=text + marked[done:], mentions=gold.names | gold.pronouns)


def read_brat(path: Path, lang: str) -> Gold:
    """Read the persons of a text in brat's form."""
    text = path.with_suffix(".txt").read_text("utf-8")
    gold = Gold(text, {}, {}, {})
    cluster: dict[str, set[str]] = {}
    spans: dict[str, Span] = {}
    for row in (line.split("\t") for line in path.read_text("utf-8").splitlines()):
        if row[0][0] == "T" and row[1].startswith("PER ") and ";" not in row[1]:
            spans[row[0]] = (int(row[1].split()[1]), int(row[1].split()[2]))
            cluster.setdefault(row[0], {row[0]})
        elif row[0][0] == "R":
            one, other = (part.partition(":")[2] for part in row[1].split()[1:3])
            joined = cluster.setdefault(one, {one}) | cluster.setdefault(other, {other})
            cluster |= dict.fromkeys(joined, joined)
    for key, (start, end) in spans.items():
        gold.mentions[start, start + len(text[start:end].rstrip())] = min(cluster[key])
    return sort_mentions(gold, lang)


def read_conll(path: Path, lang: str) -> Gold:
    """Read the mentions of a CoNLL file, of all kinds."""
    ((_, document),) = conll2012.read(path, lang)
    text, offsets = lay_out_text(document)
    gold = Gold(text, {}, {}, {})
    for number, cluster in enumerate(document.clusters):
        for one in cluster:
            spans = offsets[one.sentence]
            gold.mentions[spans[one.start][0], spans[one.end - 1][1]] = str(number)
    return sort_mentions(gold, lang)


def sort_mentions(gold: Gold, lang: str) -> Gold:
    """Sort out the pronouns, by the table, and the names, by their capitals."""
    words, forms = reference_words.load(lang), {gold.text[slice(*one)] for one in gold.mentions}
    for span, of in gold.mentions.items():
        form = gold.text[slice(*span)]
        if words.gender_of(form):
            gold.pronouns[span] = of
        elif all(word[0].isupper() for word in form.split()) and form.lower() not in forms:
            gold.names[span] = of
    return gold


def count(gold: Gold, clusters: Sequence[Sequence[Span]], lang: str, counts: Counter[str]) -> None:
    """Count the names and pronouns found, and those that are right."""
    words = reference_words.load(lang)
    for cluster in clusters:
        persons: Counter[str] = Counter()
        own: list[str | None] = []
        for start, end in cluster:
            near = [of for (s, e), of in gold.names.items() if s < end and start < e]
            persons.update(dict.fromkeys(near[:1], 100))
            pronoun = gold.pronouns.get((start, end))
            persons.update([pronoun] if pronoun else [])
            tells = words.gender_of(gold.text[start:end])
            if near:
                counts["names right"] += 1
            elif not tells and not pronoun:
                counts["names wrong"] += 1
            elif len(cluster) > 1:
                own.append(pronoun)
        best = max(persons, key=lambda of: persons[of], default=None)
        for pronoun in own:
            counts["pronouns made"] += 1
            counts["pronouns found"] += pronoun is not None
            counts["right"] += pronoun is not None and pronoun == best
    mentions = [one for cluster in clusters for one in cluster]
    for start, end in gold.names:
        counts["names"] += 1
        counts["names found"] += any(s < end and start < e for s, e in mentions)
    counts["pronouns"] += len(gold.pronouns)
    counts["of rules"] += sum(bool(words.gender_of(gold.text[slice(*s)])) for s in gold.pronouns)


HEAD = [
    "lang",
    "by",
    "names",
    "found%",
    "persons%",
    "pronouns",
    "of-rules",
    "found%",
    "right%",
    "CoNLL",
    "words/s",
]


def main() -> None:
    """Print the table, and of each evidence for a link how often it was right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gold", type=Path, help="a folder of brat's or of CoNLL files")
    parser.add_argument("--lang", default="fr", help="of --gold")
    parser.add_argument("--half", type=int, choices=(0, 1), help="of --gold, by place")
    given = parser.parse_args()
    sets = {path.stem: list(read_marked(path)) for path in sorted(TEXTS.glob("*.txt"))}
    if given.gold:
        paths = sorted([*given.gold.glob("*.ann"), *given.gold.glob("*.conll")])
        paths = paths[given.half or 0 :: 1 if given.half is None else 2]
        readers = {".ann": read_brat, ".conll": read_conll}
        sets = {given.lang: [readers[path.suffix](path, given.lang) for path in paths]}
    rows: list[list[str]] = []
    links = defaultdict[str, Counter[bool]](Counter)
    for lang, golds in sets.items():
        models: dict[str, Any] = {"rules": PersonPredictor(lang)}
        models |= {"en_coref": load()} if lang == "en" and not given.gold else {}
        for name, model in models.items():
            counts, scores = Counter[str](), defaultdict[str, list[Row]](list)
            next(model.records([plain.read_text("Ann.", lang)]))  # loads what is loaded late
            began = time.process_time()
            read = [plain.read_text(gold.text, lang) for gold in golds]
            made = list(model.records(read))
            seconds = time.process_time() - began
            for gold, one in zip(golds, made, strict=True):
                found = [[one.locate(mention) for mention in cluster] for cluster in one.clusters]
                count(gold, found, lang, counts)
                key = defaultdict[str, list[Span]](list)
                for span, of in gold.mentions.items():
                    key[of].append(span)
                for metric in CONLL:
                    scores[metric].append(METRICS[metric].count(align([*key.values()], found)))
            tells = reference_words.load(lang).gender_of
            for gold, one in zip(golds, read, strict=True) if name == "rules" else ():
                for cluster in model.find_links(one):
                    places = [one.locate(mention) for mention, _ in cluster]
                    persons = [
                        cluster_of(place, not tells(gold.text[slice(*place)]), gold.mentions)
                        for place in places
                    ]
                    for before, here, (_, why) in zip(
                        persons, persons[1:], cluster[1:], strict=False
                    ):
                        links[why][before is not None and before == here] += 1
            n = counts
            n["made"] = n["names right"] + n["names wrong"]
            pairs = [("names found", "names"), ("names right", "made")]
            pairs += [("pronouns found", "pronouns"), ("right", "pronouns made")]
            shares = [f"{100 * n[top] / max(1, n[bottom]):.0f}" for top, bottom in pairs]
            f1 = [ratios([sum(c) for c in zip(*row, strict=True)])[2] for row in scores.values()]
            cells = [lang, name, n["names"], *shares[:2], n["pronouns"], n["of rules"], *shares[2:]]
            speed = sum(len(gold.text.split()) for gold in golds) / seconds
            rows.append([*map(str, cells), f"{100 * sum(f1) / 3:.1f}", f"{speed:,.0f}"])
    print("\n".join(columns(HEAD, rows, numbers=9)))
    for why, c in sorted(links.items(), key=lambda one: -one[1].total()):
        print(f"{why:24} {c.total():5} {c[True]:5} {(c[True] + 1) / (c.total() + 2):.2f}")


if __name__ == "__main__":
    main()
