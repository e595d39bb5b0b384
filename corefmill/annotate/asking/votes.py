"""The file of a model's votes, and the one beside it that says how they came about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefmill.annotate import judgements
from corefmill.annotate.asking.run import RaterOutcome
from corefmill.corpora import manifest
from corefmill.corpora.atomic import make_way, write_whole

_COMPLETE, _SUM = "complete", "sha256"


def beside(out: Path) -> Path:
    """Where it stands how the votes of a file came about."""
    return _named(out, ".asked.json")


def cache_beside(out: Path) -> Path:
    """The folder of replies, unless the user names one."""
    return _named(out, ".cache")


def _named(out: Path, ending: str) -> Path:
    """Beside the votes; of their name only .jsonl is no part of it, for models are named 0.5B."""
    return out.parent / f"{out.name.removesuffix('.jsonl')}{ending}"


def make_way_for(out: Path, *, overwrite: bool) -> None:
    """Makes the folder of the files; raises `UsageError` where they are there already.

    Those of a run that has left something to ask, and that nobody has changed since, are replaced
    unasked.
    """
    make_way(out, beside(out), overwrite=overwrite or _goes_on(out))


def write(out: Path, made: RaterOutcome, about: Mapping[str, Any]) -> None:
    """Writes the votes, then what is said about them and about the questions without a vote."""
    judgements.write(out, made.votes)
    said = {
        **about,
        "without_vote": dict(sorted(made.without_vote.items())),
        _COMPLETE: made.whole,
        _SUM: manifest.sha256(out),
    }
    write_whole(beside(out), json.dumps(said, ensure_ascii=False, indent=1) + "\n")


def _goes_on(out: Path) -> bool:
    try:
        about = json.loads(beside(out).read_bytes())
        return about[_COMPLETE] is False and about[_SUM] == manifest.sha256(out)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
