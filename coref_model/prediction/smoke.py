"""Refuses a model that answers nothing, as soon as it is loaded: a training or a copy went wrong.

1. A weight that is no number (NaN, or infinite).
2. Scores of a few plain words that are no numbers, or all the same.
3. A model of documents that finds no mention in English sentences full of them, if it learnt from
   English over an encoder that has learnt, too: `tiny`, which is random, may find none.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import nn

from corefmill.coref_model.training.parameters import saved_parameters
from corefmill.coref_model.training.task import Probe


def fault(model: nn.Module, ask: Callable[[], Probe], *, finds: bool) -> str | None:
    """What is wrong with the model, in words; None of a sound one.

    `ask` gives its answers to a few plain words. `finds` says whether rule 3 holds for it.
    """
    tensors = (*model.parameters(), *saved_parameters(model).values())
    if not all(bool(torch.isfinite(one).all()) for one in tensors):
        return "some of its weights are no numbers"
    with torch.no_grad():
        probe = ask()
    if not all(map(math.isfinite, probe.scores)):
        return "its scores are no numbers"
    if len(set(probe.scores)) < 2:
        return "it gives the same score to everything"
    if finds and probe.mentions == 0:
        return "it finds no mention in plain sentences full of them"
    return None
