"""Which of a builder's filters are in force: all of its mode but those that the user leaves out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean


def chosen(
    known: Sequence[str], without: Collection[str], in_force: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The filters `in_force` (by default all that are known) but those named in `without`.

    Raises `UsageError` for a name that no filter has, even if the mode has none to leave out.
    """
    for name in without:
        if name not in known:
            guess = did_you_mean(name, known)
            raise UsageError(f"no filter {name!r}{guess}; there are {', '.join(known)}")
    return tuple(name for name in (known if in_force is None else in_force) if name not in without)


def described(in_force: Sequence[str], idle: Sequence[str]) -> dict[str, str]:
    """The card's rows on filters: those that work, and the `idle` ones, which cannot."""
    rows = {"Filters": ", ".join(name for name in in_force if name not in idle)}
    if idle:
        rows["Filters that cannot work here"] = ", ".join(idle)
    return rows


def idle_warnings(idle: Sequence[str], lang: str) -> tuple[str, ...]:
    """That the language has no words for the `idle` filters, where there are any."""
    if not idle:
        return ()
    return (f"filters that stop nothing, having no words of {lang!r}: {', '.join(idle)}",)
