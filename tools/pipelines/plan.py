"""What a language's recipe brings: its data, its two halves, its card."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spacy.language import Language

from tools.pipelines.loop import Say
from tools.pipelines.score import Given
from tools.pipelines.sources import Sample
from tools.pipelines.weights import Weights

Half = Callable[[Path, Path, int, int, Say], Weights]
"""From data folder, work folder, epochs and seed to weights."""


@dataclass(frozen=True)
class Recipe:
    """The functions that `tools.pipelines.recipe` calls, in this order."""

    lang: str
    labels: tuple[str, ...]  # of names
    syntax: tuple[str, ...]  # the components of the second half
    meta: dict[str, object]
    card: str  # its template, and
    licence: str  # the licence's, beside this file
    epochs: int  # of the names' half
    tree_epochs: int
    check: Callable[[Path], None]
    """Raises DataMissing at once where something that is needed later is not there."""
    prepare: Callable[[Path, Path, int, Say], None]
    """Puts into the work folder what both halves stand on (data, work, seed, say)."""
    train_names: Half
    train_syntax: Half
    blank: Callable[[Path, Path], Language]
    """The untrained pipeline (data, work)."""
    held_out: Callable[[Path, int], dict[str, list[Sample]]]
    """Names that were not trained on, by source (data, seed)."""
    treebank: Callable[[Path, Path], Path]
    """The treebank that was not trained on (data, work)."""
    inputs: tuple[Given, ...]
    """How trees are scored: by given words, given sentences, raw text."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else stands in the templates."""
    home: str = "builders/nlp/pipelines"
    """Where the pipeline lies in the repository."""
