"""A Marian model of Hugging Face's, such as those of opus-mt, from a folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import digest
from corefmill.builders.translation.pieces import by_pieces
from corefmill.builders.translation.protocol import as_many, one_line
from corefmill.corpora import model_folder
from corefmill.corpora.errors import DataError, UsageError

_PIECE = 500
"""Code points that go at once; the models have 512 places for tokens."""
_MOST_TOKENS = 512
_FILES = ("config.json", "vocab.json", "source.spm", "target.spm")


class Marian:
    """Translates by the model of a folder as `save_pretrained` writes it; it is loaded when asked.

    The folder does not say its languages: they are those given here. Raises `UsageError` where
    packages or the folder are missing, `DataError` for one that holds no such model.
    """

    def __init__(self, folder: Path, source: str = "en", target: str = "it") -> None:
        if not folder.is_dir():
            raise UsageError(
                f"no folder {folder}",
                remedy="name one that holds an opus-mt model, by --model",
            )
        _check(folder)
        missing = [
            name
            for name in ("torch", "transformers", "sentencepiece")
            if importlib.util.find_spec(name) is None
        ]
        if missing:
            raise UsageError(
                f"marian needs {missing[0]}, which is not installed",
                remedy="pip install 'corefmill[train,it]'",
            )
        self._folder = folder
        self.source, self.target = source, target
        self.name = f"marian {folder.resolve().name}"
        self.fingerprint = f"marian {digest.of_folder(folder)}"
        self._loaded: tuple[Any, Any] | None = None

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it; the search is as the folder's generation_config.json says."""
        lines = [one_line(text) for text in texts]
        found = by_pieces(lines, _PIECE, self._pieces)
        return as_many(self.name, lines, [one_line(line) for line in found])

    def _pieces(self, pieces: list[str]) -> list[str]:
        import torch

        if self._loaded is None:
            self._loaded = _load(self._folder)
        tokenizer, model = self._loaded
        found = []
        with torch.inference_mode():
            for piece in pieces:
                # Alone, since the padding of a batch, and the sums over one, change what is found.
                text = tokenizer(
                    [piece], return_tensors="pt", truncation=True, max_length=_MOST_TOKENS
                )
                found += tokenizer.batch_decode(model.generate(**text), skip_special_tokens=True)
        return found


def _check(folder: Path) -> None:
    for name in _FILES:
        if not (folder / name).is_file():
            raise DataError(
                f"no {name} in this folder",
                path=folder,
                remedy="a Marian model's folder is as Hugging Face's save_pretrained writes it",
            )
    model_folder.check(folder)
    if not any(folder.glob("*.safetensors")):
        pickled = any(folder.glob("*.bin"))
        raise DataError(
            "its weights are pickled, and reading them could run any program"
            if pickled
            else "no model.safetensors in this folder",
            path=folder,
            remedy="save them as model.safetensors, with save_pretrained, where they are trusted",
        )


def _load(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import MarianMTModel, MarianTokenizer
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    # Its bars and reports say nothing that is not checked here.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        tokenizer = MarianTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        model, loading = MarianMTModel.from_pretrained(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors and tokenizers have errors of no class of their own
        raise DataError(f"its model cannot be read: {error}", path=folder) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
    if loading["missing_keys"]:
        raise DataError(
            f"its weights lack {len(loading['missing_keys'])} of the network's tensors, "
            f"{sorted(loading['missing_keys'])[0]} the first",
            path=folder,
        )
    return tokenizer, model.eval()
