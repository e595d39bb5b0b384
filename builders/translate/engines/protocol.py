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
    """A user's request to a translator; None is what was not given.

    `name` is one of `resolve.TRANSLATORS`, None the best that is installed. `source` and `target`
    are ISO 639-1 codes; `sample` says that the texts are those of the sample that ships.
    Translations are kept in `cache`; what a table lacks is noted down in the folder `missing`,
    which is this build's own. `device` is resolved before tasks start; `timeout` is the seconds of
    an answer. All other fields are for the translator: its entry says which of them it takes.
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
    """A program, model or service from one language to one other, by their ISO 639-1 codes."""

    @property
    def name(self) -> str:
        """As --translator has it, with the engine's own details."""

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
    """An engine for batches of texts, or `answers.Cached` in front of any."""

    def translate(self, texts: Sequence[str]) -> Sequence[str | DataError]:
        """Translate each text, in order, into one line; that of blanks alone is empty.

        A text that fails has its error for a translation. A translation depends on its text alone,
        not on the texts beside or before it, so that neither the number of workers nor a stop nor
        a cache changes a corpus.

        Raises `UsageError` where the engine or its model is not there. A bare engine may raise
        `DataError` for a whole batch; behind `Cached` it is then asked for each text.
        """


@runtime_checkable
class AnsweringEngine(Engine, Protocol):
    """An engine with costly answers, each to be kept at once; it is asked through `Cached`."""

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """Yield each text (of one line, none empty, none twice) with its translation, in any order.

        A text that fails comes with the error, and does not take the others along.
        """


class NotAnswered(DataError):
    """Nobody has translated this text yet: to ask for another in its place would be too early."""


class UnusableAnswer(DataError):
    """A translator has answered, but not with a translation; `why` in one word."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


def cut(line: str, most: int) -> list[str]:
    """Cut a line in pieces of at most `most` code points, for an engine's limit.

    After a sentence's end, else at a blank, else anywhere. An empty line has none.
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
    """Translate texts in pieces of at most `most` code points, and join the pieces again.

    An empty translation of a text becomes an error in the engine's `name`.
    """
    pieces = [cut(one_line(text), most) for text in texts]
    found = iter(translate([piece for line in pieces for piece in line]))
    made = [one_line(" ".join(islice(found, len(line)))) for line in pieces]
    return [
        answer
        if answer or not line
        else DataError(
            f"{name} answered nothing to {shorten(text)}",
            remedy="leave the text out, or translate with another (--translator)",
        )
        for text, line, answer in zip(texts, pieces, made, strict=True)
    ]


if TYPE_CHECKING:
    import torch


BATCH_TOKENS = {"cpu": 256, "cuda": 4096}
"""Tokens of a batch, padding included, that are translated at once where none are given. One core
gains nothing by more than a few sentences."""


class Device(NamedTuple):
    """The resolved device: `kind` is cpu or cuda, `precision` fp32, on a GPU bf16 or fp16."""

    kind: str
    precision: str

    def __str__(self) -> str:
        return f"{self.kind} {self.precision}"

    def here(self) -> torch.device:
        """This worker's: of several GPUs each worker takes the next, and they begin anew.

        On a cluster the GPUs are those that the task sees.
        Raises `DataError` where it sees none, since the build began with one.
        """
        import torch

        if self.kind == "cpu":
            return torch.device("cpu")
        count = torch.cuda.device_count()
        if not count:
            raise DataError(
                "this task sees no GPU, and the build was begun for one",
                remedy="ask the cluster for a GPU a task, or start the build where no GPU is",
            )
        return torch.device("cuda", worker_number() % count)

    def dtype(self) -> torch.dtype:
        """The type of the network's numbers."""
        import torch

        return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[
            self.precision
        ]


def find_device() -> Device:
    """Find the device of a network: a GPU if there is one, in half of fp32."""
    import torch

    if not torch.cuda.is_available():
        return Device("cpu", "fp32")
    has = torch.cuda.is_bf16_supported(including_emulation=False)
    return Device("cuda", "bf16" if has else "fp16")
