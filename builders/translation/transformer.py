"""Translators that are encoder-decoder models of transformers: Marian, NLLB, M2M100, MADLAD-400."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import digest
from corefmill.builders.translation.devices import BATCH_TOKENS, find_device
from corefmill.builders.translation.protocol import as_many, by_pieces
from corefmill.builders.translation.vocabulary import (
    EXAMPLE,
    FAMILIES,
    LOCAL,
    MOST_TOKENS,
    ModelVocabulary,
    first_line,
    reading,
)
from corefmill.corpora import disk, model_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.installation import install_command
from corefmill.corpora.printable import one_line

_PIECE = 500
"""Code points that go at once; the models were trained on sentences."""
_STEP = 8
"""Tokens by which one width is above the next."""
_MOST_BEAMS = 64
_OWN_DEFAULT = 20
"""What older versions of transformers take for `max_length` where a folder has none."""


class TransformerTranslator:
    """Translates by a model, whose network each worker loads when it is first asked for something.

    A batch's shape follows from each of its texts alone (see `batches`), and one thread computes:
    on the processor a translation is the same to the last bit whatever stands beside its text, on a
    GPU as far as the kernels compute a row alike wherever it stands in a table of one shape.
    Another device or number of tokens a batch may round and so translate otherwise.

    Args:
        model: a folder as `save_pretrained` writes it, or a name in the local Hugging Face cache;
            nothing is downloaded.
        source, target: by ISO 639-1, or as the model calls them.
        device: auto, cpu, cuda, or as `Device` writes itself.
        batch_tokens: how many are translated at once, by default those of `BATCH_TOKENS`.

    Raises:
        UsageError: the model, a package or the device is missing, or the model lacks a language.
        DataError: the folder holds no such model, or one that asks for code.
    """

    batch_texts = 512
    """Texts that it is best given at once: the more, the fewer batches are not full."""

    def __init__(
        self,
        model: str,
        source: str = "en",
        target: str = "it",
        *,
        device: str = "auto",
        batch_tokens: int | None = None,
    ) -> None:
        check_packages()
        self._folder = _find_folder(model)
        _check_folder(self._folder)
        self._device = find_device(device)
        self._budget = batch_tokens or BATCH_TOKENS[self._device.kind]
        self._vocabulary = ModelVocabulary(self._folder, source, target)
        self._network: Any = None
        self._longest = MOST_TOKENS
        self._last: dict[str, str] = {}
        self.source, self.target = source, target
        self.name = f"transformers {Path(model).name}"
        made_by = ["transformers", digest.of_folder(self._folder)]
        with suppress(importlib.metadata.PackageNotFoundError):  # by which Marian's read a text
            made_by.append(f"sacremoses {importlib.metadata.version('sacremoses')}")
        told = filter(None, self._vocabulary.languages)
        self.fingerprint = " ".join([*made_by, *told, str(self._device), str(self._budget)])

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
            texts = self._vocabulary.pieces(missing)
            for width, rows, places in batches([len(text) for text in texts], self._budget):
                made = self._generate([texts[place] for place in places], width, rows)
                translations = self._vocabulary.texts(made)
                known |= zip([missing[place] for place in places], translations, strict=True)
            self._last = known
        return [self._last[piece] for piece in pieces]

    def _generate(self, texts: Sequence[Sequence[int]], width: int, rows: int) -> list[list[int]]:
        """The pieces of the translation of each text, by the search that the folder sets.

        The network is given a table of `rows` by `width` pieces, whatever the texts: rows that are
        left over are the first text again.
        """
        import torch

        if self._network is None:
            self._load_network()
        pieces = torch.full((rows, width), self._vocabulary.pad)  # [rows, width]
        real = torch.zeros((rows, width), dtype=torch.int64)  # [rows, width], 1 where one stands
        for row, text in enumerate([*texts, *[texts[0]] * (rows - len(texts))]):
            pieces[row, : len(text)] = torch.tensor(text)
            real[row, : len(text)] = 1
        first, device = self._vocabulary.first, self._network.device
        try:
            with torch.inference_mode():
                made = self._network.generate(
                    input_ids=pieces.to(device),
                    attention_mask=real.to(device),
                    # A text of a few pieces that the network repeats for ever ends here.
                    max_new_tokens=min(2 * width + 32, self._longest - 1),
                    **({} if first is None else {"forced_bos_token_id": first}),
                )
        except torch.OutOfMemoryError as error:  # which is no text's fault
            raise UsageError(
                f"the memory of {device} ran out at a batch of {rows} by {width} tokens",
                remedy="give a smaller --set batch_tokens=N, or fewer --workers to a GPU",
            ) from error
        except Exception as error:  # whatever the settings of a search make transformers raise
            raise DataError(
                f"its network cannot translate: {first_line(error)}",
                path=self._folder,
                remedy="copy the whole folder again, or translate with another model",
            ) from error
        return [list(row) for row in made[: len(texts)].tolist()]

    def _load_network(self) -> None:
        """Load it on its device; before anything is allocated, see that its weights fill it."""
        import torch
        import transformers

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # How a sum is rounded follows from how threads share it; for more cores are more workers.
        torch.set_num_threads(1)
        kind, folder = transformers.AutoModelForSeq2SeqLM, str(self._folder)
        with reading(self._folder, "model"):
            config = transformers.AutoConfig.from_pretrained(folder, **LOCAL)
            with torch.device("meta"):  # where tensors have a size, and take no memory
                outline = kind.from_config(config)
            wanted = sum(one.numel() for one in (*outline.parameters(), *outline.buffers()))
            model_folder.check_size(self._folder, wanted, model_folder.numbers(self._folder))
            how = {**LOCAL, "use_safetensors": True, "dtype": self._device.dtype()}
            network, loading = kind.from_pretrained(folder, **how, output_loading_info=True)
            search = network.generation_config
            if not 1 <= (search.num_beams or 1) <= _MOST_BEAMS:
                said = f"asks for {search.num_beams} beams, and {_MOST_BEAMS} is the most"
                raise DataError(f"its generation_config.json {said}", path=self._folder)
            if missing := sorted(loading["missing_keys"]):
                said = f"{len(missing)} of the network's tensors, {missing[0]} the first"
                raise DataError(f"its weights lack {said}", path=self._folder)
            if search.max_length not in (None, _OWN_DEFAULT):
                self._longest = search.max_length
            # Nothing is drawn, and one translation is asked for, whatever the folder is used to.
            search.update(
                do_sample=False,
                num_return_sequences=1,
                return_dict_in_generate=False,
                max_length=None,
                pad_token_id=self._vocabulary.pad,
            )
            self._network = network.to(self._device.here()).eval()


def batches(lengths: Sequence[int], budget: int) -> Iterator[tuple[int, int, list[int]]]:
    """Put every text in one batch, by its length in tokens: width, rows, and the texts' numbers.

    A batch has at most `budget` tokens. A product of matrices rounds a row's sums by the size of
    the whole, and a mask that hides nothing takes another kernel than one that does. So the width
    follows from a text's own length, every text is padded by one token or more, and the number of
    rows follows from the width: a batch that is not full is filled up.
    """
    by_width = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    for width, group in groupby(by_width, lambda place: _STEP * (lengths[place] // _STEP + 1)):
        places = list(group)
        rows = max(1, budget // width)
        for first in range(0, len(places), rows):
            yield width, rows, places[first : first + rows]


def check_packages() -> None:
    """Raises `UsageError` where a package is not installed that the models need."""
    for package in ("torch", "transformers", "sentencepiece"):
        if importlib.util.find_spec(package) is None:
            raise UsageError(
                f"transformers needs {package}, which is not installed",
                remedy=install_command("translators"),
            )


def _find_folder(model: str) -> Path:
    """Find a model by its folder, or by its name in the local Hugging Face cache."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise UsageError(
            f"no model {model!r}: neither a folder nor in the local Hugging Face cache",
            remedy=f"`hf download {EXAMPLE}` fetches one; name it by --model",
        ) from error


def _check_folder(folder: Path) -> None:
    """Raises `DataError` for a folder that holds no such model, one that asks for code or a network
    beyond all bounds, or one whose weights are pickled."""
    if not (folder / "config.json").is_file():
        raise DataError(
            "no config.json in this folder",
            path=folder,
            remedy="a model's folder is as Hugging Face's save_pretrained writes it",
        )
    model_folder.check(folder)
    kind = disk.json(folder / "config.json").get("model_type")
    if kind not in FAMILIES:
        raise DataError(
            f"holds a model of the kind {str(kind)[:40]}",
            path=folder,
            remedy=f"there are {', '.join(FAMILIES)}; {EXAMPLE} is one",
        )
    if not any(folder.glob("*.safetensors")):
        said = "no model.safetensors in this folder"
        if any(folder.glob("*.bin")):
            said = "its weights are pickled, and reading them could run any program"
        raise DataError(
            said,
            path=folder,
            remedy="save them as model.safetensors, with save_pretrained, where they are trusted",
        )
