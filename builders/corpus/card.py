"""The data card of any corpus, README.md, and croissant.json, which says the same to programs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version

from corefmill.builders.corpus import data_set, readings
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.nlp.backend import WIKI
from corefmill.builders.nlp.catalogue import scores_of
from corefmill.corpora import manifest
from corefmill.corpora.card_parts import table
from corefmill.corpora.files import disk
from corefmill.corpora.files.terminal import one_line
from corefmill.corpora.files.writing import write_whole

FILES = (manifest.CARD, "croissant.json")
"""What `write` leaves in the folder of a corpus."""

_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "`": r"\textasciigrave{}",
        # BibTeX counts braces, those behind a backslash too.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
    }
)
"""What LaTeX would take for commands, in a field of BibTeX."""

_SEEN = (
    "In this folder `corefmill show .` shows its records with their mentions in brackets, and"
    " `corefmill show . --html corpus.html` makes a page of them, with pictures and filters."
)


def write(
    corpus: Corpus,
    sections: Iterable[str],
    warnings: Iterable[str],
    *,
    schema: str,
    splits: Mapping[str, int],
    summary: Iterable[str] = (),
) -> None:
    """Writes README.md: front matter, title, warnings, `summary` and facts, the builder's own
    `sections`, and last the limits, how to see the corpus, to cite it and to build it again; and
    croissant.json, once the `splits` are there.

    A section begins with an empty line and ends without one. `splits` has the number of records,
    which are of that `schema`.
    """
    filled = {split: count for split, count in splits.items() if count}
    cite = "\n".join(_bibtex(corpus))
    facts = {
        **corpus.facts,
        **_pipeline_scores(corpus.pipeline),
        **readings.rows(corpus),
        "Licence": corpus.licence,
        "Source": corpus.attribution,
    }
    lines = [
        *data_set.front_matter(corpus, schema, filled),
        f"# {html.escape(one_line(corpus.full_title), quote=False)}",
        "",
        *(f"**Warning:** {warning}\n" for warning in warnings),
        *(f"{line}\n" for line in summary),
        *table(("", ""), facts.items()),
        *sections,
        *("", "## Known limits", "", *(f"- {limit}" for limit in corpus.limits)),
        *("", "## See it", "", _SEEN),
        *("", "## Cite it", "", "```bibtex", cite, "```"),
        *("", "## Build it again", "", "```", one_line(corpus.command), "```", ""),
    ]
    card, croissant = (corpus.out / name for name in FILES)
    write_whole(card, "\n".join(lines))
    write_whole(croissant, data_set.croissant(corpus, schema, filled, cite))


def _bibtex(corpus: Corpus) -> Iterator[str]:
    """The corpus, and the method that it is made by."""
    source = f"Built with corefmill {version('corefmill')}; source: {corpus.attribution}"
    # A name may be that of somebody's manifest: nothing in it ends the entry, or the card's block.
    key = re.sub(r"[^\w.:+-]", "", "-".join(filter(None, (corpus.name, corpus.texts))))
    title, note = (one_line(text).translate(_LATEX) for text in (corpus.full_title, source))
    yield from (f"@misc{{{key},", f"  title = {{{title}}},", f"  note = {{{note}}}", "}")
    for method in disk.read_package_table(__file__, "citations")["method"]:
        if corpus.name.startswith(tuple(method["corpora"])):
            yield method["bibtex"].strip()


def _pipeline_scores(pipeline: str) -> dict[str, str]:
    """How good the pipelines are that analysed the text, by what is known of them: of several each
    with its name. The wiki's own names come from none, and have no scores.
    """
    names = [one.partition(" ")[0] for one in pipeline.split(", ")]
    names = [name for name in names if name not in ("", "none", WIKI)]
    if not names:
        return {}
    known = {name: scores for name in names if (scores := scores_of(name))}
    said = "; ".join(known.values() if len(names) == 1 else map(": ".join, known.items()))
    return {"Scores of the pipeline": said or "not known here"}


def most_first(rejects: Mapping[str, int]) -> list[tuple[str, int]]:
    """The reasons with their counts, the most frequent first."""
    return sorted(rejects.items(), key=lambda entry: (-entry[1], entry[0]))
