"""`python -m benchmarks.chains LITBANK`: how many links of `build chains` are right in novels.

LITBANK has `conll/` and `original/` of LitBank. Of each novel the first characters are read as the
builder reads them; its mentions in the annotated opening are held against the gold ones. A link, of
two mentions that follow one another in a chain of ours, is right if both are mentions of one gold
cluster. A pronoun is a gold mention of the same characters; a name that has no such one is the
shortest gold mention around it, as gold mentions take in what belongs to a name. Novels at even
places in the list of names are those on which rules and confidences were made.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scipy.stats import binomtest

from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.stages import (
    EVIDENCE,
    ReadArticle,
    analyse_paragraphs,
    link_articles,
    make_documents,
)
from corefmill.builders.nlp import choose_pipeline, load_pipeline
from corefmill.builders.persons import reference_words, table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context, Stage
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.corpora.card_parts import columns
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Span

C = TypeVar("C", int, str)

LONGEST_GAP = 60
"""Characters of the novel in which the next gold token is looked for."""


class Links(NamedTuple):
    """The links of some novels by their evidence, in all and right, and what was read for them."""

    made: Counter[str]
    right: Counter[str]
    counted: Counter[str]


def squeezed(text: str) -> str:
    """The text without blanks."""
    return "".join(text.split())


def gold(path: Path, text: str) -> tuple[dict[Span, int], int]:
    """The clusters of the gold mentions by their place in the novel's characters without blanks,
    and where the annotated opening ends there."""
    found: dict[Span, int] = {}
    position = 0
    for _, document in conll2012.read(path, "en"):
        places: list[list[Span]] = []
        for sentence in document.sentences:
            row: list[Span] = []
            for token in sentence.tokens:
                start = text.find(token.form, position, position + LONGEST_GAP)
                if start >= 0:
                    position = start + len(token.form)
                row.append((position if start < 0 else start, position))
            places.append(row)
        for number, cluster in enumerate(document.clusters):
            for one in cluster:
                row = places[one.sentence]
                found[row[one.start][0], row[one.end - 1][1]] = number
    return found, position


def cluster_of(span: Span, is_name: bool, found: Mapping[Span, C]) -> C | None:
    """The gold cluster of a mention, None where it is no gold mention."""
    if span in found or not is_name:
        return found.get(span)
    around = [one for one in found if one[0] <= span[0] and span[1] <= one[1]]
    return found[min(around, key=lambda one: one[1] - one[0])] if around else None


def mentions(document: Document, begins: int) -> Iterator[list[tuple[Span, bool]]]:
    """The mentions of each chain by their places without blanks, and whether each is a name."""
    offsets: list[list[Span]] = []
    for sentence in document.sentences:
        row: list[Span] = []
        for token in sentence.tokens:
            row.append((begins, begins + len(squeezed(token.form))))
            begins = row[-1][1]
        offsets.append(row)
    words = reference_words.load("en")
    for cluster in document.clusters:
        made = []
        for one in cluster:
            form = document.sentences[one.sentence].tokens[one.start].form.lower()
            pronoun = words.gender_of(form) or words.gender_of_reflexive(form)
            row = offsets[one.sentence]
            made.append(((row[one.start][0], row[one.end - 1][1]), pronoun is None))
        yield made


def count(document: Document, text: str, found: Mapping[Span, int], end: int, links: Links) -> None:
    """Counts the links of a document as far as it stands in the annotated opening."""
    begins = len(squeezed(text[: document.meta["source"]["start"]]))
    if begins >= end:
        return
    evidence = {(chain, place): name for chain, place, name, _ in document.meta["chains"]["links"]}
    for chain, places in enumerate(mentions(document, begins)):
        clusters = [cluster_of(span, is_name, found) for span, is_name in places]
        for place in range(1, len(places)):
            if places[place][0][1] > end:
                break
            name = evidence[chain, place]
            links.made[name] += 1
            same = clusters[place] is not None and clusters[place] == clusters[place - 1]
            links.right[name] += same


def read(path: Path, stages: Sequence[Stage], context: Context) -> list[ReadArticle]:
    """The novel's article, resolved."""
    found: list[ReadArticle] = []
    for unit in TextSource([str(path)]).units(()):
        records: Iterator[Any] = read_text(iter([unit.payload]), context)
        for stage in stages:
            records = stage(records, context)
        found += records
    return found


def rows(links: Links) -> Iterator[list[str]]:
    """Links, their share right and its 95 % Wilson interval, by evidence and in all."""
    groups = {
        **{name: [name] for name in EVIDENCE},
        "names": [name for name in EVIDENCE if "sentence" not in name],
        "pronouns": [name for name in EVIDENCE if "sentence" in name],
        "all": [*EVIDENCE],
    }
    for name, own in groups.items():
        made, right = (sum(counted[one] for one in own) for counted in (links.made, links.right))
        if made:
            low, high = binomtest(right, made).proportion_ci(method="wilson")
            share = f"{100 * right / made:.1f} ({100 * low:.1f}-{100 * high:.1f})"
            yield [name, f"{made:,}", f"{right:,}", share]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("litbank", type=Path)
    parser.add_argument("--characters", type=int, default=60_000, help="read of each novel")
    parser.add_argument("--every", type=int, default=1, help="of each half one novel in so many")
    parser.add_argument("--work", type=Path, required=True, help="a folder for the novels' heads")
    given = parser.parse_args()
    pipeline = load_pipeline(choose_pipeline("en"), "en")
    genders = Genders("en", table.load("en"))
    # Links of any confidence are counted, so all that any could be in is parsed.
    any_link = ChainsOptions(nlp=pipeline.name, min_confidence=0.0)
    stages: list[Stage] = [
        partial(analyse_paragraphs, pipeline),
        partial(link_articles, any_link, pipeline, genders, reference_words.load("en")),
    ]
    confidences = (0.0, ChainsOptions().min_confidence)
    kinds = [(half, least) for half in (0, 1) for least in confidences]
    results = {kind: Links(Counter(), Counter(), Counter()) for kind in kinds}
    given.work.mkdir(parents=True, exist_ok=True)
    words, began = 0, time.process_time()
    for place, path in enumerate(sorted((given.litbank / "conll").glob("*.conll"))):
        if place // 2 % given.every:
            continue
        stem = path.stem.removesuffix("_brat")
        whole = (given.litbank / "original" / f"{stem}.txt").read_text("utf-8")
        text = whole[: given.characters]
        head = given.work / f"{stem}.txt"
        head.write_text(text, encoding="utf-8", newline="")
        found, end = gold(path, squeezed(text))
        context = Context(0, 0)
        articles = read(head, stages, context)
        words += context.counts["words"]
        for least in confidences:
            links = results[place % 2, least]
            options = ChainsOptions(nlp=pipeline.name, min_confidence=least)
            made_in = Context(0, 0)
            for out in make_documents(options, iter(articles), made_in):
                links.counted["documents"] += 1
                links.counted["tokens"] += sum(len(s["tokens"]) for s in out.record["sentences"])
                made = jsonl.loads(json.dumps(out.record), Document)
                count(made, text, found, end, links)
    seconds = time.process_time() - began
    print(f"{pipeline.version}; {words:,} words, {words / seconds:,.0f} a second of the processor")
    for (half, least), links in results.items():
        said = ", ".join(f"{n:,} {what}" for what, n in links.counted.items())
        print(f"\n{'odd' if half else 'even'} places, --min-confidence {least:g}: {said}\n")
        print("\n".join(columns(("evidence", "links", "right", "%"), [*rows(links)], numbers=3)))


if __name__ == "__main__":
    main()
