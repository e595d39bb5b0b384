"""Translate by encoder-decoder models of transformers: Marian, NLLB, M2M100, MADLAD-400."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.translate.engines.protocol import (
    BATCH_TOKENS,
    Device,
    find_device,
    translate_lines,
)
from corefmill.corpora import model_folder
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import (
    CorefmillError,
    DataError,
    UsageError,
    did_you_mean,
    install_command,
)

LOCAL = {"local_files_only": True, "trust_remote_code": False}
"""Arguments for every reading by transformers: nothing is downloaded, no folder's code is run."""
MOST_TOKENS = 512
"""Most tokens of a text or a translation; Marian's networks have no more positions."""
EXAMPLE = "facebook/nllb-200-distilled-600M"
_SHOWN = 120
"""Languages of a model that an error's line names."""


class ModelFamily(NamedTuple):
    """How models of one `model_type` mark the languages in their vocabulary.

    `mark` matches the tokens of a vocabulary that stand for languages; its groups are their names.
    If `forced`, the mark is the first token of a translation, and the tokenizer is told the source
    language. Otherwise the mark goes before the text, and the source language is not told.
    """

    mark: str
    forced: bool


FAMILIES = {
    "marian": ModelFamily(">>([^<>]+)<<", forced=False),
    "m2m_100": ModelFamily("__([A-Za-z_]{2,8}?)__|([a-z]{3}_[A-Z][a-z]{3})", forced=True),
    "t5": ModelFamily("<2([^<>]+)>", forced=False),  # MADLAD-400
}
"""By `model_type` of config.json; NLLB is an m2m_100 whose languages are called ita_Latn."""


class ModelVocabulary:
    """A model's tokenizer for two languages, from texts to numbered pieces and back.

    `languages` are the names that the model is told, empty for none; `first` is the piece that a
    translation is forced to begin with, None for none. Raises `DataError` for a tokenizer that
    cannot be read or belongs to another model, `UsageError` if the model lacks a language.
    """

    def __init__(self, folder: Path, source: str, target: str) -> None:
        import transformers

        self._folder = folder
        with convert_errors(folder, "tokenizer"):
            config = disk.read_json(folder / "config.json")
            family = FAMILIES[config["model_type"]]
            self._rows = int(config.get("vocab_size") or 0)
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(folder), **LOCAL)
            known = {
                **getattr(self._tokenizer, "lang_token_to_id", {}),
                **self._tokenizer.get_vocab(),
            }
            self.pad = int(self._tokenizer.pad_token_id)
        matches = (re.fullmatch(family.mark, token) for token, row in known.items())
        marks = {match[match.lastindex or 0]: match[0] for match in matches if match}
        self._marks = {name: mark for name, mark in marks.items() if known[mark] < self._rows}
        self._rows_of_marks = {known[mark] for mark in self._marks.values()}
        told = self._name_language(target)
        self.languages = (self._name_language(source) if family.forced else "", told)
        mark = self._marks.get(told, "")
        self.first = known[mark] if family.forced else None
        self._before = f"{mark} " if mark and not family.forced else ""
        if family.forced:
            self._tokenizer.src_lang = self.languages[0]
        if self._before and known[mark] not in self.pieces([""])[0]:
            raise DataError(f"the model's tokenizer splits the language mark {mark}", path=folder)

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Convert each text to the numbers of its pieces, with the language marks."""
        with convert_errors(self._folder, "tokenizer"):
            found: list[list[int]] = self._tokenizer(
                [self._before + text for text in texts],
                truncation=True,
                # One place is left for padding.
                max_length=MOST_TOKENS - 1,
            )["input_ids"]
        last = max(max(text) for text in found)
        if last >= self._rows:
            raise DataError(
                f"the model's tokenizer has a piece {last:,}, its network only {self._rows:,}",
                path=self._folder,
                remedy="copy the whole folder again",
            )
        return found

    def texts(self, translations: Sequence[Sequence[int]]) -> list[str]:
        """Convert the pieces of translations to texts, without language marks."""
        plain = [[row for row in rows if row not in self._rows_of_marks] for rows in translations]
        found: list[str] = self._tokenizer.batch_decode(plain, skip_special_tokens=True)
        return found

    def _name_language(self, language: str) -> str:
        """Find the model's name of a language, empty for its only target language."""
        name = find_language_name(language, self._marks)
        if name is not None:
            return name
        # A Marian model for one language has no marks, or some that came with its texts.
        only = getattr(self._tokenizer, "target_lang", None)
        if only and (not self._marks or find_language_name(language, {str(only): ""}) is not None):
            return ""
        if not self._marks:
            raise DataError(
                "the model's vocabulary has no languages: this is not a translation model",
                path=self._folder,
                remedy=f"name a translation model, such as {EXAMPLE}",
            )
        names = sorted(self._marks)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise UsageError(
            f"this model has no language {language!r}{did_you_mean(language, names)}",
            path=self._folder,
            remedy=f"it has {', '.join(names[:_SHOWN])}{more}",
        )


def find_language_name(language: str, names: Mapping[str, str]) -> str | None:
    """Find a model's name for a language, from an ISO 639-1 code or the name itself.

    Returns None if the model does not know the language.
    """
    table = disk.read_package_table(__file__, "languages")
    long = table["iso639_3"].get(language, language)
    for name in (language, *table["names"].get(language, ()), long):
        if name in names:
            return str(name)
    scripts = [name for name in names if name.startswith(f"{long}_")]
    return scripts[0] if len(scripts) == 1 else None


@contextmanager
def convert_errors(folder: Path, what: str) -> Iterator[None]:
    """Silence transformers' progress bars while reading, and turn failures into `DataError`."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except CorefmillError:
        raise
    except (
        BaseException
    ) as error:  # safetensors and tokenizers have errors of no class of their own
        # A panic of theirs is not even an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"the model's {what} cannot be read: {first_line(error)}", path=folder
        ) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def first_line(error: BaseException) -> str:
    """Take the first line of a library's error; the rest is advice for its own callers."""
    return next(iter(str(error).splitlines()), "")[:200] or type(error).__name__


_PIECE = 500
"""Code points that go at once; the models were trained on sentences."""
_STEP = 8
"""Tokens between one width and the next."""
_MOST_BEAMS = 64
_OWN_DEFAULT = 20
"""The `max_length` that older versions of transformers use if a folder has none."""


class TransformerTranslator:
    """Translate by a model, loaded by each worker at its first text.

    A batch's shape follows from each of its texts alone (see `batches`), and one thread computes.
    So on the CPU a translation is the same to the last bit whatever texts are in the batch. On a
    GPU this holds if the kernels compute a row alike at every place of a tensor of the same shape.
    Another device or number of tokens a batch may round, and so translate, differently.

    Args:
        model: a folder as `save_pretrained` writes it, or a name in the local Hugging Face cache;
            nothing is downloaded.
        source, target: by ISO 639-1, or as the model calls them.
        device: by default a GPU if there is one.
        batch_tokens: how many are translated at once, by default those of `BATCH_TOKENS`.

    Raises:
        UsageError: the model or a package is missing, or the model lacks a language.
        DataError: the folder holds no such model, or one that asks for code.
    """

    batch_texts = 512
    """Texts that it should get at once: the more, the fewer batches are not full."""

    def __init__(
        self,
        model: str,
        source: str = "en",
        target: str = "it",
        *,
        device: Device | None = None,
        batch_tokens: int | None = None,
    ) -> None:
        check_packages()
        self._folder = _find_folder(model)
        _check_folder(self._folder)
        self._device = device or find_device()
        self._budget = batch_tokens or BATCH_TOKENS[self._device.kind]
        self._vocabulary = ModelVocabulary(self._folder, source, target)
        self._network: Any = None
        self._longest = MOST_TOKENS
        self.source, self.target = source, target
        self.name = f"transformers {Path(model).name}"
        made_by = ["transformers", disk.hash_folder(self._folder)]
        with suppress(importlib.metadata.PackageNotFoundError):  # by which Marian's read a text
            made_by.append(f"sacremoses {importlib.metadata.version('sacremoses')}")
        told = filter(None, self._vocabulary.languages)
        self.fingerprint = " ".join([*made_by, *told, str(self._device), str(self._budget)])

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate as the protocol says; generation_config.json of the folder sets the search."""
        return translate_lines(self.name, texts, _PIECE, self._translate)

    def _translate(self, pieces: list[str]) -> list[str]:
        """Translate distinct pieces of text in batches of equal width."""
        distinct = list(dict.fromkeys(pieces))
        known: dict[str, str] = {}
        texts = self._vocabulary.pieces(distinct) if distinct else []
        for width, rows, places in batches([len(text) for text in texts], self._budget):
            made = self._generate([texts[place] for place in places], width, rows)
            translations = self._vocabulary.texts(made)
            known |= zip([distinct[place] for place in places], translations, strict=True)
        return [known[piece] for piece in pieces]

    def _generate(self, texts: Sequence[Sequence[int]], width: int, rows: int) -> list[list[int]]:
        """Generate the translations of a padded batch by the model's search settings.

        The network always gets a tensor of [rows, width] pieces: the first text fills unused rows.
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
        except torch.OutOfMemoryError as error:  # not the fault of a text
            raise UsageError(
                f"the memory of {device} ran out at a batch of {rows} by {width} tokens",
                remedy="use fewer --workers on a GPU, or a smaller model",
            ) from error
        except Exception as error:  # whatever the settings of a search make transformers raise
            raise DataError(
                f"the model's network cannot translate: {first_line(error)}",
                path=self._folder,
                remedy="copy the whole folder again, or translate with another model",
            ) from error
        return [list(row) for row in made[: len(texts)].tolist()]

    def _load_network(self) -> None:
        """Check that the weights match the configuration, then load the network."""
        import torch
        import transformers

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Threads that share a sum change its rounding; use more workers for more cores.
        torch.set_num_threads(1)
        kind, folder = transformers.AutoModelForSeq2SeqLM, str(self._folder)
        with convert_errors(self._folder, "model"):
            config = transformers.AutoConfig.from_pretrained(folder, **LOCAL)
            with torch.device("meta"):  # where tensors have a size, and take no memory
                outline = kind.from_config(config)
            wanted = sum(one.numel() for one in (*outline.parameters(), *outline.buffers()))
            model_folder.check_size(
                self._folder, wanted, model_folder.count_parameters(self._folder)
            )
            how = {**LOCAL, "use_safetensors": True, "dtype": self._device.dtype()}
            network, loading = kind.from_pretrained(folder, **how, output_loading_info=True)
            search = network.generation_config
            if not 1 <= (search.num_beams or 1) <= _MOST_BEAMS:
                said = f"asks for {search.num_beams} beams; at most {_MOST_BEAMS} are allowed"
                raise DataError(f"the model's generation_config.json {said}", path=self._folder)
            if missing := sorted(loading["missing_keys"]):
                said = f"{len(missing)} of the network's tensors, such as {missing[0]}"
                raise DataError(f"the model's weights lack {said}", path=self._folder)
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
            self._network = network.to(self._device.torch_device()).eval()


def batches(lengths: Sequence[int], budget: int) -> Iterator[tuple[int, int, list[int]]]:
    """Group texts by length into batches; yield width, rows and the texts' numbers.

    A batch has at most `budget` tokens. The rounding of a matrix product depends on the size of the
    whole matrix, and a mask that hides nothing takes another kernel. So the width follows from a
    text's own length, every text is padded by one token or more, and the number of rows follows
    from the width: a batch that is not full is filled up.
    """
    by_width = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    for width, group in groupby(by_width, lambda place: _STEP * (lengths[place] // _STEP + 1)):
        places = list(group)
        rows = max(1, budget // width)
        for first in range(0, len(places), rows):
            yield width, rows, places[first : first + rows]


def check_packages() -> None:
    """Raise `UsageError` if a package that transformer models need is not installed."""
    for package in ("torch", "transformers", "sentencepiece"):
        if importlib.util.find_spec(package) is None:
            raise UsageError(
                f"the translator transformers needs {package}, which is not installed",
                remedy=install_command("translators"),
            )


def _find_folder(model: str) -> Path:
    """Find a model's folder by its path, or by its name in the local Hugging Face cache."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise UsageError(
            f"no model {model!r}: neither a folder nor in the local Hugging Face cache",
            remedy=f"download one, such as `hf download {EXAMPLE}`; name it by --model",
        ) from error


def _check_folder(folder: Path) -> None:
    """Raise `DataError` for a folder without a supported, safe and loadable translation model."""
    if not (folder / "config.json").is_file():
        raise DataError(
            "no config.json in this folder",
            path=folder,
            remedy="name a folder that Hugging Face's save_pretrained has written",
        )
    model_folder.check(folder)
    kind = disk.read_json(folder / "config.json").get("model_type")
    if kind not in FAMILIES:
        raise DataError(
            f"holds a model of the kind {str(kind)[:40]}, which is not supported",
            path=folder,
            remedy=f"name one of the kind {', '.join(FAMILIES)}, such as {EXAMPLE}",
        )
    if not any(folder.glob("*.safetensors")):
        said = "no model.safetensors in this folder"
        if any(folder.glob("*.bin")):
            said = "the weights are pickled, and reading them could run any program"
        raise DataError(
            said,
            path=folder,
            remedy="save weights that you trust as model.safetensors, by save_pretrained",
        )
