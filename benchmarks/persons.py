"""`python -m benchmarks.persons`: what `predict` finds of persons by rules, in eight languages.

Reads the texts of readings/predict, with names as [Ann/a], pronouns as {she/a}; with --brat a folder
of brat's files instead. A name is found if a mention overlaps it, a pronoun if a mention of two or
more in a cluster is the same. A cluster stands for the person of most of its mentions, names first; a
pronoun is right if it is of this person. Pronouns "of the rules" are those that tell the gender.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corefmill.builders.persons import reference_words
from corefmill.coref_model import load
from corefmill.coref_model.prediction.resolved import lay_out_text
from corefmill.corpora import plain
from corefmill.corpora.card_parts import columns
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Span
from corefmill.person_rules import PersonPredictor

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
    """Read the persons of a text in brat's form: pronouns by the table, names by a capital."""
    text = path.with_suffix(".txt").read_text("utf-8")
    words, gold = reference_words.load(lang), Gold(text, {}, {}, {})
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
    """Sort out the pronouns, by the table, and the names, by capitals that stay within sentences."""
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
        own: list[tuple[Span, str | None]] = []
        for start, end in cluster:
            near = [of for (s, e), of in gold.names.items() if s < end and start < e]
            persons.update({of: 100 for of in near[:1]})
            pronoun = gold.pronouns.get((start, end))
            persons.update([pronoun] if pronoun else [])
            tells = words.gender_of(gold.text[start:end])
            if near:
                counts["names right"] += 1
            elif not tells and not pronoun:
                counts["names wrong"] += 1
            elif len(cluster) > 1:
                own.append(((start, end), pronoun))
        best = max(persons, key=lambda of: persons[of], default=None)
        for span, pronoun in own:
            counts["pronouns made"] += 1
            counts["pronouns found"] += pronoun is not None
            counts["right"] += pronoun is not None and pronoun == best
    mentions = [one for cluster in clusters for one in cluster]
    for start, end in gold.names:
        counts["names"] += 1
        counts["names found"] += any(s < end and start < e for s, e in mentions)
    counts["pronouns"] += len(gold.pronouns)
    counts["of rules"] += sum(bool(words.gender_of(gold.text[slice(*s)])) for s in gold.pronouns)


def find_person(place: Span, gold: Gold, lang: str) -> str | None:
    """Find the person of a mention; a name without one is of the shortest mention around it."""
    if place in gold.mentions or reference_words.load(lang).gender_of(gold.text[slice(*place)]):
        return gold.mentions.get(place)
    around = [one for one in gold.mentions if one[0] <= place[0] and place[1] <= one[1]]
    return gold.mentions[min(around, key=lambda one: one[1] - one[0])] if around else None


def main() -> None:
    """Print the table, and for --brat the evidence of the links and how many are right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--brat", type=Path)
    parser.add_argument("--lang", default="fr", help="of --brat")
    parser.add_argument("--half", type=int, choices=(0, 1), help="of --brat, by place")
    given = parser.parse_args()
    if given.brat:
        paths = (
            sorted(given.brat.glob("*.ann"))
            or sorted(given.brat.glob("*.conll"))[given.half or 0 :: 1 if given.half is None else 2]
        )
        sets = {
            given.lang: [
                (read_brat if path.suffix == ".ann" else read_conll)(path, given.lang)
                for path in paths
            ]
        }
    else:
        sets = {path.stem: list(read_marked(path)) for path in sorted(TEXTS.glob("*.txt"))}
    rows, links = [], defaultdict[str, Counter[bool]](Counter)
    for lang, golds in sets.items():
        rules = PersonPredictor(lang)
        for name, model in (
            {"rules": rules, "en_coref": load()}
            if lang == "en" and not given.brat
            else {"rules": rules}
        ).items():
            counts, began = Counter[str](), time.process_time()
            for gold in golds:
                read = plain.read_text(gold.text, lang)
                (made,) = model.records([read])
                assert isinstance(made, Document)
                count(gold, [[made.locate(one) for one in c] for c in made.clusters], lang, counts)
                for cluster in rules.find_links(read) if name == "rules" else ():
                    places = [read.locate(one) for one, _ in cluster]
                    of = [find_person(place, gold, lang) for place in places]
                    for (before, here), (_, why) in zip(zip(of, of[1:]), cluster[1:]):
                        links[why][before is not None and before == here] += 1
            seconds = time.process_time() - began
            share = lambda a, b: f"{100 * counts[a] / max(1, counts[b]):.0f}"
            counts["names made"] = counts["names right"] + counts["names wrong"]
            rows.append(
                [
                    lang,
                    name,
                    str(counts["names"]),
                    share("names found", "names"),
                    share("names right", "names made"),
                    str(counts["pronouns"]),
                    str(counts["of rules"]),
                    share("pronouns found", "pronouns"),
                    share("pronouns found", "of rules"),
                    share("right", "pronouns made"),
                    f"{sum(len(g.text.split()) for g in golds) / seconds:,.0f}",
                ]
            )
    head = (
        "lang",
        "by",
        "names",
        "found %",
        "persons %",
        "pronouns",
        "of rules",
        "found %",
        "of rules %",
        "right %",
        "words/s",
    )
    print("\n".join(columns(head, rows, numbers=9)))
    for why, c in sorted(links.items(), key=lambda one: -sum(one[1].values())):
        print(
            f"{why:24} {sum(c.values()):5} {c[True]:5} {(c[True] + 1) / (sum(c.values()) + 2):.2f}"
        )


if __name__ == "__main__":
    main()
