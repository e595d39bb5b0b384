"""The weights of one half of a pipeline: trained, kept as bytes, put in their place."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language

from tools.pipelines import loop
from tools.pipelines.loop import Say

Weights = dict[str, bytes]
"""By component, and under "strings" the words that a lemmatizer's trees know by number only."""

_STRINGS = "strings"


def fit(
    nlp: Language,
    components: Sequence[str],
    examples: loop.EpochExamples,
    plan: loop.Plan,
    seed: int,
    say: Say,
    start: dict[str, bytes] | None = None,
    fresh: bool = True,
) -> Weights:
    """Trains the components, from pretrained encoders where given; gives their weights.

    What is not `fresh` goes on from the weights that it has.
    """
    with nlp.select_pipes(enable=list(components)):
        if fresh:
            nlp.initialize(lambda: examples(0))
        for name, encoder in (start or {}).items():
            model: Any = nlp.get_pipe(name).model  # type: ignore[attr-defined]
            model.from_bytes(encoder)
        loop.train(nlp, components, examples, plan, seed, say)
    pipes: list[Any] = [nlp.get_pipe(name) for name in components]
    weights = {pipe.name: pipe.to_bytes(exclude=["vocab"]) for pipe in pipes}
    return weights | {_STRINGS: json.dumps(lemma_strings(nlp)).encode()}


def put(nlp: Language, weights: Weights) -> None:
    """Loads what `fit` gave into a blank pipeline."""
    for string in json.loads(weights.get(_STRINGS, b"[]")):
        nlp.vocab.strings.add(string)
    for name, stored in weights.items():
        if name != _STRINGS:
            pipe: Any = nlp.get_pipe(name)
            pipe.from_bytes(stored, exclude=["vocab"])


def lemma_strings(nlp: Language) -> list[str]:
    """What the lemmatizer's trees put in or take out; they know it by number only."""
    trees: Any = nlp.get_pipe("trainable_lemmatizer").trees  # type: ignore[attr-defined]
    numbers = {
        number
        for i in range(len(trees))
        for node in [trees[i]]
        for number in (node.get("orig"), node.get("subst"))
        if number
    }
    return sorted(nlp.vocab.strings[number] for number in numbers)


def save(weights: Weights, folder: Path) -> None:
    """Writes a file a component; the folder is there only when it is whole."""
    part = folder.with_name(f"{folder.name}.part")
    part.mkdir(parents=True, exist_ok=True)
    for name, stored in weights.items():
        (part / name).write_bytes(stored)
    part.rename(folder)


def load(folder: Path) -> Weights:
    """What `save` wrote."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
