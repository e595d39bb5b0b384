"""The data card of any corpus, README.md: its head, its foot, and the order of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.builders.corpus import readings
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.nlp.backend import WIKI
from corefmill.builders.nlp.catalogue import scores_of
from corefmill.corpora.atomic import replacing
from corefmill.corpora.tables import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SEEN = (
    "In this folder `corefmill show .` shows its records with their mentions in brackets, and"
    " `corefmill show . --html corpus.html` makes a page of them, with pictures and filters."
)


def write(corpus: Corpus, sections: Iterable[str], warnings: Iterable[str]) -> None:
    """Writes README.md: title, warnings and facts, the builder's own `sections`, and last the
    limits, how to see the corpus and how to build it again.

    A section begins with an empty line and ends without one.
    """
    facts = {
        **corpus.facts,
        **_pipeline_scores(corpus.pipeline),
        "Read by hand": readings.line(corpus.name, corpus.mode),
        "Licence": corpus.licence,
        "Source": corpus.attribution,
    }
    lines = [
        f"# {corpus.title}",
        "",
        *(f"**Warning:** {warning}\n" for warning in warnings),
        *table(("", ""), facts.items()),
        *sections,
        *("", "## Known limits", "", *(f"- {limit}" for limit in corpus.limits)),
        *("", "## See it", "", _SEEN),
        *("", "## Build it again", "", "```", corpus.command, "```", ""),
    ]
    with replacing(corpus.out / "README.md") as file:
        file.write("\n".join(lines).encode())


def _pipeline_scores(version: str) -> dict[str, str]:
    """How good the pipelines are that analysed the text, by what is known of them: of several each
    with its name. The wiki's own names come from none, and have no scores.
    """
    names = [one.partition(" ")[0] for one in version.split(", ")]
    names = [name for name in names if name not in ("", "none", WIKI)]
    if not names:
        return {}
    known = {name: scores for name in names if (scores := scores_of(name))}
    said = "; ".join(known.values() if len(names) == 1 else map(": ".join, known.items()))
    return {
        "Scores of the pipeline": said
        or "not known here; `corefmill models evaluate` measures them"
    }


def most_first(rejects: Mapping[str, int]) -> list[tuple[str, int]]:
    """The reasons with their counts, the most frequent first."""
    return sorted(rejects.items(), key=lambda entry: (-entry[1], entry[0]))


def save_picture(figure: Figure, path: Path) -> None:
    """Writes one of the card's pictures as PNG."""
    with replacing(path) as out:
        # No date, no version: the same corpus gives the same bytes.
        figure.savefig(out, format="png", dpi=100, metadata={"Software": None})
