"""How good a pipeline is, by what its meta.json says of text that it was not trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OURS, _TREES = "names_f1", "trees_f1"


def summary(meta: Mapping[str, Any]) -> str:
    """F1 of persons, parts of speech and trees in percent, and by whose measure; "" if unknown.

    Of a pipeline of ours: exact names of held-out WikiNEuRal, trees of a held-out treebank by the
    rules of CoNLL 2018. What others say of theirs is told as theirs.
    """
    said = _table(meta.get("performance"))
    if _OURS in said:
        return _ours(said)
    kinds = _table(said.get("ents_per_type"))
    person = next((_table(kinds[k]).get("f") for k in ("PER", "PERSON") if k in kinds), None)
    tags = said.get("pos_acc") or said.get("tag_acc")
    # Some of spaCy's say 0 of each kind of name, and what all kinds have together.
    names = {"PER": person} if person else {"names": said.get("ents_f") or None}
    shown = _scores({**names, "tags": tags, "LAS": said.get("dep_las")})
    return f"{shown} (by its makers)" if shown else ""


def _ours(said: Mapping[str, Any]) -> str:
    names, trees = _table(said[_OURS]), _table(said.get(_TREES))
    wiki = next((source for source in names if source.startswith("WikiNEuRal")), None)
    given, best = next(iter(trees.items()), ("", {}))
    person = _table(names.get(wiki)).get("PER") if wiki else None
    shown = _scores(
        {"PER": person, "UPOS": _table(best).get("UPOS"), "LAS": _table(best).get("LAS")}
    )
    return f"{shown} (held out; names of WikiNEuRal, trees with {given} given)" if shown else ""


def _scores(found: Mapping[str, Any]) -> str:
    known = {name: score for name, score in found.items() if isinstance(score, int | float)}
    return ", ".join(f"{name} {100 * score:.1f}" for name, score in known.items())


def _table(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}
