"""The network of a translation model, read from its folder and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.builders.translation.devices import Device
from corefmill.builders.translation.kinds import (
    LOCAL,
    MOST_TOKENS,
    ModelKind,
    first_line,
    reading,
)
from corefmill.corpora import model_folder
from corefmill.corpora.errors import CorefmillError, DataError, UsageError

if TYPE_CHECKING:
    import torch

_MOST_BEAMS = 64
_OWN_DEFAULT = 20
"""What older versions of transformers take for `max_length` where a folder has none."""


class TranslationNetwork:
    """A network on its device, which makes pieces of translations out of pieces of texts.

    One thread of the processor works, since how a sum is rounded follows from how threads share
    it: what more cores are for is more --workers. Raises `DataError` for a folder that cannot be
    read, and before anything is allocated for one that describes more than its weights fill.
    """

    def __init__(self, kind: ModelKind, folder: Path, device: Device, pad: int) -> None:
        import torch
        import transformers

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        torch.set_num_threads(1)
        of_kind = getattr(transformers, kind.network)
        with reading(folder, "model"):
            config = of_kind.config_class.from_pretrained(str(folder), **LOCAL)
            with torch.device("meta"):  # where tensors have a size, and take no memory
                outline = of_kind(config)
            wanted = sum(one.numel() for one in (*outline.parameters(), *outline.buffers()))
            model_folder.check_size(folder, wanted, model_folder.numbers(folder))
            network, loading = of_kind.from_pretrained(
                str(folder),
                **LOCAL,
                use_safetensors=True,
                dtype=device.dtype(),
                output_loading_info=True,
            )
            search = network.generation_config
            if not 1 <= (search.num_beams or 1) <= _MOST_BEAMS:
                raise DataError(
                    f"its generation_config.json asks for {search.num_beams} beams,"
                    f" and {_MOST_BEAMS} is the most",
                    path=folder,
                )
        if missing := sorted(loading["missing_keys"]):
            raise DataError(
                f"its weights lack {len(missing)} of the network's tensors, {missing[0]} the first",
                path=folder,
            )
        self._device = device.here()
        self._pad = pad
        self._folder = folder
        with self._memory("while it loaded the network"):
            self._network = network.to(self._device).eval()
        longest = search.max_length
        self._longest = longest if longest and longest != _OWN_DEFAULT else MOST_TOKENS
        # Nothing is drawn, and one translation is asked for, whatever the folder is used to.
        search.update(
            do_sample=False,
            num_return_sequences=1,
            return_dict_in_generate=False,
            max_length=None,
            pad_token_id=pad,
        )

    def generated(
        self, texts: Sequence[Sequence[int]], *, width: int, rows: int, first: int | None
    ) -> list[list[int]]:
        """The pieces of the translation of each text, by the search that the folder sets.

        Args:
            texts: their pieces, at most `rows` texts of less than `width` pieces.
            width, rows: the shape of what the network is given, whatever the texts.
            first: the piece with which a translation begins, None where that is not set.
        """
        import torch

        pieces, real = tables(texts, width=width, rows=rows, pad=self._pad)
        forced = {} if first is None else {"forced_bos_token_id": first}
        try:
            with torch.inference_mode(), self._memory(f"at a batch of {rows} by {width} tokens"):
                made = self._network.generate(
                    input_ids=pieces.to(self._device),
                    attention_mask=real.to(self._device),
                    # A text of a few pieces that the network repeats for ever ends here.
                    max_new_tokens=min(2 * width + 32, self._longest - 1),
                    **forced,
                )
        except CorefmillError:
            raise
        except Exception as error:  # whatever the settings of a search make transformers raise
            raise DataError(
                f"its network cannot translate: {first_line(error)}",
                path=self._folder,
                remedy="copy the whole folder again, or translate with another model",
            ) from error
        return [list(row) for row in made[: len(texts)].tolist()]

    @contextmanager
    def _memory(self, when: str) -> Iterator[None]:
        """Says when a GPU's memory ran out, which is no text's fault."""
        import torch

        try:
            yield
        except torch.OutOfMemoryError as error:
            raise UsageError(
                f"the memory of {self._device} ran out {when}",
                remedy="give fewer --batch-tokens, or fewer --workers to a GPU",
            ) from error


def tables(
    texts: Sequence[Sequence[int]], *, width: int, rows: int, pad: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts as a network takes them: their pieces, and 1 where there are some, [rows, width] int64.

    Rows that are left over are the first text again.
    """
    import torch

    pieces = torch.full((rows, width), pad)
    real = torch.zeros((rows, width), dtype=torch.int64)
    for row, text in enumerate([*texts, *[texts[0]] * (rows - len(texts))]):
        pieces[row, : len(text)] = torch.tensor(text)
        real[row, : len(text)] = 1
    return pieces, real
