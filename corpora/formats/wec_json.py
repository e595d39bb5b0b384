"""WEC's JSON, an array of mentions, as WEC-Eng was released.

1. A record has `mention_context` (the paragraph's tokens), `tokens_number` (the mention's places in
   it, from 0), `tokens_str`, `mention_id`, `coref_chain`, `coref_link` and `doc_id`. The release
   has nine fields more; of these, what the extractor leaves out may be missing.
2. The text is the tokens with one space between, so that offsets are exact: `["Let", "'s", "go"]`
   is `Let 's go`. An empty token, as the extractor has for blank nodes, makes two spaces.
   `meta["tokens"]` has the tokens' spans where they cannot be found by the spaces.
3. start and end are those of the first and last token of `tokens_number`; where it has gaps,
   `parts` has the pieces. `[4, 5, 9]` has two.
4. `tokens_str` is compared without white space: `Bowie's death` for the tokens `Bowie 's death` is
   no contradiction. Where the two do contradict each other and `tokens_str` stands in the context
   exactly once, that place is the mention; else `tokens_number` is. Numbers outside of the context,
   and no place for `tokens_str`, are an error. An empty mention is one too.
5. The head is the one token of the mention that is `mention_head`; with none or two it is None.
   `coref_chain`, `mention_id` and `mention_type` become strings. `UNK` (the extractor's `O`) is no
   ner; a null is no lemma, no pos, no ner.
6. `topic_id` is `meta["topic"]`, unless it is -1, and `sent_id` is `meta["sentence"]`.
7. All other keys, and values that the record would not make again, go to `meta["wec"]` (so the
   numbers of rule 4, where they were wrong), the keys' order to `meta["wec_keys"]` where it is not
   the format's. So what was read is written byte for byte. To repair a record, delete the value of
   `meta["wec"]`.
8. The writer takes `meta["tokens"]`, or else the text split at each single space and cut where the
   mention begins or ends. Ids, chains and types that are numbers are written as numbers, where the
   format has them so. Language, page, infobox and other meta are not carried; text and spans are
   but for spaces that rule 2 puts in. A mention that splits a token of `meta["tokens"]`, or the
   white space between: an error.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_records
from corefmill.corpora.formats.form import Format, Located, naming_record, stop_at_faults
from corefmill.corpora.records import EventMention, Meta, Source
from corefmill.corpora.words import cut_tokens, join_neighbours

Object = dict[str, Any]

_KEYS = (
    *("coref_chain", "coref_link", "doc_id"),
    *("mention_context", "mention_head", "mention_head_lemma", "mention_head_pos", "mention_id"),
    *("mention_index", "mention_ner", "mention_type", "predicted_coref_chain", "sent_id"),
    *("tokens_number", "tokens_str", "topic_id"),
)


def read_on(path: Path, lang: str) -> Located:
    """Stream the mentions with their lines, or the `DataError` of a record by rule 4.

    Memory does not grow with the file.
    """
    for number, (line, item) in enumerate(json_records.read_array(path), 1):
        found: EventMention | DataError
        try:
            mention = _make_mention(item, lang)
            made = _make_object(mention, 0)
            # The place in the file is the record's own: it must survive a selection of records.
            del made["mention_index"]
            kept = json_records.collect_rest(item, made, "wec", _KEYS)
            found = replace(mention, meta={**mention.meta, **kept})
        except ValueError as error:
            found = DataError(f"record {number}: {error}", path=path, line=line)
        yield line, found


def _make_mention(item: Object, lang: str) -> EventMention:
    """Make the mention of an object; raise `ValueError` by rules 1 and 4."""
    words = _get(item, "mention_context", list)
    numbers = _get(item, "tokens_number", list)
    if not {str}.issuperset(map(type, words)):
        raise ValueError("a token of mention_context is not a string")
    if not all(type(place) is int for place in numbers):
        raise ValueError("an index in tokens_number is not a whole number")
    # The text is the tokens with one space between, so that offsets are exact.
    places = find_places(words, numbers, _get(item, "tokens_str", str))
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    spans = [(start, start + len(word)) for start, word in zip(starts, words, strict=False)]
    text = " ".join(words)
    meta: Meta = {}
    # An empty token, or one with a space in it, would not be found again by the spaces.
    if text.split(" ") != words:
        meta["tokens"] = [list(span) for span in spans if span[0] < span[1]]
    if item.get("topic_id", -1) != -1:
        meta["topic"] = item["topic_id"]
    if "sent_id" in item:
        meta["sentence"] = item["sent_id"]
    pieces = join_neighbours(spans, places)
    # The release names the head by its string: it is known if one token of the mention has that.
    heads = [spans[place] for place in places if words[place] == item.get("mention_head")]
    # What is neither a string nor nothing is left to the meta.
    lemma, pos, ner = (
        value if isinstance(value := item.get(f"mention_{key}"), str) else None
        for key in ("head_lemma", "head_pos", "ner")
    )
    return EventMention(
        id=str(_get_name(item, "mention_id")),
        lang=lang,
        text=text,
        start=pieces[0][0],
        end=pieces[-1][1],
        cluster=str(_get_name(item, "coref_chain")),
        cluster_title=_get(item, "coref_link", str),
        event_type=str(_get_name(item, "mention_type")),
        infobox="",
        source=Source(title=_get(item, "doc_id", str), page_id=0),
        head=heads[0] if len(heads) == 1 else None,
        lemma=lemma,
        pos=pos,
        ner=None if ner in ("UNK", "O") else ner,
        parts=tuple(pieces) if len(pieces) > 1 else (),
        meta=meta,
    )


def _get(item: Object, key: str, kind: type[Any]) -> Any:
    """Return the value of a key. Raises `ValueError` where it is missing or of another type."""
    if key not in item:
        raise ValueError(f"no {key}")
    if not isinstance(item[key], kind):
        raise ValueError(f"{key} is {str(item[key])[:40]!r}, not a {kind.__name__}")
    return item[key]


def _get_name(item: Object, key: str) -> str | int:
    """Return an id or a type, a string or a whole number; a type may be missing."""
    found = item.get(key, "" if key == "mention_type" else None)
    if isinstance(found, bool) or not isinstance(found, int | str):
        raise ValueError(f"{key} is {str(found)[:40]!r}, not a name or a number")
    return found


def find_places(words: list[str], numbers: list[int], string: str) -> list[int]:
    """Find the places of the mention's tokens, in order, by rule 4."""
    numbers = sorted(set(numbers))
    inside = bool(numbers) and numbers[0] >= 0 and numbers[-1] < len(words)
    wanted = "".join(string.split())
    if inside and "".join("".join(words[n] for n in numbers).split()) == wanted:
        places = numbers
    else:
        found = find_runs(words, wanted)
        if len(found) != 1 and not inside:
            raise ValueError(
                f"tokens_number {numbers[:1]} to {numbers[-1:]} is not within mention_context of"
                f" {len(words)} tokens, and tokens_str stands there {len(found)} times, not once"
            )
        places = found[0] if len(found) == 1 else numbers
    if not words[places[0]] or not words[places[-1]]:
        raise ValueError("the mention begins or ends with an empty token")
    return places


def find_runs(words: Sequence[str], wanted: str) -> list[list[int]]:
    """Find the runs of tokens equal to `wanted` but for white space."""
    solid = ["".join(word.split()) for word in words]
    borders = list(accumulate(map(len, solid), initial=0))
    whole = "".join(solid)
    found = []
    start = whole.find(wanted) if wanted else -1
    while start >= 0:
        first, last = bisect_left(borders, start), bisect_left(borders, start + len(wanted))
        if borders[first] == start and borders[last] == start + len(wanted):
            run = list(range(first, last))
            while run and not solid[run[0]]:
                del run[0]
            found.append(run)
        start = whole.find(wanted, start + 1)
    return found


def _cut_words(mention: EventMention) -> tuple[list[str], list[int]]:
    """Cut a mention's text into words, with the places of the mention's own (rule 8)."""
    text, pieces = mention.text, sorted(mention.parts) or [(mention.start, mention.end)]
    if "tokens" in mention.meta:
        spans = list(mention.tokens)
    else:
        words = text.split(" ")
        starts = accumulate((len(word) + 1 for word in words), initial=0)
        whole = [(start, start + len(word)) for start, word in zip(starts, words, strict=False)]
        spans = cut_tokens(whole, (border for piece in pieces for border in piece))
    first = {start: number for number, (start, end) in enumerate(spans) if start < end}
    last = {end: number for number, (start, end) in enumerate(spans) if start < end}
    numbers: list[int] = []
    for start, end in pieces:
        if start not in first or end not in last:
            raise ValueError(f"the mention [{start}, {end}) splits a token")
        numbers += range(first[start], last[end] + 1)
    return [text[start:end] for start, end in spans], numbers


def _make_object(mention: EventMention, index: int) -> Object:
    """Make the object of a record without the values in its meta; raise `ValueError` by rule 8."""
    words, numbers = _cut_words(mention)
    head = None if mention.head is None else mention.text[slice(*mention.head)]
    topic, sentence = mention.meta.get("topic", -1), mention.meta.get("sentence", 0)
    return {
        "coref_chain": _number(mention.cluster),
        "coref_link": mention.cluster_title,
        "doc_id": mention.source.title,
        "mention_context": words,
        "mention_head": head,
        "mention_head_lemma": mention.lemma,
        "mention_head_pos": mention.pos,
        "mention_id": mention.id,
        "mention_index": index,
        "mention_ner": "UNK" if mention.ner is None else mention.ner,
        "mention_type": _number(mention.event_type),
        "predicted_coref_chain": "UNK",
        "sent_id": sentence,
        "tokens_number": numbers,
        "tokens_str": " ".join(words[number] for number in numbers),
        "topic_id": topic,
    }


def _number(name: str) -> str | int:
    return int(name) if re.fullmatch("0|[1-9][0-9]{0,17}", name) else name


def write(path: Path, mentions: Iterable[EventMention]) -> int:
    """Write the array and return the number of mentions; raise `DataError` by rule 8."""

    def make_objects() -> Iterator[Object]:
        remedy = "the format cannot carry it; leave the mention out"
        for index, mention in enumerate(mentions, 1):
            with naming_record(mention, path, remedy):
                made = json_records.restore(
                    _make_object(mention, index), mention.meta, "wec", _KEYS
                )
            yield made

    return json_records.write_array(path, make_objects())


RELEASED = Format(
    name="wec-json",
    schema="event-mention/1",
    summary="WEC's JSON: an array of mentions, each with its paragraph's tokens",
    suffix=".json",
    read=stop_at_faults(read_on),
    write=write,
    suits=lambda name, head: (
        head.lstrip().startswith("[") and '"mention_context"' in head and '"coref_chain"' in head
    ),
    read_on=read_on,
)
