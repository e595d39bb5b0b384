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
    span = len(before), len(before) + len(word)
    about = ident or f"{word}-{cluster}", "en", before + word + after, *span, cluster, cluster
    source, meta = Source(f"about {cluster}", 0), {} if topic is None else {"topic": topic}
    return EventMention(*about, "", "", source, lemma=lemma, meta=meta)


def chains(sizes: list[int], topic: str | None = None) -> list[EventMention]:
    """Chains of these sizes, their mentions in turn: a0 b0 c0 a1 b1 ..."""
    return [
        mention(f"quake{depth}", f"{topic}{chain}", topic=topic)
        for depth in range(max(sizes))
        for chain, size in enumerate(sizes)
        if depth < size
    ]
