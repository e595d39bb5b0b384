"""`train search`: the grid of learning rate, alpha and beta for masked names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli import completing
from corefmill.cli.grouping import grouped
from corefmill.cli.model_options import CorpusOptions, ModelOptions
from corefmill.cli.options import ShownOptions
from corefmill.cli.plain_options import input_here, numbers, output_here
from corefmill.cli.printing import print_result
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora.errors import UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.masked.search import Grid
    from corefmill.coref_model.masked.task import MaskedSettings
    from corefmill.corpora.find import FoundCorpus
    from corefmill.corpora.records import Record

EXAMPLES = """Examples:

    train search --corpus wikicrem

    train search --corpus wikicrem --preset paper --encoder bert-large-uncased

    train search --corpus gap --data-dir data --lr 1e-3,3e-4 --alpha 10 --beta 0.1,0.2 --json
"""

SAMPLE = 100_000
"""Examples of section 4.3's search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The grid, and on how many examples each of its settings is tried."""

    lr: Annotated[
        str,
        typer.Option(
            help="Learning rates of the encoder, or of the head where that alone learns, separated"
            " by commas."
        ),
    ] = "3e-5,1e-5,5e-6,3e-6"
    alpha: Annotated[str, typer.Option(help="Weights of the margin in the loss.")] = "5,10,20"
    beta: Annotated[str, typer.Option(help="Margins that a right candidate is to lead by.")] = (
        "0.1,0.2,0.4"
    )
    sample: Annotated[
        int, typer.Option(min=1, help="Examples of the training split that are drawn.")
    ] = SAMPLE
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the tables.",
            callback=output_here,
            show_default="out/search/CORPUS-ENCODER",
        ),
    ] = None

    def folder(self, corpus: str, encoder: str) -> Path:
        """Where the tables go."""
        return self.out or Path("out") / "search" / f"{corpus}-{encoder}"

    def grid(self) -> Grid:
        """The values to try of each setting."""
        from corefmill.coref_model.masked.search import Grid

        given = {name: getattr(self, name) for name in ("lr", "alpha", "beta")}
        return Grid(**{name: numbers(f"--{name}", said) for name, said in given.items()})


@grouped
def search(
    corpus: Annotated[
        str,
        typer.Option(
            help="Name, file or folder of masked examples. See `corefmill corpora`.",
            callback=input_here,
            autocompletion=completing.corpora,
        ),
    ],
    options: SearchOptions,
    source: CorpusOptions,
    model: ModelOptions,
    show: ShownOptions,
) -> None:
    """Try settings of the loss and the learning rate on a sample of a corpus, each with each.

    The grid is that of section 4.3 of Kocijan et al. (2019) unless values are given. The table,
    best first, is written as search.md and search.json. A search that was stopped goes on with the
    settings not yet tried when the same command is given again.
    """
    need(*TRAINING)
    from corefmill.coref_model.masked.search import TABLE, markdown
    from corefmill.coref_model.masked.search import search as try_all
    from corefmill.coref_model.masked.task import MaskedSettings
    from corefmill.coref_model.training.task import encoder_of
    from corefmill.corpora import find
    from corefmill.corpora.lock import locked

    grid = options.grid()
    settings = model.resolved(MaskedSettings, "masked")
    found = _corpus(corpus, source, settings)
    folder = options.folder(found.name, Path(settings.encoder).name)
    if not show.silent:
        count = len(grid.lr) * len(grid.alpha) * len(grid.beta)
        print(f"Corpus {found.name}, {found.found_in}: {count} settings of the grid.", flush=True)
    anew = partial(encoder_of, settings, download=model.download)
    identity = {"corpus": find.fingerprint(found), "encoder_fingerprint": anew().fingerprint}
    with locked(folder):
        tried = try_all(
            anew,
            settings,
            _splits(found),
            grid,
            folder,
            sample=options.sample,
            identity=identity,
            quiet=show.silent,
        )
    result = {"tried": [asdict(one) for one in tried], "out": str(folder)}
    said = f"{markdown(tried)}\nThe table is in {folder / TABLE}."
    print_result(result, said, as_json=show.as_json, quiet=show.quiet)


def _corpus(name: str, source: CorpusOptions, settings: MaskedSettings) -> FoundCorpus:
    """The corpus of masked examples, with a development split that is its own or held out."""
    from corefmill.corpora import find

    found = find.found(name, data_dir=source.data_dir, lang=source.lang)
    if found.kind != "masked":
        raise UsageError(
            f"{found.name} holds {found.holds}",
            remedy="the search is for corpora of masked examples, such as build wikicrem makes",
        )
    return find.with_dev(found, settings.held_out, settings.held_out_seed)


def _splits(found: FoundCorpus) -> dict[str, Iterable[Record]]:
    """Of the training split a sample is drawn as it streams by; the other serves every setting."""
    from corefmill.corpora import find

    return {
        "train": find.records(found, "train"),
        "validation": list(find.records(found, "validation")),
    }
