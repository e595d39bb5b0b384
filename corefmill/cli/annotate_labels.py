"""What `corefmill annotate export` and `import` do with masked examples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.atomic import make_way
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.corpora.manifest import Manifest

RATERS, LEAST = 5, 4
"""KnowRef-60K's test set holds what 4 or 5 raters agree on (spec C2)."""


def export_examples(
    corpus: Path,
    out: Path,
    *,
    raters: int,
    split: str | None,
    limit: int | None,
    seed: int,
    overwrite: bool,
) -> tuple[int, int]:
    """Writes a spreadsheet of examples to be answered; returns how many, and how many rows."""
    from corefmill.builders.corpus import annotate, tasks

    found = annotate.examples(corpus)
    if split is not None and split not in found:
        raise UsageError(f"no split {split!r}; there are {', '.join(found)}", path=corpus)
    chosen = [e for name, items in found.items() if split in (None, name) for e in items]
    if limit is not None and limit < len(chosen):
        chosen = tasks.drawn(chosen, limit, seed)
    make_way(out, overwrite=overwrite)
    return len(chosen), tasks.write(out, chosen, raters=raters, seed=seed)


def import_labels(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    *,
    least: int | None,
    adjudicator: str | None,
    overwrite: bool,
    command: str,
) -> tuple[Manifest, str]:
    """Writes the labelled corpus; returns its manifest, and what to tell of it."""
    from corefmill.annotate.answers import gathered
    from corefmill.builders.corpus import annotate
    from corefmill.builders.knowref.assemble import write_json
    from corefmill.corpora.formats import five_line, masked_conll

    given = gathered(corpus, files, events=False, adjudicator=adjudicator)
    made = annotate.label(
        corpus,
        files,
        out,
        votes=given.candidates(),
        decided=given.decisions(),
        said=given.facts(),
        least=least or LEAST,
        overwrite=overwrite,
        forms={
            ".conll": masked_conll.write,
            ".txt": five_line.write,
            **({".json": write_json} if (corpus / "train.json").exists() else {}),
        },
        command=command,
    )
    counts = made.counts
    alpha = "-" if counts["alpha"] is None else f"{counts['alpha']:.3f}"
    left = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items()) or "-"
    return made, (
        f"{sum(made.splits.values()):,} of {counts['items']:,} items have a label; they are in"
        f" {out}. Krippendorff's alpha {alpha}; without a label: {left}."
    )
