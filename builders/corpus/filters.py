"""Choose a builder's filters in force: those of its mode, without those the user leaves out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from corefmill.corpora.files.errors import UsageError, did_you_mean

Stops = TypeVar("Stops", bound=Callable[..., bool])


def needs_part(part: str) -> Callable[[Stops], Stops]:
    """Mark a filter as dependent on a part of the pipeline's analysis: "tags", "trees", "names"."""

    def mark(stops: Stops) -> Stops:
        stops.__dict__["reads"] = part
        return stops

    return mark


def find_unread(
    in_force: Iterable[str], filters: Mapping[str, Callable[..., bool]], does: Collection[str]
) -> tuple[str, ...]:
    """Select the filters `in_force` that need a part of the analysis missing from `does`."""
    needed = {name: getattr(filters.get(name), "reads", None) for name in in_force}
    return tuple(name for name, part in needed.items() if part and part not in does)


def choose_filters(
    known: Sequence[str], without: Collection[str], in_force: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Choose the filters `in_force` (by default all known ones) except those in `without`.

    Raises `UsageError` for an unknown name in `without`, also in a mode without filters.
    """
    for name in without:
        if name not in known:
            guess = did_you_mean(name, known)
            raise UsageError(f"--without: no filter {name!r}{guess}; there are {', '.join(known)}")
    return tuple(name for name in (known if in_force is None else in_force) if name not in without)


def describe_filters(
    in_force: Sequence[str], idle: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, str]:
    """Make the card's rows on filters with and without effect.

    Filters without effect are the `idle` ones, for lack of the language's word lists, and the
    `unread` ones, for lack of a part of the pipeline.
    """
    cannot = dict.fromkeys((*idle, *unread))
    rows = {"Filters": ", ".join(name for name in in_force if name not in cannot)}
    if cannot:
        rows["Filters that cannot work here"] = ", ".join(cannot)
    return rows


def idle_warnings(
    idle: Sequence[str], lang: str, unread: Sequence[str] = (), pipeline: str = ""
) -> tuple[str, ...]:
    """Warn of filters without effect: for lack of word lists of the language (`idle`), or of tags,
    trees or entities from the pipeline (`unread`)."""
    because = {
        f"word lists of {lang!r}": idle,
        f"tags, trees or entities ({pipeline})": [name for name in unread if name not in idle],
    }
    return tuple(
        f"without {what} these filters have no effect: {', '.join(names)}"
        for what, names in because.items()
        if names
    )
