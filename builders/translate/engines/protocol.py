"""The interface of a translator, the requests to one, its device, and checks of its answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from corefmill.builders.run.executors import worker_number
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import one_line, shorten

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorRequest:
    """A user's request for a translator; None for an option that was not given.

    `name` is one of `resolve.TRANSLATORS`, None the best that is installed. `source` and `target`
    are ISO 639-1 codes; `sample` says that the texts are those of corefmill's sample. Translations
    are kept in `cache`; texts that no table has are noted down in the build's own folder `missing`.
    `device` is resolved before tasks start; `timeout` is the seconds of an answer. The translator's
    entry says which of the other fields it takes.
    """

    name: str | None = None
    source: str = "en"
    target: str = "it"
    sample: bool = False
    cache: Path | None = None
    missing: Path | None = None
    model: str | None = None
    device: Device | None = None
    url: str | None = None
    timeout: float | None = None
    command: str | None = None
    table: tuple[Path, ...] = ()
    list_texts: Path | None = None
    allow_missing: bool = False


class Engine(Protocol):
    """A program, model or service that translates between two languages (ISO 639-1 codes)."""

    @property
    def name(self) -> str:
        """The name of --translator, with the engine's own details."""

    @property
    def source(self) -> str:
        """The language of the texts."""

    @property
    def target(self) -> str:
        """The language of the translations."""

    @property
    def fingerprint(self) -> str:
        """The cache's key: equal for engines with equal translations."""


class Translator(Engine, Protocol):
    """An engine that translates batches of texts; costly engines have `answers.Cached` in front."""

    def translate(self, texts: Sequence[str]) -> Sequence[str | DataError]:
        """Translate each text, in order, into one line; a blank text into an empty one.

        A text that fails gives its error in place of a translation. A translation depends on its
        text alone, not on other texts, so that neither the number of workers nor a stop nor a cache
        changes a corpus.

        Raises `UsageError` if the engine or its model is missing. A bare engine may raise
        `DataError` for a whole batch; `Cached` then asks it for each text.
        """


@runtime_checkable
class AnsweringEngine(Engine, Protocol):
    """An engine with costly answers, which `Cached` saves one by one."""

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """Yield each text (one line, not empty, no duplicates) with its translation or error.

        A text that fails comes with its error; the other texts are still answered.
        """


class NotAnswered(DataError):
    """The error of a text without a translation yet; the caller must not send another wording."""


class UnusableAnswer(DataError):
    """The error of an answer that is not a translation; `why` is the reason in one word."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


def cut_line(line: str, most: int) -> list[str]:
    """Split a line at sentence ends or blanks into pieces of at most `most` code points.

    Cuts are after a sentence's end, else at a blank, else anywhere. An empty line has no pieces.
    """
    pieces = []
    start = 0
    while len(line) - start > most:
        stop = start + most
        ends = [match.end() for match in _SENTENCE_END.finditer(line, start, stop)]
        at = ends[-1] if ends else line.rfind(" ", start, stop) + 1 or stop
        pieces.append(line[start:at].rstrip())
        start = at
    return [piece for piece in [*pieces, line[start:]] if piece]


def translate_lines(
    name: str, texts: Sequence[str], most: int, translate: Callable[[list[str]], Sequence[str]]
) -> list[str | DataError]:
    """Translate texts in pieces of at most `most` code points, and join the translations.

    An empty translation of a text becomes an error in the engine's `name`.
    """
    pieces = [cut_line(one_line(text), most) for text in texts]
    found = iter(translate([piece for line in pieces for piece in line]))
    made = [one_line(" ".join(islice(found, len(line)))) for line in pieces]
    return [
        answer
        if answer or not line
        else DataError(
            f"{name} gave an empty translation of {shorten(text)}",
            remedy="leave the text out, or name another translator by --translator",
        )
        for text, line, answer in zip(texts, pieces, made, strict=True)
    ]


if TYPE_CHECKING:
    import torch


BATCH_TOKENS = {"cpu": 256, "cuda": 4096}
"""Default number of tokens in a batch, padding included. One core gains nothing by more."""


class Device(NamedTuple):
    """The device of a network: `kind` is cpu or cuda, `precision` fp32, bf16 or fp16."""

    kind: str
    precision: str

    def __str__(self) -> str:
        return f"{self.kind} {self.precision}"

    def torch_device(self) -> torch.device:
        """Return the device of this worker: workers share several GPUs in turn.

        On a cluster the GPUs are those that the task sees. Raises `DataError` if the task sees
        none, since the build began with one.
        """
        import torch

        if self.kind == "cpu":
            return torch.device("cpu")
        count = torch.cuda.device_count()
        if not count:
            raise DataError(
                "this worker has no GPU, but the build was started with one",
                remedy="request a GPU for each --tasks, or start the build without any GPU",
            )
        return torch.device("cuda", worker_number() % count)

    def dtype(self) -> torch.dtype:
        """The number type of torch for this precision."""
        import torch

        return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[
            self.precision
        ]


def find_device() -> Device:
    """Choose the device of a network: a GPU with 16-bit numbers if there is one, else the CPU."""
    import torch

    if not torch.cuda.is_available():
        return Device("cpu", "fp32")
    has = torch.cuda.is_bf16_supported(including_emulation=False)
    return Device("cuda", "bf16" if has else "fp16")
