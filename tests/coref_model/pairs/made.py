"""Event mentions of our own making, for the tests of this folder."""

from __future__ import annotations

from corefmill.corpora.records import EventMention, Source


def mention(
    word: str,
    cluster: str,
    *,
    topic: str | None = None,
    before: str = "The ",
    after: str = " was reported.",
    lemma: str | None = None,
    ident: str = "",
) -> EventMention:
    text = before + word + after
    return EventMention(
        id=ident or f"{word}-{cluster}",
        lang="en",
        text=text,
        start=len(before),
        end=len(before) + len(word),
        cluster=cluster,
        cluster_title=cluster,
        event_type="",
        infobox="",
        source=Source(title=f"about {cluster}", page_id=0),
        lemma=lemma,
        meta={} if topic is None else {"topic": topic},
    )


def chains(sizes: list[int], topic: str | None = None) -> list[EventMention]:
    """Chains of these sizes, their mentions in turn: a0 b0 c0 a1 b1 ..."""
    return [
        mention(f"quake{depth}", f"{topic}{chain}", topic=topic)
        for depth in range(max(sizes))
        for chain, size in enumerate(sizes)
        if depth < size
    ]
