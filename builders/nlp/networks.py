"""Run spaCy's networks for word vectors and names faster, with spaCy's own weights and answers.

A pipeline spends nearly all its time in two components. The convolutions of `tok2vec` write each
matrix to memory some ten times a layer; here a block of words stays in the processor's cache from
the product to the sum. The words of a text repeat, so that each different word of a batch is
embedded once. The `ner` component takes one step of a transition system for each word in turn; here
all words take the steps together (see `NameReader`). Components with other networks, or with
settings unknown here, run in spaCy itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from corefmill.builders.nlp.lean import Doc, Language, NumpyOps, Span

Layer = Any  # thinc's Model
Floats = npt.NDArray[Any]  # of 32 bits
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Run = Callable[[Sequence[Doc]], None]

_BLOCK = 384
"""Words of a block: their matrices, some 0.6 MB, stay in the processor's second cache."""
_MIX = 0x9E3779B97F4A7C15
"""An odd constant (2**64 over the golden ratio) that spreads the bits of a product."""


def find_fast_components(nlp: Language) -> dict[str, Run]:
    """Find the components of a pipeline that can run here, and how each runs, by name."""
    found: dict[str, Run] = {}
    pipeline: list[tuple[str, Any]] = list(nlp.pipeline)
    for name, component in pipeline:
        make = _MAKERS.get(nlp.get_pipe_meta(name).factory)
        if make and isinstance(component.model.ops, NumpyOps) and (run := make(component)):
            found[name] = run
    return found


def _list_leaves(model: Layer) -> Iterator[Layer]:
    """Yield the layers of a model that have no layers themselves, in order."""
    if not model.layers:
        yield model
    for layer in model.layers:
        yield from _list_leaves(layer)


def _set_pieces_apart(weights: Floats) -> Floats:
    """Reorder weights (width, pieces, n in) to (n in, pieces * width), piece by piece.

    The largest piece is then found by whole rows.
    """
    return np.ascontiguousarray(weights.transpose(2, 1, 0).reshape(weights.shape[2], -1))


def _keep_largest(pieces: Floats, out: Floats) -> None:
    """Write the largest piece of each unit; shapes (words, pieces * width) and (words, width)."""
    width = out.shape[1]
    np.copyto(out, pieces[:, :width])
    for start in range(width, pieces.shape[1], width):
        np.maximum(out, pieces[:, start : start + width], out=out)


class _MaxoutNorm:
    """One layer: a product, the largest of some pieces, and a norm over the width.

    Shapes: (words, n in) to (words, width).
    """

    LEAVES = ("maxout", "layernorm", "dropout")

    def __init__(self, leaves: Sequence[Layer]) -> None:
        """Take the weights of the leaves `LEAVES`."""
        maxout, norm, _ = leaves
        self.width = maxout.get_dim("nO")
        self._weights = _set_pieces_apart(maxout.get_param("W"))
        self._bias = maxout.get_param("b").T.reshape(-1)
        self._gain, self._shift = norm.get_param("G"), norm.get_param("b")
        self._product = np.empty((_BLOCK, self._weights.shape[1]), np.float32)
        self._square = np.empty((_BLOCK, self.width), np.float32)

    def __call__(self, given: Floats, out: Floats) -> None:
        """Write the result for at most `_BLOCK` rows to `out`."""
        product = np.matmul(given, self._weights, out=self._product[: len(given)])
        product += self._bias
        _keep_largest(product, out)
        out -= np.add.reduce(out, axis=1, keepdims=True) / self.width
        square = np.multiply(out, out, out=self._square[: len(given)])
        variance = np.add.reduce(square, axis=1, keepdims=True) / self.width + 1e-08
        out *= variance**-0.5
        out *= self._gain
        out += self._shift


class WordVectors:
    """spaCy's Tok2Vec of MultiHashEmbed and MaxoutWindowEncoder, for reading alone."""

    def __init__(self, component: Any, embed: Layer, encode: Layer) -> None:
        self._set = component.set_annotations
        leaves = list(_list_leaves(embed))
        self._columns = list(leaves[0].attrs["columns"])
        (self._hashes,) = (one for one in embed.walk() if _is_hash_tables(one))
        self._static = next((one for one in leaves if one.name == "static_vectors"), None)
        self._mix = _MaxoutNorm(leaves[-4:-1])
        self._pad = encode.attrs["pad"]
        encoder = [one for one in _list_leaves(encode) if one.name != "expand_window"]
        self._layers = [_MaxoutNorm(encoder[i : i + 3]) for i in range(0, len(encoder), 3)]

    @classmethod
    def make(cls, component: Any) -> Run | None:
        """Make the vectors of a `tok2vec` component, None for other networks than these two."""
        model = component.model
        if not (model.has_ref("embed") and model.has_ref("encode")):
            return None
        embed, encode = model.get_ref("embed"), model.get_ref("encode")
        layer = ("expand_window", *_MaxoutNorm.LEAVES)
        names = [one.name for one in _list_leaves(encode)]
        windows = [one for one in _list_leaves(encode) if one.name == "expand_window"]
        if names != [*layer] * len(windows) or {w.attrs["window_size"] for w in windows} != {1}:
            return None
        names = [one.name for one in _list_leaves(embed)]
        tables = names.count("hashembed")
        wanted = ["extract_features", "list2ragged", *("ints-getitem", "hashembed") * tables]
        wanted += ["static_vectors"] * names.count("static_vectors")
        # A single table is not joined with others: it is another layer, which no pipeline here has.
        if tables < 2 or names != [*wanted, *_MaxoutNorm.LEAVES, "ragged2list"]:
            return None
        if component.vocab.vectors.mode != "default":
            return None
        return cls(component, embed, encode)

    def __call__(self, docs: Sequence[Doc]) -> None:
        """Set the tensor of each text."""
        if not docs:
            return
        words, which = self._embed(docs)
        # Rows of zeros before, between and behind the texts, as spaCy's padding.
        starts, at = [], self._pad + 1
        for doc in docs:
            starts.append(at)
            at += len(doc) + self._pad * bool(len(doc))
        rows = np.zeros((at + 1, words.shape[1]), np.float32)
        read = 0
        for doc, start in zip(docs, starts, strict=True):
            rows[start : start + len(doc)] = words[which[read : read + len(doc)]]
            read += len(doc)
        rows = self._encode(rows)
        self._set(
            docs, [rows[at : at + len(doc)].copy() for doc, at in zip(docs, starts, strict=True)]
        )

    def _embed(self, docs: Sequence[Doc]) -> tuple[Floats, Ints]:
        """Embed each different word of the texts; return the rows, and the row of each word.

        Words differ if one of their columns does; they are told apart by 64 bits of a hash, as
        spaCy tells strings apart.
        """
        vectors = docs[0].vocab.vectors
        columns = [*self._columns, vectors.attr]
        keys = np.concatenate([doc.to_array(columns) for doc in docs])
        mixed = np.zeros(len(keys), np.uint64)
        for column in range(keys.shape[1]):
            mixed = (mixed ^ keys[:, column]) * np.uint64(_MIX)
            mixed ^= mixed >> np.uint64(29)
        _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
        keys = keys[first]
        parts = [self._hashes.predict(np.ascontiguousarray(keys[:, :-1]))]
        if self._static is not None:
            parts.append(self._look_up(vectors, keys[:, -1]))
        joined = np.hstack(parts)
        words = np.empty((len(first), self._mix.width), np.float32)
        for start in range(0, len(first), _BLOCK):
            self._mix(joined[start : start + _BLOCK], words[start : start + _BLOCK])
        return words, which

    def _look_up(self, vectors: Any, keys: npt.NDArray[np.uint64]) -> Floats:
        """Project the stored vectors of words; words without one get zeros."""
        assert self._static is not None
        rows = vectors.find(keys=keys)
        found: Floats = vectors.data[rows] @ self._static.get_param("W").T
        found[rows < 0] = 0
        return found

    def _encode(self, rows: Floats) -> Floats:
        """Add to each row what a layer finds in the row and its neighbours, layer by layer.

        The first and the last row are the zeros beyond the ends.
        """
        width = rows.shape[1]
        window = np.empty((_BLOCK, 3 * width), np.float32)
        found = np.zeros_like(rows)
        for layer in self._layers:
            for start in range(1, len(rows) - 1, _BLOCK):
                end = min(start + _BLOCK, len(rows) - 1)
                block = window[: end - start]
                for place in range(3):
                    before = place - 1
                    block[:, place * width : (place + 1) * width] = rows[
                        start + before : end + before
                    ]
                layer(block, found[start:end])
                found[start:end] += rows[start:end]
            rows, found = found, rows
        return rows


def _is_hash_tables(model: Layer) -> bool:
    """Tell whether a layer joins the rows of hash tables, for an array of words' columns."""
    return model.name.startswith("ints-getitem>>hashembed") and "column" not in model.attrs


class NameReader:
    """spaCy's greedy transition system for names, for all words at once.

    spaCy reads a text from left to right: at each word it takes the move with the highest score of
    those allowed, B(egin), I(n), L(ast), U(nit) of a label, or O(ut). The scores depend on the
    word, the first word of the open name and the word before. Outside of names there is no open
    name: so the scores of all words are computed in one product. After each word that would
    begin a name, I and L of its label alone are allowed; all these names are read to their
    ends side by side, a word a step. At the end a text is gone through once, and takes the names
    that do not begin within another.
    """

    def __init__(self, component: Any, moves: Sequence[str]) -> None:
        """`moves` are the names of the moves, in the order of their scores."""
        self._component = component
        model = component.model
        self._read_words = model.get_ref("tok2vec").predict
        lower, upper = model.get_ref("lower"), model.get_ref("upper")
        self._features = [_set_pieces_apart(slot) for slot in lower.get_param("W")]
        self._none = lower.get_param("pad")[0].transpose(0, 2, 1).reshape(len(self._features), -1)
        self._bias = lower.get_param("b").T.reshape(-1)
        self._scores, self._scores_bias = upper.get_param("W").T, upper.get_param("b")
        self._moves = list(moves)
        number = {move: n for n, move in enumerate(moves)}
        self._never = [n for n, move in enumerate(moves) if move[0] in "IL" or move == "U-"]
        self._begins = np.array([move[0] == "B" for move in moves])
        self._single = np.array([move[0] == "U" for move in moves])
        self._inner = np.array([number.get(f"I{move[1:]}", -1) for move in moves])
        self._last = np.array([number.get(f"L{move[1:]}", -1) for move in moves])

    @classmethod
    def make(cls, component: Any) -> Run | None:
        """Make the reader of an `ner` component, None if its settings are not spaCy's usual."""
        model = component.model
        moves = [
            f"{'MBILUO'[action]}-{label}" if label or action == 4 else "O"
            for action, labels in sorted(component.moves.labels.items())
            for label in labels
        ]
        usual = (
            component.cfg.get("beam_width") == 1
            and model.attrs["has_upper"]
            and not model.attrs["unseen_classes"]
            and model.get_ref("lower").get_dim("nF") == 3
            and model.get_ref("lower").get_dim("nP") > 1
            and [move for move in moves if move != "U-"] == component.move_names
            and len(moves) == model.get_ref("upper").get_dim("nO")
        )
        return cls(component, moves) if usual else None

    def __call__(self, docs: Sequence[Doc]) -> None:
        """Set the names of each text."""
        docs = [doc for doc in docs if len(doc)]
        if not docs:
            return
        if any(doc.has_annotation("ENT_IOB") for doc in docs):
            # Names of an earlier component restrict the moves.
            self._component.set_annotations(docs, self._component.predict(docs))
            return
        table = np.concatenate([doc.to_array(["SENT_START", "IS_SPACE"]) for doc in docs])
        ends = np.cumsum([len(doc) for doc in docs])
        # Where no name can go on: the next word begins a sentence or a text.
        final = np.append(table[1:, 0] == 1, True)
        final[ends - 1] = True
        starts, stops, labels = self._find_names(docs, final, table[:, 1] == 1)
        text, free = 0, 0
        names: list[list[Span]] = [[] for _ in docs]
        for start, stop, label in zip(starts, stops, labels, strict=True):
            if start < free:
                continue
            free = stop
            while start >= ends[text]:
                text += 1
            shift = ends[text] - len(docs[text])
            names[text].append(
                Span(docs[text], start - shift, stop - shift, label=self._moves[label][2:])
            )
        for doc, found in zip(docs, names, strict=True):
            doc.set_ents(found, default="outside")

    def _find_names(
        self, docs: Sequence[Doc], final: Flags, blank: Flags
    ) -> tuple[list[int], list[int], list[int]]:
        """Find each name that a word would begin, in order: its start, its end, and its move.

        `final` marks words with no further word of the same name behind them, `blank` white space.
        """
        words = self._read_words(docs)
        first, of_start, of_previous = self._features
        scores = self._score(words @ first, *self._none[1:])
        scores[:, self._never] = -np.inf
        scores[np.ix_(blank, self._begins | self._single)] = -np.inf
        scores[np.ix_(final, self._begins)] = -np.inf
        move = scores.argmax(axis=1)
        named = np.flatnonzero(self._begins[move] | self._single[move])
        stop = named + 1
        going = np.flatnonzero(self._begins[move[named]])
        while len(going):
            start, word = named[going], stop[going]
            scores = self._score(
                words[word] @ first, words[start] @ of_start, words[word - 1] @ of_previous
            )
            of_label = np.arange(len(going)), self._inner[move[start]]
            is_inner = scores[of_label] >= scores[of_label[0], self._last[move[start]]]
            stop[going] += 1
            going = going[is_inner & ~final[word]]
        return named.tolist(), stop.tolist(), move[named].tolist()

    def _score(self, features: Floats, of_start: Floats, of_previous: Floats) -> Floats:
        """Compute the moves' scores of states by their words' features, which are overwritten."""
        for more in (of_start, of_previous, self._bias):
            features += more
        hidden = np.empty((len(features), len(self._scores)), np.float32)
        _keep_largest(features, hidden)
        scores: Floats = hidden @ self._scores + self._scores_bias
        return scores


_MAKERS: dict[str, Callable[[Any], Run | None]] = {
    "tok2vec": WordVectors.make,
    "ner": NameReader.make,
}
