"""What of a scorer is trained, in groups with a learning rate each."""

from __future__ import annotations

from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.training.config import TaskSettings
from corefmill.coref_model.training.task import ParameterGroup


def groups(model: Scorer, settings: TaskSettings) -> list[ParameterGroup]:
    """The head at `lr`, the encoder's trained part at `lr_encoder`; no weight decay of vectors."""
    found = []
    for name, module, rate in (
        ("head", model.head, settings.lr),
        ("encoder", model.encoder, settings.lr_encoder),
    ):
        own = [p for p in module.parameters() if p.requires_grad]
        matrices = tuple(p for p in own if p.ndim > 1)
        vectors = tuple(p for p in own if p.ndim <= 1)
        if matrices:
            found.append(ParameterGroup(name, matrices, rate, settings.weight_decay))
        if vectors:
            found.append(ParameterGroup(f"{name}_vectors", vectors, rate))
    return found
