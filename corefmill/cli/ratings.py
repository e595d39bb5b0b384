"""`corefmill ratings`: utterances for people to judge, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.plain_options import Draws, Json, Lang, Overwrite, Quiet, Theirs, seed_option
from corefmill.cli.printing import print_json, print_result, progress, table
from corefmill.corpora.errors import UsageError, naming
from corefmill.corpora.ownership import refuse_finished, together

if TYPE_CHECKING:
    from corefmill.builders.translate.ratings import UtteranceToRate
    from corefmill.corpora.formats.form import Format
    from corefmill.corpora.scoring.agreement import Estimate

SAMPLE_EXAMPLES = """Examples:

    corefmill ratings sample out/ontonotes-it --out ratings

    corefmill ratings sample OntoCorefIT_train.json --per-class 50 --raters 2 --out ratings
"""
SCORE_EXAMPLES = """Examples:

    corefmill ratings score ratings

    corefmill ratings score ratings --json
"""
_SCHEMA = "document/1"
_MANY = 100

app = typer.Typer(no_args_is_help=True)


@app.callback()
def ratings() -> None:
    """Draw utterances for raters by readability; shares and agreement from their answers."""


@app.command("sample", epilog=SAMPLE_EXAMPLES)
def sample(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|DIR...", help="Documents: files, folders of them, or corpora."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for the sheets.")],
    per_class: Annotated[
        int, typer.Option(min=1, help="Utterances of each readability class.")
    ] = 200,
    raters: Annotated[int, typer.Option(min=1, max=_MANY, help="Sheets to write.")] = 3,
    form: Theirs = None,
    lang: Lang = "it",
    seed: Annotated[int, seed_option("Seed of the draw and of the order.")] = 0,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw utterances of each readability class, blind and shuffled, a sheet for each rater.

    Each rater fills grammatical and acceptable with 1 or 0. Keep key.csv from them.
    """
    from corefmill.builders.translate import ratings
    from corefmill.corpora.formats import registry

    files = _files(paths, registry.named(form) if form else None)

    targets = ratings.paths(out, raters)
    _refuse_other_sheets(out, targets)
    names = [path.name for path in targets]
    refuse_finished(out, names, overwrite=overwrite)

    drawn = ratings.draw(_utterances(files, lang), per_class, seed)
    if not drawn.items:
        raise UsageError("no utterance has words", path=paths[0])
    with together(out, names, overwrite=overwrite):
        ratings.write(out, drawn, raters=raters, seed=seed)
    levels = [item.level for item in drawn.items.values()]
    sizes = {name: levels.count(name) for name in drawn.population}
    rows = [(name, str(sizes[name]), str(drawn.population[name])) for name in sizes]
    shown = table(("readability", "drawn", "in the corpus"), rows, numbers=2)
    files_made = [str(path) for path in targets]
    result = {"drawn": sizes, "corpus": drawn.population, "files": files_made}
    said = f"{shown}\n\n{raters} sheets and the key in {out}"
    print_result(result, said, as_json=as_json, quiet=quiet)


def _refuse_other_sheets(out: Path, targets: Sequence[Path]) -> None:
    if others := set(out.glob("*.csv")).difference(targets):
        raise UsageError(
            "is there already, and would be read as a sheet of this sample",
            path=min(others),
            remedy="name another folder by --out",
        )


def _utterances(files: Mapping[Path, Format], lang: str) -> Iterator[UtteranceToRate]:
    from corefmill.builders.translate import ratings

    for path, form in files.items():
        for line, document in progress(form.read(path, lang), "documents"):
            with naming(path, line):
                yield from ratings.items(document)


@app.command("score", epilog=SCORE_EXAMPLES)
def score(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of `ratings sample`, sheets filled.")
    ],
    rounds: Draws = 1000,
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Shares of grammatical and acceptable utterances and the raters' agreement, by class.

    yes: answers that are yes. majority: utterances that most raters accept. observed: pairs of
    raters that agree. unanimous: utterances without dissent. alpha: Krippendorff's. In [ ] the
    middle 95 % of draws. `corpus` weighs each class by its size in the corpus.
    """
    sheets = sorted(path for path in folder.glob("*.csv") if path.name != "key.csv")
    if not (folder / "key.csv").is_file() or not sheets:
        raise UsageError(
            "has no key.csv with sheets beside it",
            path=folder,
            remedy="`corefmill ratings sample` writes them",
        )
    from corefmill.builders.translate import judgement, ratings

    rated = ratings.read(folder / "key.csv", sheets)
    found = judgement.judge(rated, rounds, seed)
    if as_json:
        print_json(
            {
                question: {level: asdict(own) for level, own in levels.items()}
                for question, levels in found.items()
            }
        )
        return
    for number, (question, levels) in enumerate(found.items()):
        names = list(levels[judgement.TOTAL].measures)
        rows = [
            (level, str(own.items), str(own.answers), *(_cell(own.measures.get(n)) for n in names))
            for level, own in levels.items()
        ]
        print(
            "\n" * bool(number)
            + table((question, "items", "answers", *names), rows, 2 + len(names))
        )


def _cell(one: Estimate | None) -> str:
    if one is None or one.value is None:
        return "-"
    if one.low is None:
        return f"{one.value:.3f}"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _files(paths: list[Path], form: Format | None) -> dict[Path, Format]:
    """Of folders the documents alone, of files each must hold them."""
    from corefmill.corpora.formats import discover

    named = discover.named(paths, form)
    found = {path: own for path, own in named.items() if path in paths or own.schema == _SCHEMA}
    for path, own in found.items():
        if own.schema != _SCHEMA:
            raise UsageError(f"holds {own.schema}, not documents", path=path)
    if not found:
        raise UsageError("no file of documents in here", path=paths[0])
    return found
