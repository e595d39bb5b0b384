"""Records check themselves when they are made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Token,
)

EXAMPLE = MaskedExample(
    id="1",
    lang="en",
    text="Anna met Bob. Anna left.",
    sentences=((0, 13), (14, 24)),
    target=(14, 18),
    candidates=("Anna", "Bob"),
    mentions=((0, 0, 4), (1, 9, 12)),
    label=0,
    source=Source("A day", 7, 2),
)
EVENT = EventMention(
    id="1",
    lang="en",
    text="After the flood.",
    start=10,
    end=15,
    cluster="7",
    cluster_title="A flood",
    event_type="disaster",
    infobox="flood",
    source=Source("A town", 9),
)
SENTENCES = (Sentence((Token("Anna"), Token("left"))), Sentence((Token("Yes"),)))


def document(*mentions: Mention) -> Document:
    return Document("d", 0, "en", SENTENCES, (mentions,))


WHOLE = replace(document(), text="Anna left. Bye", offsets=(((0, 4), (5, 9)), ((11, 14),)))


def test_offsets_count_code_points() -> None:
    astral = replace(EXAMPLE, text="𝒜nna met Bob. 𝒜nna left.")
    assert astral.masked_text == "𝒜nna met Bob. [MASK] left."


@pytest.mark.parametrize(
    ("record", "change", "message"),
    [
        (EXAMPLE, {"target": (14, 14)}, "target .* is empty"),
        (EXAMPLE, {"target": (20, 25)}, "outside the text of 24"),
        (EXAMPLE, {"sentences": ((0, 13), (12, 24))}, "begins before the last one ends"),
        (EXAMPLE, {"sentences": ((0, 99),)}, "sentence .* outside"),
        (EXAMPLE, {"candidates": ("Anna",), "mentions": ()}, "two distinct candidates"),
        (EXAMPLE, {"candidates": ("Anna", "Anna")}, "two distinct candidates"),
        (EXAMPLE, {"label": 2}, "label 2 names none of 2"),
        (EXAMPLE, {"mentions": ((0, 4, 4),)}, "mention .* is empty"),
        (EXAMPLE, {"mentions": ((2, 0, 4),)}, "candidate 2, which does not exist"),
        (EVENT, {"end": 10}, "mention .* is empty"),
        (EVENT, {"end": 17}, "outside the text of 16"),
        (EVENT, {"head": (15, 10)}, "head"),
        (EVENT, {"parts": ((0, 5), (6, 60))}, "part"),
        (WHOLE, {"clusters": ((Mention(2, 0, 1),),)}, "sentence 2, which is not there"),
        (WHOLE, {"clusters": ((Mention(1, 0, 2),),)}, "outside the text of 1"),
        (WHOLE, {"clusters": ((Mention(0, 0, 0),),)}, "is empty"),
        (WHOLE, {"clusters": ((Mention(0, 0, 2, parts=((0, 1), (2, 3))),),)}, "outside"),
        (WHOLE, {"clusters": ((Mention(0, 0, 1, zero=True),),)}, "start == end"),
        (WHOLE, {"offsets": None}, "together"),
        (WHOLE, {"offsets": ((0, 4),)}, "one for each token"),
        (WHOLE, {"offsets": (((0, 4), (3, 9)), ((11, 14),))}, "begins before the last one ends"),
        (WHOLE, {"offsets": (((0, 4), (5, 9)), ((11, 15),))}, "outside the text"),
    ],
)
def test_a_record_refuses(record: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(record, **change)


def test_a_head_is_a_token_of_the_sentence() -> None:
    assert Sentence((Token("Anna", head=2), Token("left", head=0))).tokens[0].head == 2
    with pytest.raises(ValueError, match="head 3 of 'Anna' is outside"):
        Sentence((Token("Anna", head=3), Token("left", head=0)))


@pytest.mark.parametrize("tokens", [None, [[1]], [[0, 4.0]], [[4, 4]], [[5, 8], [0, 4]], [[0, 99]]])
def test_tokens_that_are_no_spans_in_order_raise_value_error(tokens: Any) -> None:
    example = replace(EXAMPLE, meta={"tokens": tokens})
    with pytest.raises(ValueError, match=r"meta\.tokens"):
        _ = example.tokens


def test_offsets_are_one_for_each_token_in_order() -> None:
    assert WHOLE.locate(Mention(0, 0, 2)) == (0, 9)
    with pytest.raises(ValueError, match="no offsets"):
        document().locate(Mention(0, 0, 2))
    with pytest.raises(ValueError, match="no offsets"):
        WHOLE.locate(Mention(0, 1, 1, zero=True))
    shared = replace(WHOLE, offsets=(((0, 4), (0, 4)), ((11, 14),)))  # a contraction of two words
    assert shared.offsets is not None


def test_a_line_has_text_and_offsets_where_they_are_known() -> None:
    for record, known in ((document(), False), (WHOLE, True)):
        for compact in (False, True):
            line = jsonl.dumps(record, compact=compact)
            assert (b'"text"' in line, b'"offsets"' in line) == (known, known)
            assert (b"null" in line) != compact
            assert jsonl.loads(line, Document) == record
