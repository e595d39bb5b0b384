"""The names of the kinds of entity: each pipeline and corpus has its own, the project has one."""

from __future__ import annotations

from functools import cache

from corefmill.corpora import beside


@cache
def _table() -> dict[str, str]:
    table = beside.table(__file__, "labels")
    return {label: ours for ours, theirs in table.items() for label in theirs}


def ours(label: str) -> str:
    """The project's label for a pipeline's or a corpus's; one that is not listed stays."""
    return _table().get(label, label)
