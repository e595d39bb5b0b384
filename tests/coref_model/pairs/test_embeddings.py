"""Embeddings and their cache: the same bytes, misses, damage, batches, order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from corefmill.coref_model.encoder import Encoder, Packed, load  # noqa: E402
from corefmill.coref_model.pairs import embeddings  # noqa: E402
from corefmill.coref_model.pairs.embeddings import EmbeddedMentions, embed  # noqa: E402
from corefmill.corpora.records import EventMention  # noqa: E402
from tests.coref_model.pairs.made import mention  # noqa: E402

WORDS = ("flood", "earthquake", "concert", "eruption", "fire")


class Counted:
    """An encoder that counts its passes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seed: int = 0) -> None:
        self.encoder: Encoder = load("tiny", seed=seed)
        self.sequences = 0
        whole = self.encoder.forward

        def forward(batch: Packed) -> torch.Tensor:
            self.sequences += len(batch.starts) - 1
            return whole(batch)

        monkeypatch.setattr(self.encoder, "forward", forward)


def _mentions() -> list[EventMention]:
    return [mention(word, "a", before="It was the " * at) for at, word in enumerate(WORDS)]


def _embed(
    encoder: Encoder, mentions: Sequence[EventMention], cache: Path | None
) -> EmbeddedMentions:
    return embed(encoder, mentions, "passage", 0, batch_pieces=40, cache=cache)


def test_a_mentions_vectors_are_those_of_its_pieces_in_the_passage() -> None:
    encoder, mentions = load("tiny"), _mentions()
    found = _embed(encoder, mentions, None)
    assert len(found) == len(mentions)
    for at, own in enumerate(mentions):
        ids, spans = encoder.pieces.text(own.text)
        whole = embeddings.pack([encoder.pieces.wrap(ids)])
        inside = [p + 1 for p, (a, b) in enumerate(spans) if a >= own.start and b <= own.end]
        rows = found.pieces[found.starts[at] : found.starts[at + 1]]
        torch.testing.assert_close(rows, encoder(whole)[inside], atol=1e-5, rtol=0)


def test_what_the_cache_has_is_the_same_bytes_and_not_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    first = _embed(counted.encoder, _mentions(), tmp_path)
    assert counted.sequences == 5
    second = _embed(counted.encoder, list(reversed(_mentions())), tmp_path)
    assert counted.sequences == 5
    order = torch.arange(5).flip(0)
    assert torch.equal(second.take(order).pieces, first.pieces)
    assert torch.equal(second.take(order).starts, first.starts)
    fresh = mention("strike", "a")
    assert len(_embed(counted.encoder, [*_mentions(), fresh, fresh], tmp_path)) == 7
    assert counted.sequences == 6


def test_another_encoder_text_span_or_window_is_not_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = mention("flood", "a")
    _embed(load("tiny"), [own], tmp_path)
    other = Counted(monkeypatch, seed=1)
    _embed(other.encoder, [own], tmp_path)
    assert other.sequences == 1
    counted = Counted(monkeypatch)
    _embed(counted.encoder, [own], tmp_path)
    assert counted.sequences == 0
    for changed in (replace(own, start=0), replace(own, text=own.text + "!"), own):
        context = "mention" if changed is own else "passage"
        embed(counted.encoder, [changed], context, 0, batch_pieces=40, cache=tmp_path)  # type: ignore[arg-type]
    embed(counted.encoder, [own], "passage", 30, batch_pieces=40, cache=tmp_path)
    assert counted.sequences == 4


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_shard_is_encoded_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    counted = Counted(monkeypatch)
    first = _embed(counted.encoder, _mentions(), tmp_path)
    (shard,) = tmp_path.rglob("*.safetensors")
    content = bytearray(shard.read_bytes())
    content[-5] ^= 1
    shard.write_bytes(content[:-9] if damage == "cut" else content)
    again = _embed(counted.encoder, _mentions(), tmp_path)
    assert counted.sequences == 10
    assert torch.equal(again.pieces, first.pieces)
    assert f"{shard}: damaged, removed" in caplog.text
    _embed(counted.encoder, _mentions(), tmp_path)
    assert counted.sequences == 10


def test_what_was_written_before_a_kill_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "SHARD", 2)
    counted = Counted(monkeypatch)
    forward = counted.encoder.forward

    def killed(batch: Packed) -> torch.Tensor:
        if counted.sequences >= 3:
            raise KeyboardInterrupt
        return forward(batch)

    with monkeypatch.context() as patch:
        patch.setattr(counted.encoder, "forward", killed)
        with pytest.raises(KeyboardInterrupt):
            embed(counted.encoder, _mentions(), "passage", 0, batch_pieces=1, cache=tmp_path)
    before = counted.sequences
    _embed(counted.encoder, _mentions(), tmp_path)
    assert counted.sequences - before == 5 - 2  # a shard of two was whole
    assert not list(tmp_path.rglob("*.tmp"))


def test_mentions_are_taken_in_any_order_and_more_than_once() -> None:
    own = EmbeddedMentions(torch.arange(6.0)[:, None], torch.tensor([0, 1, 3, 6]))
    taken = own.take(torch.tensor([2, 0, 2]))
    assert taken.pieces.flatten().tolist() == [3, 4, 5, 0, 3, 4, 5]
    assert taken.starts.tolist() == [0, 3, 4, 7]
