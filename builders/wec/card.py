"""The data card of an event corpus: README.md, with the paper's tables 1, 7 and 8 made for it."""

from __future__ import annotations

from collections.abc import Mapping

from corefmill.builders.corpus.card import most_first
from corefmill.builders.wec.across.same_event import JOINED, WITH_ITEM
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES
from corefmill.builders.wec.forms import FILES
from corefmill.builders.wec.splits import DrawnSplit
from corefmill.builders.wec.survey import LEXICAL, TABLE_1, EventSurvey, SplitCounts
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.records import EventMention

_AROUND = 160
"""Characters shown on each side of a sample's mention."""


def sections(
    survey: EventSurvey,
    *,
    read: Mapping[str, int],
    events: Mapping[str, int],
    languages: Mapping[str, Mapping[str, int]],
    rejects: Mapping[str, Mapping[str, int]],
    drawn: Mapping[str, DrawnSplit],
) -> list[str]:
    """The card's lines between its facts and its limits.

    `read` is what was counted, `events` are all event articles of the dumps by type, `languages`
    has what the first pass counted in each, `drawn` are the splits before they were separated.
    """
    lines = ["", "## Size (the paper's table 1)", "", *_sizes(survey)]
    lines += [
        "",
        "Ambiguity: mean number of clusters in which the lemma of a head occurs. Diversity: mean"
        " number of such lemmas in a cluster of two mentions or more. Same string: mean number of"
        " mentions that share their words within a cluster.",
    ]
    if any(JOINED in counts for counts in languages.values()):
        lines += ["", "## Languages", "", *_languages(survey, languages)]
    lines += ["", "## What separating the splits cost", "", *_apart(drawn)]
    lines += ["", "## Event types (table 7)", "", *_types(survey, events)]
    lines += ["", "## Heads (table 8)", "", *_heads(survey)]
    lines += ["", "## What was read", "", *table(("", "number"), read.items())]
    lines += ["", "## What was left out"]
    for stage, counted in rejects.items():
        if counted:
            lines += ["", *table((f"{stage}: reason", "number"), most_first(counted))]
    lines += ["", "## Files", "", *table(("", ""), FILES.items())]
    lines += ["", f"## {len(survey.samples)} clusters drawn at random"]
    for mentions in survey.samples:
        first = mentions[0]
        lines += ["", f"**{plain(first.cluster_title)}** ({first.event_type}, {first.infobox})", ""]
        several = len(languages) > 1
        lines += [
            f"- {f'{mention.lang}: ' * several}{shown(mention)} *{plain(mention.source.title)}*"
            for mention in mentions
        ]
    return lines


def _sizes(survey: EventSurvey) -> list[str]:
    rows = []
    for name, split in survey.splits.items():
        sizes = (split.mentions, split.clusters, split.non_singletons)
        means = (split.ambiguity, split.diversity, split.same_strings)
        rows.append((name, *sizes, *(f"{float(mean):.1f}" for mean in means)))
    return table(TABLE_1, rows)


def _languages(survey: EventSurvey, counted: Mapping[str, Mapping[str, int]]) -> list[str]:
    rows = []
    languages = survey.languages
    for lang, counts in counted.items():
        own = languages.get(lang, SplitCounts())
        pages = (counts["pivots"], counts[WITH_ITEM], counts[JOINED])
        rows.append((f"{lang}wiki", *pages, own.clusters, own.mentions))
    head = ("wiki", "event pages", "with an item", "in other languages", "clusters", "mentions")
    lines = table(head, rows)
    if len(counted) > 1:
        spans = [(number, *span) for number, span in survey.spans.items()]
        lines += ["", *table(("languages of a cluster", "clusters", "mentions"), spans)]
    return [
        *lines,
        "",
        "A cluster is called by its Wikidata item (Q76), else by the page of its first article"
        " (enwiki-123); the title of a mention's cluster is the one in its own language. What would"
        " give a cluster two articles of one language, or two items, was not joined, and is counted"
        " under what was left out.",
    ]


def _apart(drawn: Mapping[str, DrawnSplit]) -> list[str]:
    head = ("split", "clusters drawn", "mentions", "of a cluster", "in an article", "left out")
    rows = [
        (
            name,
            split.clusters,
            split.mentions,
            f"{split.mentions / max(1, split.clusters):.1f}",
            f"{split.in_article:.1f}",
            split.left_out,
        )
        for name, split in drawn.items()
    ]
    every = sum(split.mentions for split in drawn.values())
    left_out = sum(split.left_out for split in drawn.values())
    return [
        *table(head, rows),
        "",
        f"No article is in two splits: {left_out:,} of {every:,} mentions"
        f" ({100 * left_out / max(1, every):.1f} of 100) are left out, their articles being another"
        " split's. The table is of the splits as they were drawn; where the means of dev and test"
        " are not train's, they are easier or harder than the corpus. In an article: mentions of"
        " any event in the article of each.",
    ]


def _types(survey: EventSurvey, events: Mapping[str, int]) -> list[str]:
    rows: list[tuple[str, int, int, int]] = []
    types = survey.types
    for name in sorted(events, key=EVENT_TYPES.index):
        kind = types.get(name, SplitCounts())
        rows.append((name, events[name], kind.clusters, kind.mentions))
    pages, found, mentions = (sum(int(row[column]) for row in rows) for column in (1, 2, 3))
    head = ("event type", "event pages", "with mentions", "mentions")
    return table(head, [*rows, ("Total", pages, found, mentions)])


def _heads(survey: EventSurvey) -> list[str]:
    every = sum(survey.lexical.values())
    rows = [
        (name, survey.lexical[name], f"{100 * survey.lexical[name] / max(1, every):.1f}")
        for name in LEXICAL
    ]
    return table(("head", "mentions", "of 100"), rows)


def shown(mention: EventMention, around: int = _AROUND) -> str:
    """The mention in bold, and some of its paragraph on each side."""
    text, start, end = mention.text, mention.start, mention.end
    left, right = text[max(0, start - around) : start], text[end : end + around]
    before = "…" if start > around else ""
    after = "…" if end + around < len(text) else ""
    return f"{before}{plain(left)}**{plain(text[start:end])}**{plain(right)}{after}"
