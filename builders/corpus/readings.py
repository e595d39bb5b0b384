"""What was read by hand of corpora like this one, for its card (readings.toml)."""

from __future__ import annotations

from corefmill.corpora import beside

NONE = "none of this language and mode yet"


def line(corpus: str, mode: str) -> str:
    """How many examples were read, with what outcome, by whom and when; `NONE` where none was."""
    told = [
        f"{entry['n']}: {entry['share']}; of {entry['of']}; by {entry['by']}, {entry['date']}"
        for entry in beside.table(__file__, "readings")["reading"]
        if (entry["corpus"], entry["mode"]) == (corpus, mode)
    ]
    return " / ".join(told) or NONE
