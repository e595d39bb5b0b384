"""Mentions with their clusters across documents, as uCDCR, CoreSearch and SciCo have them.

All are read as WEC's JSON is: the tokens of `mention_context` with one space between are the text;
wec_json.py has the rules for places, heads and strings.
1. uCDCR is an array of mentions, or `all_mentions.parquet`, in which lists stand as Python writes
   them. Places are `tokens_number_context`. The document is `conll_doc_key`, the title
   `description`; `meta` has topic, subtopic and sentence, and under `ucdcr` what is left.
2. CoreSearch's queries and passages are an array of `id`, `goldChain`, `mention`, `startIndex` and
   `endIndex` (both within) and `context`; a query's `positive_examples` and the like stand in
   `meta["coresearch"]`. Passages of a negative, without a mention, are passed over, since a record
   is a mention. The writer makes an array of these six keys, for retrieval from any WEC corpus.
3. SciCo has a line a topic: `tokens` are lists of words by paragraph, `mentions` [paragraph, first,
   last, cluster], `relations` [parent, child] of clusters. A cluster's name has the topic's before
   it; `meta["scico"]` has its parents, and the topic's source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from corefmill.corpora.errors import DataError, naming
from corefmill.corpora.formats import json_records, parquet, wec_json
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import EventMention

Object = dict[str, Any]
Items = Iterable[tuple[int, Object]]

_UCDCR = {
    "coref_chain": "coref_chain",
    "coref_link": "description",
    "doc_id": "conll_doc_key",
    "mention_context": "mention_context",
    "mention_head": "mention_head",
    "mention_head_lemma": "mention_head_lemma",
    "mention_head_pos": "mention_head_pos",
    "mention_id": "mention_id",
    "mention_ner": "mention_ner",
    "mention_type": "mention_type",
    "sent_id": "sent_id",
    "tokens_number": "tokens_number_context",
    "tokens_str": "tokens_str",
    "topic_id": "topic_id",
}
"""By the key of WEC's JSON the one that uCDCR has for it."""

_LISTS = ("mention_context", "tokens_number_context")


def _ucdcr(item: Object) -> Iterator[tuple[Object, Object]]:
    known = {*_UCDCR.values(), "subtopic_id", "__index_level_0__"}
    rest = {key: value for key, value in item.items() if key not in known}
    meta: Object = {"ucdcr": rest} if rest else {}
    if "subtopic_id" in item:
        meta = {"subtopic": item["subtopic_id"], **meta}
    yield {ours: item[own] for ours, own in _UCDCR.items() if own in item}, meta


_LONGEST = 1 << 18
"""Characters of a list written as text, which takes 500 times as many bytes to be read."""


def _unquoted(items: Items) -> Iterator[tuple[int, Object]]:
    """The rows of the table, with the lists that it has as text."""
    for number, item in items:
        lists = {key: _list(item.get(key)) for key in _LISTS if key in item}
        yield number, {**item, **lists}


def _list(said: Any) -> Any:
    if not isinstance(said, str) or len(said) > _LONGEST:
        return said  # a text the reader refuses, with the row
    try:
        return ast.literal_eval(said)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return said


def _coresearch(item: Object) -> Iterator[tuple[Object, Object]]:
    context, start, end = (item.get(key) for key in ("context", "startIndex", "endIndex"))
    if item.get("mention") is None and start is None and end is None:
        return
    if not isinstance(item.get("mention"), list) or type(start) is not int or type(end) is not int:
        raise ValueError("mention is not a list, or startIndex or endIndex not a whole number")
    if not isinstance(context, list) or not 0 <= start <= end < len(context):
        raise ValueError(f"tokens {start} to {end} are not within the context")
    rest = {key: value for key, value in item.items() if key not in _CORESEARCH}
    made = {
        "mention_id": item.get("id"),
        "coref_chain": item.get("goldChain"),
        "mention_context": context,
        "tokens_number": list(range(start, end + 1)),
        "tokens_str": " ".join(map(str, item["mention"])),
    }
    yield made, {"coresearch": rest} if rest else {}


_CORESEARCH = ("id", "goldChain", "mention", "startIndex", "endIndex", "context")


_MOST_WORDS = 20_000_000


def _scico(item: Object) -> Iterator[tuple[Object, Object]]:
    topic, paragraphs, names = item.get("id"), item.get("tokens"), item.get("doc_ids", [])
    if isinstance(topic, bool) or not isinstance(topic, int | str):
        raise ValueError("id is not a name or a number")
    mentions, relations = _rows(item, "mentions", 4, ()), _rows(item, "relations", 2, [])
    if not isinstance(paragraphs, list) or not isinstance(names, list):
        raise ValueError("tokens or doc_ids is not a list")
    parents: dict[int, list[str]] = {}
    for parent, child in relations:
        parents.setdefault(child, []).append(f"{topic}_{parent}")
    size = [len(own) if isinstance(own, list) else 0 for own in paragraphs]
    if sum(size[row[0]] for row in mentions if 0 <= row[0] < len(size)) > _MOST_WORDS:
        raise ValueError(f"mentions and their paragraphs are over {_MOST_WORDS:,} words")
    for number, (place, first, last, cluster) in enumerate(mentions):
        words = paragraphs[place] if 0 <= place < len(paragraphs) else None
        if not isinstance(words, list) or not 0 <= first <= last < len(words):
            raise ValueError(f"mention {number} is not within its paragraph")
        kept = {"parents": parents.get(cluster, []), "source": item.get("source")}
        made = {
            "mention_id": f"{topic}_{number}",
            "coref_chain": f"{topic}_{cluster}",
            "doc_id": str(names[place]) if place < len(names) else f"{topic}_{place}",
            "mention_context": words,
            "tokens_number": list(range(first, last + 1)),
            "tokens_str": " ".join(map(str, words[first : last + 1])),
            "topic_id": str(topic),
        }
        yield made, {"scico": {key: value for key, value in kept.items() if value}}


def _rows(item: Object, key: str, width: int, default: Any) -> list[list[int]]:
    """Lists of so many whole numbers; raises `ValueError` for anything else."""
    found = item.get(key, default)
    if not isinstance(found, list) or not all(
        isinstance(row, list) and len(row) == width and {int}.issuperset(map(type, row))
        for row in found
    ):
        raise ValueError(f"{key} are not lists of {width} whole numbers")
    return found


def _reader(
    items: Callable[[Path], Items], shape: Callable[[Object], Iterator[tuple[Object, Object]]]
) -> Callable[[Path, str], Located]:
    def read(path: Path, lang: str = "en") -> Located:
        for line, item in items(path):
            with naming(path, line):
                for made, meta in shape(item):
                    whole = {"doc_id": "", "coref_link": "", **made}
                    mention = wec_json.mention_of(whole, lang)
                    yield line, replace(mention, meta={**mention.meta, **meta})

    return read


def _write_coresearch(path: Path, mentions: Iterable[EventMention]) -> int:
    return json_records.write_array(path, _passages(path, mentions))


def _passages(path: Path, mentions: Iterable[EventMention]) -> Iterator[Object]:
    for mention in mentions:
        try:
            words, numbers = wec_json.words_of(mention)
        except ValueError as error:
            raise DataError(f"mention {mention.id}: {error}", path=path) from None
        kept = mention.meta.get("coresearch", {})
        yield {
            "id": mention.id,
            "goldChain": mention.cluster,
            "mention": [words[number] for number in range(numbers[0], numbers[-1] + 1)],
            "startIndex": numbers[0],
            "endIndex": numbers[-1],
            "context": words,
            **(kept if isinstance(kept, dict) else {}),
        }


UCDCR = Format(
    name="ucdcr",
    schema="event-mention/1",
    summary="uCDCR's JSON: twelve corpora of events and entities across documents",
    suffix=".ucdcr.json",
    read=_reader(json_records.read_array, _ucdcr),
    write=None,
    suits=lambda name, head: head.lstrip()[:1] == "[" and '"tokens_number_context"' in head,
)

UCDCR_TABLE = Format(
    name="parquet-ucdcr",
    schema="event-mention/1",
    summary="uCDCR's all_mentions.parquet",
    suffix=".ucdcr.parquet",
    read=_reader(lambda path: _unquoted(parquet.objects(path)), _ucdcr),
    write=None,
    suits=lambda name, head: head.startswith("PAR1") and name.endswith(parquet.UCDCR),
)

CORESEARCH = Format(
    name="coresearch",
    schema="event-mention/1",
    summary="CoreSearch's queries and passages, for retrieval of an event's mentions",
    suffix=".coresearch.json",
    read=_reader(json_records.read_array, _coresearch),
    write=_write_coresearch,
    suits=lambda name, head: head.lstrip()[:1] == "[" and '"goldChain"' in head,
)

SCICO = Format(
    name="scico",
    schema="event-mention/1",
    summary="SciCo's JSON Lines: a topic a line, concepts across papers",
    suffix=".scico.jsonl",
    read=_reader(json_records.read, _scico),
    write=None,
    suits=lambda name, head: head.lstrip()[:1] == "{" and '"flatten_mentions"' in head,
)
