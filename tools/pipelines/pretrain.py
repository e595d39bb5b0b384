"""Gives an encoder a knowledge of words from raw text before it sees a treebank.

Every word gets a vector from its neighbours (positive pointwise mutual information with the most
frequent words at each of four positions, reduced by a singular value decomposition); the encoder
learns to foretell it, with 15 % of the words replaced (spaCy's cloze objective). Vectors and
output layer are thrown away, the encoder is kept.
"""

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack  # type: ignore[import-untyped]
from scipy.sparse.linalg import svds  # type: ignore[import-untyped]
from spacy.language import Language
from spacy.ml.models.multi_task import create_pretrain_vectors
from spacy.tokens import Doc
from spacy.vectors import Vectors  # type: ignore[import-not-found]
from thinc.api import Adam

from tools.pipelines.loop import Say
from tools.pipelines.sources import letters

POSITIONS = (-2, -1, 1, 2)
NEIGHBOURS = 2000  # most frequent words that count as neighbours, at each position
LEAST = 4  # occurrences of a word that gets a vector
DIMENSIONS = 96


def without(texts: Iterable[str], kept: set[str]) -> Iterator[str]:
    """The texts that hold none of the kept-out sentences (given by their `letters`)."""
    grams = {sentence[:40] for sentence in kept if len(sentence) >= 40}
    for text in texts:
        plain = letters(text)
        if plain in kept or any(plain[i : i + 40] in grams for i in range(len(plain) - 39)):
            continue
        yield text


def word_vectors(docs: list[Doc]) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Words (lower case, by NORM) and their vectors of unit length, in float32."""
    lines = [[re.sub(r"\d", "0", token.norm_) for token in doc] for doc in docs]
    counted = Counter(word for line in lines for word in line)
    words = [word for word, n in counted.most_common() if n >= LEAST]
    row = {word: i for i, word in enumerate(words)}
    column = {word: i for i, word in enumerate(words[:NEIGHBOURS])}
    blocks = []
    for position in POSITIONS:
        pairs: Counter[tuple[int, int]] = Counter()
        for line in lines:
            for i, word in enumerate(line):
                j = i + position
                if word in row:
                    near = column.get(line[j], NEIGHBOURS) if 0 <= j < len(line) else NEIGHBOURS
                    pairs[row[word], near] += 1
        keys = np.array(list(pairs), dtype=np.int64)
        values = np.array(list(pairs.values()), dtype=np.float64)
        shape = (len(words), NEIGHBOURS + 1)
        rows = np.bincount(keys[:, 0], values, shape[0])
        columns = np.bincount(keys[:, 1], values, shape[1])
        mutual = np.log(values * values.sum() / (rows[keys[:, 0]] * columns[keys[:, 1]]))
        mutual = np.maximum(mutual, 0)
        blocks.append(csr_matrix((mutual, (keys[:, 0], keys[:, 1])), shape=shape))
    near = hstack(blocks).tocsr()
    left, sizes, _ = svds(near, k=min(DIMENSIONS, min(near.shape) - 1), random_state=1)
    found = (left * np.sqrt(sizes)).astype(np.float32)
    return words, found / (np.linalg.norm(found, axis=1, keepdims=True) + 1e-9)


def pretrain(
    nlp: Language, component: str, texts: Iterable[str], passes: int, seed: int, say: Say
) -> bytes:
    """The weights of a component's encoder after `passes` over the texts."""
    began = time.perf_counter()
    docs = [doc for text in texts for doc in _pieces(nlp.make_doc(text))]
    words, vectors = word_vectors(docs)
    size = sum(map(len, docs))
    say(f"pretraining: {size} tokens, {len(words)} vectors, {time.perf_counter() - began:.0f} s")
    known = dict(zip(words, vectors, strict=True))
    forms = {token.orth_: token.norm_ for doc in docs for token in doc}
    forms = {orth: re.sub(r"\d", "0", norm) for orth, norm in forms.items()}
    kept = [orth for orth, norm in forms.items() if norm in known]
    table = np.stack([known[forms[orth]] for orth in kept])
    vocab: Any = nlp.vocab
    vocab.vectors = Vectors(strings=vocab.strings, data=table, keys=kept)
    for orth, norm in forms.items():
        lexeme = vocab[orth]
        lexeme.rank = vocab.vectors.key2row.get(lexeme.orth, lexeme.rank)
        lexeme.norm_ = norm if orth in ("lla", "ll'", "llo", "lle", "l") else lexeme.norm_
    pipe: Any = nlp.get_pipe(component)
    encoder = pipe.model
    encoder.initialize(X=docs[:50])
    objective: Callable[..., Any] = create_pretrain_vectors(2, 192, "cosine")
    model = objective(vocab, encoder)
    model.initialize(X=docs[:50])
    optimizer = Adam(0.002, grad_clip=1.0, L2=0.01)
    rng = random.Random(seed)
    steps, step = passes * size // 1500, 0
    for epoch in range(passes):
        rng.shuffle(docs)
        total, batch = 0.0, list[Doc]()
        for doc in docs:
            batch.append(doc)
            if sum(map(len, batch)) < 1500:
                continue
            optimizer.learn_rate = 0.002 * max(0.05, 1 - step / steps)
            predicted, backprop = model.begin_update(batch)
            loss, gradient = model.attrs["loss"](model.ops, batch, predicted)
            backprop(gradient)
            model.finish_update(optimizer)
            total, batch, step = total + float(loss), [], step + 1
        took = time.perf_counter() - began
        say(f"pretraining: pass {epoch + 1} of {passes}, {took:.0f} s, loss {total:.0f}")
    vocab.vectors = Vectors(strings=vocab.strings)
    return bytes(encoder.to_bytes())


def _pieces(doc: Doc, most: int = 60) -> Iterator[Doc]:
    for at in range(0, len(doc), most):
        if len(doc) - at > 4:
            yield doc[at : at + most].as_doc()
