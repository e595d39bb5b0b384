"""The mentions of a `Document` as brackets over the nodes of CorefUD, and back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_entity import EntityError, Span
from corefmill.corpora.formats.corefud_sentence import Nodes, verbs_of
from corefmill.corpora.records import Document, Mention, Sentence

_ID = re.compile(r"[^-()\[\]|=\s]+")

Named = tuple[str, str | None, Mention]
"""A mention with its entity's name and its attributes, None for the usual ones."""


def usual_ids(count: int, before: int) -> list[str]:
    """The names of a document's clusters in a file that has so many `before` it."""
    return [f"e{number}" for number in range(before + 1, before + count + 1)]


def mentions_of(spans: Sequence[Span], number: int, nodes: Nodes) -> list[Mention]:
    """The mentions of a sentence's spans; that of a dropped subject is on its verb.

    It stays a zero mention where the verb has another mention to itself.
    """
    found = [_mention_of(span, number, nodes) for span in spans]
    taken = set(found)
    for place, span in enumerate(spans):
        verb = nodes.verbs.get(span.parts[0][0])
        if verb is not None and found[place].zero and span.parts[0][1] - span.parts[0][0] == 1:
            shown = Mention(number, verb, verb + 1)
            if len(span.parts) == 1 and shown not in taken:
                found[place] = shown
                taken.add(shown)
    return found


def _mention_of(span: Span, number: int, nodes: Nodes) -> Mention:
    """The mention of a sentence's words; a zero one if the span has none."""
    parts = []
    for start, end in span.parts:
        words = [word for word in nodes.words[start:end] if word is not None]
        if words:
            parts.append((words[0], words[-1] + 1))
    if not parts:
        place = nodes.before(span.parts[0][0])
        return Mention(number, place, place, zero=True)
    whole = tuple(sorted(parts))
    return Mention(number, whole[0][0], whole[-1][1], whole if len(whole) > 1 else ())


def drop_usual_nodes(extra: dict[str, Any], mentions: Sequence[Named]) -> None:
    """Leaves out the empty nodes that the writer would make for the zero mentions."""
    zeros = Counter(mention.start for _, _, mention in mentions if mention.zero)
    for place, count in zeros.items():
        there = [name for name in extra.get("empty", {}) if name.startswith(f"{place}.")]
        usual = [f"{place}.{minor}" for minor in range(1, count + 1)]
        if there == usual and all(extra["empty"][name] == "_" for name in there):
            for name in there:
                del extra["empty"][name]
    if not extra.get("empty", True):
        del extra["empty"]


def by_sentence(
    document: Document, meta: dict[str, Any], extras: Mapping[str, Any], before: int
) -> dict[int, list[Named]]:
    """The mentions of each sentence, in the order of their clusters; see `named_clusters`."""
    attributes: dict[str, str] = meta.get("attributes", {})
    found: dict[int, list[Named]] = {}
    for name, cluster in named_clusters(document, meta, extras, before).items():
        for mention, key in zip(cluster, attribute_keys(cluster), strict=True):
            found.setdefault(mention.sentence, []).append((name, attributes.get(key), mention))
    return found


def named_clusters(
    document: Document, meta: dict[str, Any], extras: Mapping[str, Any], before: int
) -> dict[str, Sequence[Mention]]:
    """Name the clusters as `meta` does or else by number; `extras` by the sentence's number.

    `before` counts the clusters of the documents before it in its file.
    """
    clusters: Sequence[Sequence[Mention]] = document.clusters
    if not all(clusters):
        raise ValueError("a cluster has no mention")
    ids = meta.get("ids", [])
    if not len(ids) == len(set(ids)) == len(clusters) or not all(map(_ID.fullmatch, ids)):
        ids = usual_ids(len(clusters), before)
        clusters = in_order(clusters, extras)
    return dict(zip(ids, clusters, strict=True))


def attribute_keys(cluster: Sequence[Mention]) -> list[str]:
    """What a cluster's mentions are called in `attributes`: `0:3-5`, `0:3-5,7-8`, `1:0` if zero.

    A further zero mention at the place of another is `1:0#2`.
    """
    keys: list[str] = []
    for mention in cluster:
        parts = mention.parts or ((mention.start, mention.end),)
        spans = ",".join(f"{start}-{end}" for start, end in parts)
        key = f"{mention.sentence}:{mention.start if mention.zero else spans}"
        same = sum(other.partition("#")[0] == key for other in keys[-9:])
        keys.append(f"{key}#{same + 1}" if same else key)
    return keys


def in_order(
    clusters: Sequence[Sequence[Mention]], extras: Mapping[str, Any]
) -> list[Sequence[Mention]]:
    """The clusters in the order of their first brackets."""
    places = _places(extras)
    return sorted(clusters, key=lambda cluster: min(_first(mention, places) for mention in cluster))


def _places(extras: Mapping[str, Any]) -> dict[Mention, tuple[int, int]]:
    """The IDs of the empty nodes that stand for mentions on a verb."""
    return {
        Mention(int(number), verb, verb + 1): (int(major), int(minor))
        for number, extra in extras.items()
        for name, verb in verbs_of(extra).items()
        for major, _, minor in [name.partition(".")]
    }


def _first(
    mention: Mention, places: Mapping[Mention, tuple[int, int]]
) -> tuple[int, int, bool, int]:
    """Where its first bracket stands, after those of longer mentions."""
    if mention in places:
        major, minor = places[mention]
        return mention.sentence, major, False, minor
    end = mention.parts[0][1] if mention.parts else mention.end
    return mention.sentence, mention.start, not mention.zero, -end


def usual_attributes(mention: Mention, nodes: Nodes, sentence: Sentence) -> str:
    """No type, and as head the first of its nodes whose own head lies outside, or the first."""
    if mention.zero:
        return "--1"
    covered = [
        nodes.words[node]
        for start, end in _parts(mention, nodes.places)
        for node in range(start, end)
    ]
    words = set(covered)
    for place, word in enumerate(covered, 1):
        head = None if word is None else sentence.tokens[word].head
        if head is not None and (head == 0 or head - 1 not in words):
            return f"--{place}"
    return "--1"


def _parts(mention: Mention, places: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """The nodes of the mention's parts; `places` are the words'."""
    parts = mention.parts or ((mention.start, mention.end),)
    return tuple((places[start], places[end - 1] + 1) for start, end in parts)


def made(
    mentions: Sequence[Named], nodes: Nodes, sentence: Sentence, fields: str
) -> list[str | None]:
    """The values of `Entity` by node; the zero mentions before a word take its empty nodes.

    A mention of no more than a verb is its dropped subject, where there is an empty node for one.
    """
    subjects = {(verb, verb + 1): node for node, verb in nodes.verbs.items()}
    empty: dict[int, list[int]] = {}
    for node, word in reversed(list(enumerate(nodes.words))):
        if word is None and node not in nodes.verbs:
            empty.setdefault(nodes.before(node), []).append(node)
    spans = []
    for name, attributes, mention in mentions:
        if mention.zero:
            node = empty[mention.start].pop()
            parts: tuple[tuple[int, int], ...] = ((node, node + 1),)
        elif not mention.parts and (mention.start, mention.end) in subjects:
            node = subjects[mention.start, mention.end]
            parts = ((node, node + 1),)
        else:
            parts = _parts(mention, nodes.places)
        if attributes is None:
            attributes = usual_attributes(mention, nodes, sentence)
        spans.append(Span(name, attributes, parts))
    return corefud_entity.make(spans, len(nodes.words), corefud_entity.position(fields))


def is_usual(
    cells: Sequence[str | None],
    mentions: Sequence[Named],
    nodes: Nodes,
    sentence: Sentence,
    fields: str,
) -> bool:
    """Whether the brackets are those that the writer makes."""
    try:
        return made(mentions, nodes, sentence, fields) == cells
    except (LookupError, ValueError):  # two mentions of one span: the writer refuses them
        return False


def check_mention(mention: Mention) -> None:
    parts = mention.parts
    bounds = [place for part in parts for place in part]
    if parts and (
        mention.zero
        or len(parts) == 1
        or bounds != sorted(bounds)
        or (bounds[0], bounds[-1]) != (mention.start, mention.end)
    ):
        raise ValueError(f"the parts of mention [{mention.start}, {mention.end}) do not make it up")


def as_they_were(
    mentions: Sequence[Named], kept: dict[str, str], nodes: Nodes, sentence: Sentence, fields: str
) -> list[str | None] | None:
    """The kept values of `Entity` by node, None if they do not name these mentions."""
    cells = [kept.get(name) for name in nodes.ids]
    try:
        spans = corefud_entity.parse(cells, corefud_entity.position(fields))
    except EntityError:  # they are of a sentence that has been changed since
        return None
    number = mentions[0][2].sentence
    said = Counter(
        (span.entity, span.attributes, mention)
        for span, mention in zip(spans, mentions_of(spans, number, nodes), strict=True)
    )
    wanted = Counter(
        (name, usual_attributes(m, nodes, sentence) if own is None else own, m)
        for name, own, m in mentions
    )
    if said != wanted:
        return None
    if len({span.parts for span in spans}) < len(spans):
        raise ValueError("a span is named twice")
    return cells
