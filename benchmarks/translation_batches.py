"""Compares ways to put texts into batches for a translation model, by processor time.

    python -m benchmarks.translation_batches [--texts 64] [--seed 0]

The network is Marian's, as large as opus-mt's without the words (six layers each, 512 wide, 8,000
pieces), of random weights, with four beams and one thread. Texts are as long as the sentences of
the sample that ships, at four characters a piece, and of random pieces; each translation is as long
as its text, and a batch runs as long as its longest. Three ways: each text alone; sixteen at a time
in their order, padded to the longest; and batches by tokens, whose shapes each text decides. Then
the encoder reads the texts in two orders, and counted is of how many a state came out otherwise.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import torch
from transformers import MarianConfig, MarianMTModel

from benchmarks.translation_order import sentences
from corefmill.builders.translate.english import source
from corefmill.builders.translation.batches import TranslationBatch, batches
from corefmill.builders.translation.network import tables

_PIECES = 8000
_PAD = _PIECES - 1
_BUDGETS = (64, 128, 256, 512)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=64, help="how many sentences")
    parser.add_argument("--seed", type=int, default=0, help="of the draw, the weights, the orders")
    options = parser.parse_args()
    texts = drawn(options.texts, options.seed)
    print(f"{len(texts)} texts of {sum(map(len, texts)) / len(texts):.1f} pieces", flush=True)
    torch.set_num_threads(1)
    model = network(options.seed)
    generated(model, TranslationBatch(8 + len(texts[0]), 1, [0]), texts)  # warms up
    usual = 0.0
    for way in ("alone", "sixteen", *map(str, _BUDGETS)):
        before = time.process_time()
        for batch in cut(way, texts):
            generated(model, batch, texts)
        spent = time.process_time() - before
        usual = usual or spent
        print(
            f"{way:>8} {spent:6.1f} s, {spent / len(texts) * 1000:5.0f} ms a text,"
            f" {usual / spent:.2f} times as fast as alone; {changed(model, way, texts)} of"
            f" {len(texts)} texts with another state in another order",
            flush=True,
        )


def drawn(count: int, seed: int) -> list[list[int]]:
    """Texts as random pieces, as long as sentences of the sample."""
    random = Random(seed)
    lengths = [len(text) // 4 + 2 for text in sentences(source.sample(), count, seed)]
    return [[random.randrange(2, _PAD) for _ in range(length)] for length in lengths]


def network(seed: int) -> Any:
    """The network, which says no end before it is as long as it may be."""
    torch.manual_seed(seed)
    config = MarianConfig(
        vocab_size=_PIECES,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        pad_token_id=_PAD,
        eos_token_id=0,
        forced_eos_token_id=0,
        decoder_start_token_id=_PAD,
    )
    made = MarianMTModel(config).eval()
    made.generation_config.update(bad_words_ids=[[_PAD], [0]], num_beams=4, max_length=None)
    return made


def generated(model: Any, batch: TranslationBatch, texts: Sequence[list[int]]) -> None:
    """Translates a batch for as long as its longest text."""
    own = [texts[place] for place in batch.places]
    pieces, real = tables(own, width=batch.width, rows=batch.rows, pad=_PAD)
    with torch.inference_mode():
        model.generate(input_ids=pieces, attention_mask=real, max_new_tokens=max(map(len, own)))


def cut(way: str, texts: Sequence[Sequence[int]]) -> Iterator[TranslationBatch]:
    """The batches of a way, with their shapes."""
    if way not in ("alone", "sixteen"):
        yield from batches([len(text) for text in texts], int(way))
        return
    size = 16 if way == "sixteen" else 1
    for first in range(0, len(texts), size):
        places = list(range(first, min(first + size, len(texts))))
        yield TranslationBatch(max(len(texts[place]) for place in places), len(places), places)


def changed(model: Any, way: str, texts: Sequence[list[int]]) -> int:
    """Of how many texts the encoder makes something else, to the last bit, in another order."""
    order = list(range(len(texts)))
    Random(1).shuffle(order)
    first = states(model, way, texts)
    other = states(model, way, [texts[place] for place in order])
    return sum(
        not torch.equal(first[place], state) for place, state in zip(order, other, strict=True)
    )


def states(model: Any, way: str, texts: Sequence[list[int]]) -> list[Any]:
    """What the encoder makes of each text, [pieces, 512]."""
    found: list[Any] = [None] * len(texts)
    for batch in cut(way, texts):
        own = [texts[place] for place in batch.places]
        pieces, real = tables(own, width=batch.width, rows=batch.rows, pad=_PAD)
        with torch.inference_mode():
            made = model.get_encoder()(input_ids=pieces, attention_mask=real).last_hidden_state
        for row, place in enumerate(batch.places):
            found[place] = made[row, : len(texts[place])].clone()
    return found


if __name__ == "__main__":
    main()
