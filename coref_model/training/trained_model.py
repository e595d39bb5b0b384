"""The description of a trained model: the table model.toml, and the card README.md.

The card's front matter is for Hugging Face's hub, written by huggingface_hub.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from huggingface_hub import EvalResult, ModelCardData
from pydantic import ConfigDict

from corefmill.coref_model.training.config import Rank
from corefmill.corpora.card_parts import find_spdx, plain, table
from corefmill.corpora.catalogue import entries

CARD = "README.md"

_MINILM = "sentence-transformers/all-MiniLM-L6-v2"
# A name on the hub; `names.load` calls a local folder `./encoders/ours`.
_HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?", re.ASCII)

_USE = """    corefmill predict --model FOLDER FILE

    from corefmill.coref_model import load
    model = load("FOLDER")
"""


@dataclass(frozen=True, slots=True)
class EncoderUsed:
    """The encoder of the training, and how it was trained."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    name: str
    fingerprint: str
    trained: bool
    lora: Rank


@dataclass(frozen=True, slots=True)
class EarlierModel:
    """The model of --init-from: the digest of its weights, and its corpora."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    sha256: str
    corpora: dict[str, dict[str, Any]]


QUALITY = ("accuracy", "conll", "muc", "bcub", "ceafe", "mentions", "pairwise")
"""Scores of a model's quality; other figures are counts, or scores of baselines."""

LEAST_MEASURED = 30
"""Least examples for which a share is reported."""


def explain_too_few(n: int) -> str:
    """Say "too few to measure" for a share of `n` examples; "" for enough examples."""
    return f"too few to measure (n = {n})" if n < LEAST_MEASURED else ""


def format_score(scores: Mapping[str, float], name: str, value: float | None = None) -> str:
    """Format a score of a task's `evaluate`, or `value` like it; see `explain_too_few`."""
    split, dot, metric = name.rpartition(".")
    n = scores.get(f"{split}{dot}examples")
    few = explain_too_few(int(n)) if n is not None and metric in ("accuracy", "untrained") else ""
    return few or f"{scores[name] if value is None else value:.4f}"


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """model.toml: the description and the origin of a model.

    `identity` is a digest of everything that determined the result; `sha256` is the weights'.
    `scores` are those of the best evaluation, after `best_step` of `steps`, with the metric before
    the first step as `untrained`. `began_with` lists the model of `init_from`, the model which that
    one began with, and so on. Only `seconds` differs between equal trainings.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    task: str
    corpus: str
    metric: str
    score: float
    steps: int
    best_step: int
    ended_by: str
    seconds: float
    identity: str
    sha256: str
    init_from: str
    encoder: EncoderUsed
    scores: dict[str, float]
    settings: dict[str, Any]
    corpora: dict[str, dict[str, Any]]
    versions: dict[str, str]
    began_with: tuple[EarlierModel, ...] = ()

    def list_corpora(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """List the corpora of the model's training and of earlier models, its own first."""
        earlier = (one.corpora for one in self.began_with)
        return chain.from_iterable(corpora.items() for corpora in (self.corpora, *earlier))


def render_card(model: TrainedModel, *, use: str = _USE, library: str = "corefmill") -> str:
    """Render the card as Markdown; `use` is its section on how `library` reads the folder.

    The card has no path of the machine and no date, so that equal trainings have equal cards.
    """
    rows = [(name, format_score(model.scores, name)) for name in sorted(model.scores)]
    scores = "\n".join(table(("metric", "value"), rows))
    licences = ", ".join(sorted({_name_licence(one) for _, one in model.list_corpora()}))
    return f"""---
{_render_front_matter(model, library)}
---

# A coreference model: {plain(model.corpus)}, {model.task}

Trained by `train coref` of corefmill {plain(model.versions.get("corefmill", "?"))}.

## Base

{_describe_base(model)}

## Data

{_tabulate_data(model)}

What was held out of a corpus chose the best step, and was not learnt from.

## Scores

On the development data, after step {model.best_step:,} of {model.steps:,} (ended by
{plain(model.ended_by)}). They chose that step, so they are a little too good; no test data were
used.

{scores}

Seed {plain(str(model.settings.get("seed", "?")))}; all settings and versions are those of the
training's `model.toml`, SHA-256 of its weights {model.sha256[:16]}.

## Use

{use}
## Licence

The data's: {licences or "not known"}. Whoever shares the model must keep to them,\
 and to the licence of the base.
"""


def find_hub_name(name: str) -> str | None:
    """Return an encoder's name on Hugging Face's hub; None for a local folder or `tiny`."""
    if name == "minilm":
        return _MINILM
    return name if name != "tiny" and _HUB_NAME.fullmatch(name) else None


def _render_front_matter(model: TrainedModel, library: str) -> str:
    """Render the YAML header that Hugging Face's hub reads from a model card."""
    languages = sorted({str(one["lang"]) for _, one in model.list_corpora() if "lang" in one})
    licences = set()
    for _, one in model.list_corpora():
        # The hub's identifiers are SPDX's in small letters.
        said = str(one.get("licence") or "").replace(" ", "-")
        licences.add(said.lower() if find_spdx(said) == [said] else "other")
    results = [
        EvalResult(
            task_type="coreference-resolution",
            dataset_type=model.corpus,
            dataset_name=model.corpus,
            dataset_split="validation",
            metric_type=metric,
            metric_value=round(value, 4),
        )
        for metric, value in sorted(model.scores.items())
        if math.isfinite(value) and metric.rpartition(".")[2] in QUALITY
        if not format_score(model.scores, metric).startswith("too few")
    ]
    return ModelCardData(
        language=languages or None,
        license=licences.pop() if len(licences) == 1 else "other",
        library_name=library,
        base_model=find_hub_name(model.encoder.name),
        tags=["coreference-resolution", "corefmill", model.task],
        model_name=f"{model.corpus}-{model.task}",
        eval_results=results or None,
    ).to_yaml()


def _describe_base(model: TrainedModel) -> str:
    """Describe the encoder, and the model that the training began with, for the card."""
    used = model.encoder
    adapter = f"LoRA deltas of rank {used.lora}" if used.lora else "an adapter of peft"
    deltas = f"frozen, with {adapter}" if used.lora or model.settings.get("adapter") else "frozen"
    start = ""
    if model.init_from:
        digests = [f", SHA-256 of its weights {one.sha256[:16]}" for one in model.began_with[:1]]
        start = f" It began with another model, trained for the same task{''.join(digests)}."
    # A card has no path of the machine that trained.
    name = (
        used.name
        if used.name == "tiny"
        else find_hub_name(used.name) or "an encoder of a local folder"
    )
    return (
        f"{name}, {'all of its weights trained' if used.trained else deltas};"
        f" fingerprint {used.fingerprint[:16]}.{start}"
    )


def _tabulate_data(model: TrainedModel) -> str:
    """Tabulate the corpora of the training for the card."""
    rows = []
    for name, one in model.list_corpora():
        known = entries().get(name)
        share = one.get("held_out")
        held = f", {share:.0%} held out" if isinstance(share, float) else ""
        counts = f"{one.get('train', '?')} + {one.get('validation', '?')}{held}"
        cells = known.title if known else name, str(one.get("lang", "?")), counts
        rows.append((*map(plain, cells), _name_licence(one)))
    return "\n".join(table(("corpus", "language", "train + validation", "licence"), rows))


def _name_licence(corpus: Mapping[str, Any]) -> str:
    """Name a corpus's licence, or "not known"."""
    return plain(str(corpus.get("licence") or "not known"))
