"""What `corefmill annotate export` and `import` do with masked examples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.atomic import make_way
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.annotate.exchange.transfer import TaskSelection
    from corefmill.cli.annotate_answers import AnswerImport
    from corefmill.corpora.manifest import Manifest

RATERS, LEAST = 5, 4
"""KnowRef-60K's test set holds what 4 or 5 raters agree on (spec C2)."""


def export_examples(
    corpus: Path, out: Path, selection: TaskSelection, *, raters: int, overwrite: bool
) -> tuple[int, int]:
    """Writes a spreadsheet of examples to be answered; returns how many, and how many rows."""
    from corefmill.builders.corpus import annotate, tasks

    found, split, limit = annotate.examples(corpus), selection.split, selection.limit
    if split is not None and split not in found:
        raise UsageError(f"no split {split!r}; there are {', '.join(found)}", path=corpus)
    chosen = [e for name, items in found.items() if split in (None, name) for e in items]
    if limit is not None and limit < len(chosen):
        chosen = tasks.drawn(chosen, limit, selection.seed)
    make_way(out, overwrite=overwrite)
    return len(chosen), tasks.write(out, chosen, raters=raters, seed=selection.seed)


def import_labels(asked: AnswerImport) -> tuple[Manifest, str]:
    """Writes the labelled corpus; returns its manifest, and what to tell of it."""
    from corefmill.annotate.answers import gathered
    from corefmill.builders.corpus import annotate
    from corefmill.builders.knowref.assemble import write_json
    from corefmill.corpora.formats import five_line, masked_conll

    corpus = asked.corpus
    given = gathered(corpus, asked.files, events=False, adjudicator=asked.adjudicator)
    made = annotate.label(
        corpus,
        asked.files,
        asked.out,
        votes=given.candidates(),
        decided=given.decisions(),
        said=given.facts(),
        least=asked.least or LEAST,
        overwrite=asked.overwrite,
        forms={
            ".conll": masked_conll.write,
            ".txt": five_line.write,
            **({".json": write_json} if (corpus / "train.json").exists() else {}),
        },
        command=asked.command,
    )
    counts = made.counts
    alpha = "-" if counts["alpha"] is None else f"{counts['alpha']:.3f}"
    left = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items()) or "-"
    return made, (
        f"{sum(made.splits.values()):,} of {counts['items']:,} items have a label; they are in"
        f" {asked.out}. Krippendorff's alpha {alpha}; without a label: {left}."
    )
