"""The file of a model's votes, and the one beside it that says how they came about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.corpora import manifest
from corefmill.corpora.atomic import make_way, refuse_taken, write_whole

_COMPLETE, _SUM = "complete", "sha256"


def beside(out: Path) -> Path:
    """Where it stands how the votes of a file came about."""
    return out.with_suffix(".asked.json")


def cache_beside(out: Path) -> Path:
    """The folder of replies, unless the user names one."""
    return out.with_suffix(".cache")


def refuse(out: Path, *, overwrite: bool) -> None:
    """Raises `UsageError` where the files are there, and are not those of a run that a limit ended.

    Those are replaced unasked, as long as nobody has changed them.
    """
    refuse_taken(out, beside(out), overwrite=overwrite or _goes_on(out))


def write(out: Path, votes: Sequence[Judgement], about: Mapping[str, Any], *, whole: bool) -> None:
    """Writes the votes, then what is said about them; `whole` if no limit has ended the run."""
    make_way(out, beside(out), overwrite=True)
    judgements.write(out, votes)
    said = {**about, _COMPLETE: whole, _SUM: manifest.sha256(out)}
    write_whole(beside(out), json.dumps(said, ensure_ascii=False, indent=1) + "\n")


def _goes_on(out: Path) -> bool:
    try:
        about = json.loads(beside(out).read_bytes())
        return about[_COMPLETE] is False and about[_SUM] == manifest.sha256(out)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
