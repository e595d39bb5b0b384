"""Windows: shared by a passage, cut with the mention in the middle, as published, refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.pairs.embeddings import SIDE, windows
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import EventMention
from tests.coref_model.pairs.made import mention


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load("tiny")


def _shown(encoder: Encoder, ids: tuple[int, ...], positions: tuple[int, ...]) -> str:
    return "".join(encoder.pieces.string(ids[at]) for at in positions).replace("##", "")


def test_mentions_of_one_passage_share_its_pass(encoder: Encoder) -> None:
    one = mention("earthquake", "a")
    other = replace(one, id="b", start=one.end + 1, end=len(one.text))
    found = windows(encoder, [one, mention("flood", "c"), other], range(3))
    assert [[index for index, _ in window.mentions] for window in found] == [[0, 2], [1]]
    assert found[0].ids == tuple(encoder.pieces.wrap(encoder.pieces.text(one.text)[0]))
    assert _shown(encoder, found[0].ids, found[0].mentions[0][1]) == "earthquake"
    assert _shown(encoder, found[0].ids, found[0].mentions[1][1]) == "wasreported."


def test_parts_alone_are_taken_of_a_discontinuous_mention(encoder: Encoder) -> None:
    text = "put the fire out"
    own = replace(mention(text, "a", before="", after=""), parts=((0, 3), (13, 16)))
    (window,) = windows(encoder, [own], [0])
    assert _shown(encoder, window.ids, window.mentions[0][1]) == "putout"


def test_a_long_text_is_cut_with_the_mention_well_inside_whatever_the_others(
    encoder: Encoder,
) -> None:
    words = [f"a{number}" for number in range(100)]
    text = " ".join(words)
    spans = encoder.pieces.text(text)[1]
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(100)]
    every = [
        replace(mention(text, "a", before="", after=""), start=start, end=start + len(word))
        for start, word in zip(starts, words, strict=True)
    ]
    before = encoder.pieces.specials[0]
    seen = {}
    for window in windows(encoder, every, range(100), length=32):
        assert len(window.ids) == 32 + sum(encoder.pieces.specials)
        for index, positions in window.mentions:
            assert _shown(encoder, window.ids, positions) == words[index]
            at = next(p for p, span in enumerate(spans) if span[0] >= starts[index])
            left, right = positions[0] - before, before + 32 - positions[-1] - 1
            assert left >= 4 or left == at
            assert right >= 4 or right == len(spans) - at - len(positions)
            seen[index] = window.ids, positions
    assert len(seen) == 100
    for index in (0, 37, 99):  # alone as among others
        (window,) = windows(encoder, every, [index], length=32)
        assert (window.ids, window.mentions[0][1]) == seen[index]


def test_a_mention_longer_than_half_a_window_has_one_of_its_own(encoder: Encoder) -> None:
    long = " ".join("b" * 26)
    own = mention(long, "a", before="c " * 41, after=" c" * 41)
    (window,) = windows(encoder, [own], [0], length=32)
    assert _shown(encoder, window.ids, window.mentions[0][1]) == "b" * 26
    with pytest.raises(DataError, match="26 pieces long, and 25 are read at once"):
        windows(encoder, [own], [0], length=25)


def test_as_published_the_three_parts_are_cut_apart(encoder: Encoder) -> None:
    pieces = encoder.pieces
    for count, kept in ((SIDE, SIDE), (SIDE + 1, SIDE - 1)):
        before, after = "c " * count, " d" * count
        (window,) = windows(
            encoder, [mention("flood", "a", before=before, after=after)], [0], "mention"
        )
        flood = pieces.text("flood")[0]
        c, d = pieces.text("c")[0], pieces.text("d")[0]
        assert window.ids == tuple(pieces.wrap([*(c * kept), *flood, *(d * kept)]))
        start = pieces.specials[0] + kept
        assert window.mentions == ((0, tuple(range(start, start + len(flood)))),)


@pytest.mark.parametrize("context", ["passage", "mention"])
def test_a_mention_without_a_piece_is_refused(encoder: Encoder, context: str) -> None:
    own = mention("\u200b", "a", before="c ", after=" d", ident="m7")
    with pytest.raises(DataError, match=r"mention m7, .* has no piece in the encoder tiny"):
        windows(encoder, [own], [0], context)  # type: ignore[arg-type]


def test_a_mention_beyond_the_text_is_no_record() -> None:
    own: EventMention = mention("flood", "a")
    with pytest.raises(ValueError, match="outside the text"):
        replace(own, end=len(own.text) + 1)


def test_surroundings_beyond_the_window_are_refused(encoder: Encoder) -> None:
    own = mention("b " * 11, "a", before="c " * 250, after=" d" * 250, ident="m7")
    with pytest.raises(DataError, match=r"m7 and its surroundings are \d+ pieces, and tiny reads"):
        windows(encoder, [own], [0], "mention")


def test_a_window_beyond_the_encoder_is_refused(encoder: Encoder) -> None:
    with pytest.raises(UsageError, match="a window of 9999 pieces"):
        windows(encoder, [mention("flood", "a")], [0], length=9999)
