"""The card of a trained model, README.md: base, data, scores, seed and licence, and how to use it.

Its front matter is that of Hugging Face's hub, written by huggingface_hub.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from corefmill.coref_model.training.trained_model import QUALITY, TrainedModel, figure
from corefmill.corpora.card_parts import find_spdx, plain, table
from corefmill.corpora.catalogue import entries

NAME = "README.md"

_MINILM = "sentence-transformers/all-MiniLM-L6-v2"
_HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?", re.ASCII)
"""No folder: `names.load` calls one that lies here `./encoders/ours`."""

_NAMED = 4
"""Files of a corpus that the card names; model.toml has them all."""

_USE = """    corefmill predict --model FOLDER FILE

    from corefmill.coref_model import load
    model = load("FOLDER")
"""


def of(model: TrainedModel, *, use: str = _USE, library: str = "corefmill") -> str:
    """The card as Markdown; `use` says how a folder of this form, read by `library`, is used.

    It names no path of the machine that trained, and has no date: equal trainings have equal cards.
    """
    return f"""---
{_front(model, library)}
---

# A coreference model: {plain(model.corpus)}, {model.task}

Trained by `train coref` of corefmill {plain(model.versions.get("corefmill", "?"))}.

## Base

{_base(model)}

## Data

{_data(model)}
{_files(model)}
What was held out of a corpus chose the best step, and was not learnt from.

## Scores

On the development data, after step {model.best_step:,} of {model.steps:,} (ended by
{plain(model.ended_by)}). They chose that step, so they are a little too good; no test data were
used.

{_scores(model)}

Seed {plain(str(model.settings.get("seed", "?")))}; all settings and versions are those of the
training's `model.toml`, SHA-256 of its weights {model.sha256[:16]}.

## Use

{use}
## Licence

{_licence(model)}
"""


def base_of(name: str) -> str | None:
    """An encoder's name on the hub; None for a folder, or one that has no name there."""
    if name == "minilm":
        return _MINILM
    return name if name != "tiny" and _HUB_NAME.fullmatch(name) else None


def shown(name: str) -> str:
    """An encoder as a card calls it, which has no path of the machine that trained."""
    return base_of(name) or (name if name == "tiny" else "an encoder of a local folder")


def _front(model: TrainedModel, library: str) -> str:
    languages = sorted({str(one["lang"]) for _, one in model.learnt_from() if "lang" in one})
    licences = sorted({_identifier(one) for _, one in model.learnt_from()})
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
        if not figure(model.scores, metric).startswith("too few")
    ]
    return ModelCardData(
        language=languages or None,
        license=licences[0] if len(licences) == 1 else "other",
        library_name=library,
        base_model=base_of(model.encoder.name),
        tags=["coreference-resolution", "corefmill", model.task],
        model_name=f"{model.corpus}-{model.task}",
        eval_results=results or None,
    ).to_yaml()


def _base(model: TrainedModel) -> str:
    used = model.encoder
    deltas = f"frozen, with LoRA deltas of rank {used.lora}" if used.lora else "frozen"
    start = " It began with another model, trained for the same task" if model.init_from else ""
    if start:
        digests = [one.sha256[:16] for one in model.began_with[:1]]
        start += f", SHA-256 of its weights {digests[0]}." if digests else "."
    return (
        f"{shown(used.name)}, {'all of its weights trained' if used.trained else deltas};"
        f" fingerprint {used.fingerprint[:16]}.{start}"
    )


def _data(model: TrainedModel) -> str:
    rows = []
    for name, one in model.learnt_from():
        known = entries().get(name)
        share = one.get("held_out")
        held = f", {share:.0%} held out" if isinstance(share, float) else ""
        counts = f"{one.get('train', '?')} + {one.get('validation', '?')}{held}"
        shown = known.title if known else name
        rows.append((plain(shown), plain(str(one.get("lang", "?"))), plain(counts), _said(one)))
    return "\n".join(table(("corpus", "language", "train + validation", "licence"), rows))


def _files(model: TrainedModel) -> str:
    """The files of each corpus by the beginning of their digests, empty where none are known."""
    lines = []
    for name, one in model.learnt_from():
        parts = []
        for key, what in (("files", "learnt from"), ("validation_files", "development split")):
            listed = one.get(key)
            if isinstance(listed, list) and listed:
                more = f" and {len(listed) - _NAMED:,} more" if len(listed) > _NAMED else ""
                named = ", ".join(plain(str(digest)[:16]) for digest in listed[:_NAMED])
                parts.append(f"{what} {named}{more}")
        if parts:
            lines.append(f"- {plain(name)}: {'; '.join(parts)}")
    return "\n".join(["", "Files, by SHA-256:", "", *lines, ""]) if lines else ""


def _scores(model: TrainedModel) -> str:
    rows = [(name, figure(model.scores, name)) for name in sorted(model.scores)]
    return "\n".join(table(("metric", "value"), rows))


def _licence(model: TrainedModel) -> str:
    said = sorted({_said(one) for _, one in model.learnt_from()})
    return (
        f"The data's: {', '.join(said) or 'not known'}. Whoever shares the model must keep to them,"
        " and to the licence of the base."
    )


def _said(corpus: Mapping[str, Any]) -> str:
    return plain(str(corpus.get("licence") or "not known"))


def _identifier(corpus: Mapping[str, Any]) -> str:
    """The licence as the hub names it, where it is one of those and no more is said."""
    said = str(corpus.get("licence") or "").replace(" ", "-")
    return said.lower() if find_spdx(said) == [said] else "other"
