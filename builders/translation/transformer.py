"""Translators that are encoder-decoder models of transformers: Marian, NLLB, M2M100, MADLAD-400."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corefmill.builders.nlp import digest
from corefmill.builders.translation.batches import batches
from corefmill.builders.translation.devices import BATCH_TOKENS, chosen
from corefmill.builders.translation.kinds import check_folder, kinds
from corefmill.builders.translation.network import TranslationNetwork
from corefmill.builders.translation.pieces import by_pieces
from corefmill.builders.translation.protocol import as_many
from corefmill.builders.translation.vocabulary import ModelVocabulary
from corefmill.corpora.printable import one_line

_PIECE = 500
"""Code points that go at once; the models were trained on sentences."""


class TransformerTranslator:
    """Translates by a model's folder as `save_pretrained` writes it.

    The network is loaded when it is first asked for something; each worker loads its own, on the
    GPU that is its turn where there are some.

    A batch's shape follows from each of its texts alone (see `batches`), and one thread computes,
    so that in fp32 on the processor what is found for a text is the same whatever stands beside
    it, to the last bit. On a GPU, and in bf16 or fp16, shapes are as fixed, so that a translation
    does not depend on its neighbours as far as the kernels compute a row alike wherever it stands
    in a table of one shape. Another device, precision or number of tokens a batch rounds otherwise
    and may translate otherwise, so the fingerprint holds them.

    Args:
        name: of the kind, one of `kinds`.
        folder: with config.json, a tokenizer and safetensors; nothing is downloaded.
        source, target: by ISO 639-1, or as the model calls them.
        device: auto, cpu or cuda.
        precision: auto, fp32, bf16 or fp16.
        batch_tokens: how many are translated at once; by default 256 on the processor, 4,096 on a
            GPU.

    Raises:
        UsageError: the folder, a package or the device is missing, or the model lacks a language.
        DataError: the folder holds no such model, or one that asks for code.
    """

    batch_texts = 512
    """How many texts it is best given in one call: the more, the fewer batches are not full."""

    def __init__(
        self,
        name: str,
        folder: Path,
        source: str = "en",
        target: str = "it",
        *,
        device: str = "auto",
        precision: str = "auto",
        batch_tokens: int | None = None,
    ) -> None:
        self._kind = kinds()[name]
        self._folder = folder
        check_folder(self._kind, folder)
        self._device = chosen(device, precision)
        self._budget = batch_tokens or BATCH_TOKENS[self._device.kind]
        self._vocabulary = ModelVocabulary(self._kind, folder, source, target)
        self._network: TranslationNetwork | None = None
        self._last: dict[str, str] = {}
        self.source, self.target = source, target
        self.name = f"{name} {folder.resolve().name}"
        made_by = (name, digest.of_folder(folder), self._vocabulary.helpers)
        told = (*self._vocabulary.languages, *self._device, str(self._budget))
        self.fingerprint = " ".join(part for part in (*made_by, *told) if part)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it; the search is as the folder's generation_config.json says."""
        lines = [one_line(text) for text in texts]
        found = by_pieces(lines, _PIECE, self._pieces)
        return as_many(self.name, lines, [one_line(line) for line in found])

    def _pieces(self, pieces: list[str]) -> list[str]:
        # Whoever asks for many, and is told that one has no translation, asks for each alone then:
        # a batch for each of what was just found.
        if missing := [piece for piece in dict.fromkeys(pieces) if piece not in self._last]:
            known = {piece: self._last[piece] for piece in pieces if piece in self._last}
            self._last = known | dict(zip(missing, self._translated(missing), strict=True))
        return [self._last[piece] for piece in pieces]

    def _translated(self, pieces: list[str]) -> list[str]:
        if self._network is None:
            self._network = TranslationNetwork(
                self._kind, self._folder, self._device, self._vocabulary.pad
            )
        rows = self._vocabulary.pieces(pieces)
        found = [""] * len(pieces)
        for batch in batches([len(row) for row in rows], self._budget):
            made = self._network.generated(
                [rows[place] for place in batch.places],
                width=batch.width,
                rows=batch.rows,
                first=self._vocabulary.first,
            )
            for place, text in zip(batch.places, self._vocabulary.texts(made), strict=True):
                found[place] = text
        return found
