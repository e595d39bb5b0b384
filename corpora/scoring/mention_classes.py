"""Counts what a system makes of pronouns, names and nominals: mentions it finds, links it draws.

Scores over all mentions hide the rest behind pronouns, which are half of a novel's. Classes are
those of `score --by class` (see columns.py), by the tags of the key's words. Words without tags are
told by their form in English alone: a list of pronouns, and a capital of the last word for names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corefmill.corpora.scoring.columns import CLASSES
from corefmill.corpora.scoring.metrics import Measure, Row, ratios
from corefmill.corpora.scoring.table import ScoreTable

if TYPE_CHECKING:
    from corefmill.corpora.records import Document, Mention

_XPOS = {"PRP": "PRON", "WP": "PRON", "DT": "DET", "WDT": "DET", "NNP": "PROPN"}
"""Penn's tags, without `$` and the S of plurals."""
_PRONOUNS = frozenset(
    """i me my mine myself you your yours yourself yourselves he him his himself she her hers
    herself it its itself we us our ours ourselves they them their theirs themselves this that
    these those who whom whose which one oneself thou thee thy thine""".split()  # noqa: SIM905
)
FOUND, LINKED = "recall", "link accuracy"
NAMES = ("pronoun", "name", "nominal")


def measures() -> list[Measure]:
    """List the shares by class: `pronoun recall`, `pronoun link accuracy` and so on."""
    names = [f"{name} {kind}" for name in NAMES for kind in (FOUND, LINKED)]
    return [Measure(name, name, ratios) for name in names]


def with_classes(
    table: ScoreTable, key: Sequence[Document], response: Sequence[Document], *, singletons: bool
) -> ScoreTable:
    """Add the counts of `measures` to the table of these documents, but for classes that lack.

    Recall is of the key's mentions; with `singletons` false those of clusters of one do not count.
    Link accuracy is of the found mentions that have an antecedent in the key: the share whose
    nearest predicted antecedent is in the same cluster of the key.
    """
    pairs = zip(key, response, strict=True)
    rows = [_counts(*pair, singletons=singletons) for pair in pairs]
    added = [one for one in measures() if any(row[one.name][1] for row in rows)]
    counts = {one.name: [row[one.name] for row in rows] for one in added}
    return replace(table, measures=[*table.measures, *added], counts={**table.counts, **counts})


def _counts(key: Document, response: Document, *, singletons: bool) -> dict[str, Row]:
    """Of each measure what is right and what counts, twice: it is recall alone."""
    counts = {measure.name: [0, 0] for measure in measures()}
    home = {mention: number for number, own in enumerate(key.clusters) for mention in own}
    antecedents = {
        mention: before for own in response.clusters for before, mention in _in_order(own)
    }
    for cluster in key.clusters:
        if len(cluster) == 1 and not singletons:
            continue
        for before, mention in _in_order(cluster):
            name = class_of(key, mention)
            if name not in NAMES:
                continue
            found = mention in antecedents
            row = counts[f"{name} {FOUND}"]
            row[0] += found
            row[1] += 1
            if before is not None and found:
                near = antecedents[mention]
                row = counts[f"{name} {LINKED}"]
                row[0] += near is not None and home.get(near) == home[mention]
                row[1] += 1
    return {name: (right, n, right, n) for name, (right, n) in counts.items()}


def _in_order(cluster: Sequence[Mention]) -> Iterator[tuple[Mention | None, Mention]]:
    """Pair each mention, in the order of the text, with the one before it."""
    ordered = sorted(cluster, key=lambda one: (one.sentence, one.start, one.end))
    return zip([None, *ordered], ordered, strict=False)


def class_of(document: Document, mention: Mention) -> str:
    """Tell the class of a mention: zero, pronoun, name, nominal, or `-` where nothing says it.

    Its head is the first of its words whose own head lies outside, else the last word.
    """
    if mention.zero:
        return "zero"
    tokens = document.sentences[mention.sentence].tokens
    inside = range(mention.start, mention.end)
    heads = (
        place
        for place in inside
        if (above := tokens[place].head) is not None and above - 1 not in inside
    )
    last = mention.end - 1
    head = tokens[next(heads, last)]
    tag = head.upos or _XPOS.get((head.xpos or "").rstrip("$S"), head.xpos and "NOUN")
    if tag:
        return CLASSES.get(tag, "nominal")
    if document.lang != "en":
        return "-"
    if len(inside) == 1 and head.form.lower() in _PRONOUNS:
        return "pronoun"
    # A capital where a sentence begins says nothing.
    return "name" if head.form[:1].isupper() and (last or len(inside) > 1) else "nominal"
