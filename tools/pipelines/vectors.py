"""Word vectors for the small pipeline, drawn from a larger encoder that reads each word alone."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.vectors import Vectors  # type: ignore[import-not-found]

Floats = NDArray[np.float32]

_WORD = re.compile(r"[^\W\d_]+")
ROWS = 8_000  # the most frequent words have a row each
KEYS = 90_000  # the others share the row that is nearest to theirs
WIDTH = 64


@dataclass(frozen=True)
class WordVectors:
    """The word of each key, the row that it has, and the rows."""

    words: list[str]
    rows: NDArray[np.int64]  # [word]
    table: Floats  # [row, width]

    def save(self, path: Path) -> None:
        """Writes an npz file."""
        with path.open("wb") as file:
            np.savez(file, words=np.array(self.words), rows=self.rows, table=self.table)

    @staticmethod
    def load(path: Path) -> "WordVectors":
        """What `save` wrote."""
        stored = np.load(path)
        return WordVectors(stored["words"].tolist(), stored["rows"], stored["table"])


def frequent(texts: Iterable[str], extra: Iterable[str], most: int = KEYS) -> list[str]:
    """Words in lower case: those met twice or more, by frequency, then those of `extra`."""
    counts = Counter(word.lower() for text in texts for word in _WORD.findall(text))
    listed = [word for word, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if n > 1]
    known = set(listed)
    listed += [word for word in extra if _WORD.fullmatch(word) and word not in known]
    return listed[:most]


def squeeze(states: Floats, width: int = WIDTH) -> Floats:
    """[word, layer, size] to [word, width]: layers on one scale, then principal components."""
    centred = states - states.mean(0)
    centred /= centred.std((0, 2), keepdims=True)
    flat = centred.reshape(len(centred), -1)
    _, axes = np.linalg.eigh(flat.T @ flat)
    reduced = flat @ axes[:, ::-1][:, :width]
    return np.asarray(reduced / reduced.std(), dtype=np.float32)


def share_rows(table: Floats, rows: int = ROWS) -> NDArray[np.int64]:
    """The row of each word: its own for the first `rows`, else the one that is most alike."""
    own = table[:rows] / np.linalg.norm(table[:rows], axis=1, keepdims=True)
    rest = range(rows, len(table), 4096)
    alike = ((table[at : at + 4096] @ own.T).argmax(1) for at in rest)
    return np.concatenate([np.arange(len(own)), *alike])


def of_states(words: list[str], states: Floats) -> WordVectors:
    """Vectors of words, the most frequent first, from an encoder's states [word, layer, size]."""
    table = squeeze(states)
    return WordVectors(words, share_rows(table), table[:ROWS])


def give(nlp: Language, given: WordVectors) -> None:
    """Sets the vectors of a pipeline; they are looked up by the word in lower case."""
    vectors: Any = Vectors(
        shape=given.table.shape,
        strings=nlp.vocab.strings,
        name=f"{nlp.lang}_mini.vectors",
        attr="LOWER",
    )
    vectors.data[:] = given.table
    for word, row in zip(given.words, given.rows.tolist(), strict=True):
        vectors.add(nlp.vocab.strings.add(word), row=row)
    nlp.vocab.vectors = vectors
