"""Text as sequences of whole sentences, kept on disk as flat arrays of pieces."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.mlm.text import TextDocument

# A sentence ends after its mark and any closing quotes, before a blank, or after a mark of
# languages that write none.
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])")
# Scripts written without blanks: each character counts as a word.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequences of pieces, without specials, each from one document; s in all, of n pieces.

    The arrays may lie on disk and be read as they are used.
    """

    pieces: NDArray[np.int32]  # [n]
    begins: NDArray[np.bool_]  # [n], whether a piece begins a word
    starts: NDArray[np.int64]  # [s + 1], where each sequence begins
    documents: NDArray[np.int32]  # [s], the number of each one's document

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The pieces of a sequence, and which of them begin a word."""
        start, end = self.starts[index], self.starts[index + 1]
        return self.pieces[start:end], self.begins[start:end]


def packed(documents: Iterable[TextDocument], pieces: Pieces, room: int, folder: Path) -> Sequences:
    """Sequences of at most `room` pieces, written below `folder` as they are made.

    A sequence takes whole sentences of its document while they fit, across paragraphs; a sentence
    that alone is longer is cut into several. Memory does not grow with the text but for 12 bytes a
    sequence.
    """
    starts, owners = array("q", [0]), array("i")
    names = folder / "pieces.i32", folder / "begins.u8"
    with names[0].open("wb") as ids_file, names[1].open("wb") as begins_file:
        for number, document in enumerate(documents):
            for ids, begins in _sequences(document, pieces, room):
                _write(ids_file, begins_file, ids, begins)
                starts.append(starts[-1] + len(ids))
                owners.append(number)
    total = starts[-1]
    mapped = total > 0  # an empty file cannot be mapped
    return Sequences(
        np.memmap(names[0], np.int32, "r", shape=(total,)) if mapped else np.zeros(0, np.int32),
        np.memmap(names[1], np.bool_, "r", shape=(total,)) if mapped else np.zeros(0, np.bool_),
        np.frombuffer(starts, np.int64),
        np.frombuffer(owners, np.int32) if owners else np.zeros(0, np.int32),
    )


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, roughly: at full stops and the like, and the blank after."""
    start = 0
    for mark in _SENTENCE.finditer(paragraph):
        if mark.end() > start:
            yield paragraph[start : mark.end()].rstrip()
        start = mark.end()
    if start < len(paragraph):
        yield paragraph[start:]


def word_begins(text: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """Whether each piece, given by its span of `text`, begins a word.

    A word is a run of letters and digits, or one other character; where a script writes no
    blanks, every character is a word.
    """
    found: list[bool] = []
    last = 0
    for start, end in spans:
        inside = (
            found != []
            and start == last
            and start > 0
            and text[start - 1 : start].isalnum()
            and text[start : start + 1].isalnum()
            and not _UNSPACED.match(text, start)
        )
        # A character of several pieces (bytes) has one span for all of them, or empty ones.
        found.append(not (inside or (found and end <= last)))
        last = max(last, end)
    return found


def _sequences(
    document: TextDocument, pieces: Pieces, room: int
) -> Iterator[tuple[list[int], list[bool]]]:
    ids: list[int] = []
    begins: list[bool] = []
    for paragraph in document.paragraphs:
        for sentence in sentences(paragraph):
            more, spans = pieces.text(sentence)
            if ids and len(ids) + len(more) > room:
                yield ids, begins
                ids, begins = [], []
            ids += more
            begins += word_begins(sentence, spans)
            while len(ids) > room:
                yield ids[:room], begins[:room]
                ids, begins = ids[room:], begins[room:]
    if ids:
        yield ids, begins


def _write(ids_file: BinaryIO, begins_file: BinaryIO, ids: list[int], begins: list[bool]) -> None:
    ids_file.write(np.asarray(ids, np.int32).tobytes())
    begins_file.write(np.asarray(begins, np.bool_).tobytes())
