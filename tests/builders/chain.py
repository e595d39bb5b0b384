"""A chain of stages without its reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from corefmill.builders.run.stages import Context, Out, Stage, run_stages


def through(stages: Sequence[Stage], items: Iterable[Any], context: Context) -> list[Out]:
    """What the stages make of the items, but for what goes past the last of them."""
    # As if a reader had made them of a payload.
    return list(run_stages([lambda _, context: iter(items), *stages], None, context))
