"""Windows of mentions, their vectors, and the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from corefmill.coref_model.encoder import Encoder, Packed, load
from corefmill.coref_model.pairs import embeddings
from corefmill.coref_model.pairs.embeddings import (
    SIDE,
    EmbeddedMentions,
    cut_windows,
    embed_mentions,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import EventMention
from tests.coref_model.pairs.made import mention


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load("tiny")


def _shown(encoder: Encoder, ids: tuple[int, ...], positions: tuple[int, ...]) -> str:
    return "".join(
        encoder.pieces.tokenizer.convert_ids_to_tokens(ids[at]) for at in positions
    ).replace("##", "")


def test_mentions_of_one_passage_share_its_pass(encoder: Encoder) -> None:
    one = mention("earthquake", "a")
    other = replace(one, id="b", start=one.end + 1, end=len(one.text))
    found = cut_windows(encoder, [one, mention("flood", "c"), other], range(3))
    assert [[index for index, _ in window.mentions] for window in found] == [[0, 2], [1]]
    assert found[0].ids == tuple(encoder.pieces.wrap(encoder.pieces.cut_text(one.text)[0]))
    assert _shown(encoder, found[0].ids, found[0].mentions[0][1]) == "earthquake"
    assert _shown(encoder, found[0].ids, found[0].mentions[1][1]) == "wasreported."


def test_parts_alone_are_taken_of_a_discontinuous_mention(encoder: Encoder) -> None:
    text = "put the fire out"
    own = replace(mention(text, "a", before="", after=""), parts=((0, 3), (13, 16)))
    (window,) = cut_windows(encoder, [own], [0])
    assert _shown(encoder, window.ids, window.mentions[0][1]) == "putout"


def test_a_long_text_is_cut_with_the_mention_well_inside_whatever_the_others(
    encoder: Encoder,
) -> None:
    words = [f"a{number}" for number in range(100)]
    text = " ".join(words)
    spans = encoder.pieces.cut_text(text)[1]
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(100)]
    every = [
        replace(mention(text, "a", before="", after=""), start=start, end=start + len(word))
        for start, word in zip(starts, words, strict=True)
    ]
    before = encoder.pieces.specials[0]
    seen = {}
    for window in cut_windows(encoder, every, range(100), length=32):
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
        (window,) = cut_windows(encoder, every, [index], length=32)
        assert (window.ids, window.mentions[0][1]) == seen[index]


@pytest.mark.parametrize("context", ["passage", "mention"])
def test_a_mention_without_a_piece_is_refused(encoder: Encoder, context: str) -> None:
    own = mention("\u200b", "a", before="c ", after=" d", ident="m7")
    with pytest.raises(DataError, match=r"mention m7, .* has no piece in the encoder tiny"):
        cut_windows(encoder, [own], [0], context)  # type: ignore[arg-type]


@pytest.fixture
def passes(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of sequences in each pass of the encoder."""
    found: list[int] = []
    whole = encoder.forward

    def forward(batch: Packed) -> torch.Tensor:
        found.append(len(batch.starts) - 1)
        return whole(batch)

    monkeypatch.setattr(encoder, "forward", forward)
    return found


def _mentions() -> list[EventMention]:
    words = enumerate(("flood", "earthquake", "concert", "eruption", "fire"))
    return [mention(word, "a", before="It was the " * at) for at, word in words]


def _embed(
    encoder: Encoder, mentions: Sequence[EventMention], cache: Path | None
) -> EmbeddedMentions:
    return embed_mentions(encoder, mentions, "passage", 0, batch_pieces=40, cache=cache)


def test_a_mentions_vectors_are_those_of_its_pieces_in_the_passage(encoder: Encoder) -> None:
    mentions = _mentions()
    found = _embed(encoder, mentions, None)
    assert len(found) == len(mentions)
    for at, own in enumerate(mentions):
        ids, spans = encoder.pieces.cut_text(own.text)
        whole = embeddings.pack([encoder.pieces.wrap(ids)])
        inside = [p + 1 for p, (a, b) in enumerate(spans) if a >= own.start and b <= own.end]
        rows = found.pieces[found.starts[at] : found.starts[at + 1]]
        torch.testing.assert_close(rows, encoder(whole)[inside], atol=1e-5, rtol=0)


def test_what_the_cache_has_is_the_same_bytes_and_not_encoded(
    tmp_path: Path, encoder: Encoder, passes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _embed(encoder, _mentions(), tmp_path)
    assert sum(passes) == 5
    second = _embed(encoder, _mentions(), tmp_path)
    assert sum(passes) == 5
    assert torch.equal(second.pieces, first.pieces) and torch.equal(second.starts, first.starts)
    monkeypatch.setattr(embeddings, "_SHARD", 2)
    assert torch.equal(_embed(encoder, _mentions(), tmp_path / "two").starts, first.starts)
    fresh = mention("strike", "a")
    assert len(_embed(encoder, [*_mentions(), fresh], tmp_path / "two")) == 6
    assert sum(passes) == 5 + 5 + 2  # the last two are a new shard


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_shard_is_encoded_anew(
    tmp_path: Path,
    encoder: Encoder,
    passes: list[int],
    caplog: pytest.LogCaptureFixture,
    damage: str,
) -> None:
    first = _embed(encoder, _mentions(), tmp_path)
    (shard,) = tmp_path.rglob("*.safetensors")
    content = bytearray(shard.read_bytes())
    content[-5] ^= 1
    shard.write_bytes(content[:-9] if damage == "cut" else content)
    for _ in range(2):
        assert torch.equal(_embed(encoder, _mentions(), tmp_path).pieces, first.pieces)
        assert sum(passes) == 10
    assert f"{shard}: damaged" in caplog.text


def test_as_published_the_three_parts_are_cut_apart(encoder: Encoder) -> None:
    pieces = encoder.pieces
    for count, kept in ((SIDE, SIDE), (SIDE + 1, SIDE - 1)):
        before, after = "c " * count, " d" * count
        (window,) = cut_windows(
            encoder, [mention("flood", "a", before=before, after=after)], [0], "mention"
        )
        flood = pieces.cut_text("flood")[0]
        c, d = pieces.cut_text("c")[0], pieces.cut_text("d")[0]
        assert window.ids == tuple(pieces.wrap([*(c * kept), *flood, *(d * kept)]))
        start = pieces.specials[0] + kept
        assert window.mentions == ((0, tuple(range(start, start + len(flood)))),)
