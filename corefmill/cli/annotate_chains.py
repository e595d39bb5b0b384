"""`corefmill annotate chains`, and what import does with the files of `serve --task`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.annotate_answers import AnswerImport, told
from corefmill.cli.plain_options import Draws, Json, Theirs, seed_option
from corefmill.cli.printing import print_json, table
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.annotate.store import JudgementStore
    from corefmill.corpora.manifest import Manifest
    from corefmill.corpora.scoring.agreement import Estimate

EXAMPLES = """Examples:

    corefmill annotate chains ada.conll bob.conll

    corefmill annotate chains ada.jsonl bob.jsonl cy.conllu --json

    corefmill annotate chains litbank.conll.chains.sqlite --corpus litbank.conll
"""


def chains(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Documents of a rater each, in any format; or a file of `serve --task`.",
        ),
    ],
    form: Theirs = None,
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus that a file of `annotate serve` is about.")
    ] = None,
    rounds: Draws = 1000,
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Krippendorff's alpha over links, of all raters, and the CoNLL F1 of each pair.

    Alpha has Passonneau's distance of sets, MASI: what a rater says of a mention is its cluster. In
    ( ) the middle 95 % of draws of documents. A file's name is its rater's. Of a file of `annotate
    serve --task` with its --corpus: also how many acts each rater took, and how long. Where spans
    were corrected, the F1 is of mentions.
    """
    if corpus is not None:
        _of_pages(files, corpus, rounds, seed, as_json=as_json)
        return
    from corefmill.corpora.scoring import chain_agreement, sources

    if len(set(files)) < max(2, len(files)):
        raise UsageError("agreement is between two files or more, each of another rater")
    raters = {}
    for path in files:
        found = sources.load(path, form=form)
        if not isinstance(found, sources.Texts):
            raise DataError("holds no documents with clusters", path=path)
        raters[str(path)] = found.texts
    alpha = chain_agreement.alpha(raters, rounds, seed)
    pairs = chain_agreement.conll(raters)
    if not pairs:
        raise DataError("no two files have a document in common", path=files[0])
    if as_json:
        rows = [{"raters": names, "conll": value} for names, value in pairs.items()]
        print_json({"alpha": asdict(alpha), "pairs": rows})
        return
    _print(alpha, pairs, "CoNLL F1")


def _print(alpha: Estimate, pairs: Mapping[tuple[str, str], float], measure: str) -> None:
    shown = "-" if alpha.value is None else f"{alpha.value:.3f}"
    if alpha.low is not None and alpha.high is not None:
        shown += f" ({alpha.low:.3f} to {alpha.high:.3f})"
    print(f"Krippendorff's alpha over links: {shown}\n")
    cells = [(*names, f"{100 * value:.2f}") for names, value in pairs.items()]
    print(table(("pair", "", measure), cells, 1))


def _of_pages(files: list[Path], corpus: Path, rounds: int, seed: int, *, as_json: bool) -> None:
    from corefmill.annotate.chaining import corrected

    with _opened(files, corpus) as kept:
        own = corrected.read(corpus, kept)
    alpha, pairs = own.agreement(rounds, seed)
    pace = own.pace()
    measure = "conll" if own.kind == "chains" else "mentions"
    if as_json:
        rows = [{"raters": names, measure: value} for names, value in pairs.items()]
        raters = [{"rater": name, **asdict(one)} for name, one in pace.items()]
        print_json({"alpha": asdict(alpha), "pairs": rows, "raters": raters})
        return
    _print(alpha, pairs, "CoNLL F1" if measure == "conll" else "F1 of mentions")
    head = ("rater", "done", "skipped", "acts", "seconds a document", "seconds an act")
    cells = [
        (
            *(name, f"{one.done:,}", f"{one.skipped:,}", f"{one.acts:,}"),
            *("-" if own is None else f"{own:.1f}" for own in (one.document, one.act)),
        )
        for name, one in pace.items()
    ]
    print("\n" + table(head, cells, 5))


def is_of_documents(files: Sequence[Path]) -> bool:
    """Whether answers are acts on documents; such a file has to be alone."""
    from corefmill.annotate.answers import task_of

    if not any(task_of(path) for path in files):
        return False
    if len(files) > 1:
        raise UsageError("acts on documents are imported from one file", path=files[1])
    return True


def import_documents(asked: AnswerImport) -> tuple[Manifest, str]:
    """Writes the corrected corpus; returns its manifest, and what to tell of it."""
    from corefmill.annotate.chaining import corrected

    if asked.adjudicator is not None:
        raise UsageError("--adjudicator is for JSON Lines: the pages record who adjudicates")
    with _opened(asked.files, asked.corpus) as kept:
        made = corrected.correct(
            asked.corpus,
            asked.files[0],
            kept,
            asked.out,
            least=asked.least or 1,
            overwrite=asked.overwrite,
            command=asked.command,
        )
    return made, told(made, f"The corrected corpus is in {asked.out}", "documents")


@contextmanager
def _opened(files: Sequence[Path], corpus: Path) -> Iterator[JudgementStore]:
    from corefmill.annotate.answers import refuse_other, task_of
    from corefmill.annotate.store import JudgementStore

    if len(files) > 1 or not task_of(files[0]):
        raise UsageError("--corpus goes with one file of `annotate serve --task`", path=files[-1])
    with JudgementStore.opened(files[0]) as kept:
        refuse_other(corpus, kept)
        yield kept
