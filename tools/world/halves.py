"""One half of a language's wordings, so that words can be mended by one and measured on the other.

The wordings of an event, its clauses, the sentences around them and those of the traps are lists.
The odd half has the 1st, 3rd ... of each list and is for tuning: its misses may be read, and words
of a table added for them. The even half has the 2nd, 4th ... and is for reporting: its misses are
counted, never read. A list of one is in both, and so is the wording that is used too often. A noun
may still be in both halves, in another wording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

HALVES: Final = {"odd": 0, "even": 1}
_OF_AN_EVENT = ("short", "dated", "full", "clauses")


def halved(table: Mapping[str, Any], half: str) -> dict[str, Any]:
    """The language's TOML with that half of its wordings, as the module has it."""
    start = HALVES[half]
    kinds = [
        {**kind, **{name: _part(kind[name], start) for name in _OF_AN_EVENT}}
        for kind in table["kind"]
    ]
    worn = table["kind"][0]["full"]  # the first is the wording that is used too often
    kinds[0]["full"] = [worn[0], *_part(worn[1:], 1 - start)]
    contexts = {
        family: {role: _part(sentences, start) for role, sentences in roles.items()}
        for family, roles in table["context"].items()
    }
    traps = {
        name: sentences if name in ("decoy", "surplus") else _part(sentences, start)
        for name, sentences in table["trap"].items()
    }
    return {**table, "kind": kinds, "context": contexts, "trap": traps}


def _part(choices: Sequence[str], start: int) -> list[str]:
    return list(choices[start::2] or choices)
