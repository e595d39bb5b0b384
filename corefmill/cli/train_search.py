"""`train search`: the grid of learning rate, alpha and beta for masked names."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.model_options import ModelOptions
from corefmill.cli.options import grouped
from corefmill.cli.plain_options import Quiet, language
from corefmill.coref_model.missing import need
from corefmill.corpora.errors import UsageError

EXAMPLES = """Examples:

    train search --corpus wikicrem

    train search --corpus wikicrem --preset paper --encoder bert-large-uncased

    train search --corpus gap --data-dir data --lr 1e-3,3e-4 --alpha 10 --beta 0.1,0.2 --json
"""

SAMPLE = 100_000
"""Examples of section 4.3's search."""


@grouped
def search(
    corpus: Annotated[
        str, typer.Option(help="Name, file or folder of masked examples. See `corefmill corpora`.")
    ],
    model: ModelOptions,
    data_dir: Annotated[Path, typer.Option(help="Where corpora of the catalogue lie.")] = Path(
        "data"
    ),
    lang: Annotated[
        str | None,
        typer.Option(callback=language, help="Language, where the corpus does not say."),
    ] = None,
    lr: Annotated[
        str, typer.Option(help="Rates of the encoder, or of the head where that alone learns.")
    ] = "3e-5,1e-5,5e-6,3e-6",
    alpha: Annotated[str, typer.Option(help="Weights of the margin.")] = "5,10,20",
    beta: Annotated[str, typer.Option(help="Margins.")] = "0.1,0.2,0.4",
    sample: Annotated[
        int, typer.Option(min=1, help="Examples of the training split that are drawn.")
    ] = SAMPLE,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the tables. (default: out/search/CORPUS-ENCODER)"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, for scripts.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Try settings of the loss and the learning rate on a sample of a corpus, each with each.

    The grid is that of section 4.3 of Kocijan et al. (2019) unless values are given. The table,
    best first, is written as search.md and search.json. A search that was stopped goes on with the
    places not yet tried when the same command is given again.
    """
    need("torch", "transformers", "safetensors", "accelerate")
    from corefmill.coref_model.encoder import Encoder, load
    from corefmill.coref_model.masked.search import TABLE, Grid, markdown
    from corefmill.coref_model.masked.search import search as try_all
    from corefmill.coref_model.masked.task import KIND, MaskedSettings
    from corefmill.coref_model.training.config import resolve, suitable_presets
    from corefmill.corpora import find as corpora_found
    from corefmill.corpora.lock import locked

    grid = Grid(_numbers("--lr", lr), _numbers("--alpha", alpha), _numbers("--beta", beta))
    settings = resolve(
        MaskedSettings,
        "masked",
        file=model.config,
        presets=suitable_presets(model.preset or (), "masked", model.config),
        sets=model.sets(),
    )
    found = corpora_found.found(corpus, data_dir=data_dir, lang=lang)
    if found.kind != "masked":
        raise UsageError(
            f"{found.name} holds {found.holds}",
            remedy="the search is for corpora of masked examples, such as build wikicrem makes",
        )
    found = corpora_found.with_dev(
        corpora_found.in_memory(found, KIND.lean), settings.held_out, settings.held_out_seed
    )
    folder = out or Path("out") / "search" / f"{found.name}-{Path(settings.encoder).name}"
    silent = quiet or as_json
    if not silent:
        count = len(grid.lr) * len(grid.alpha) * len(grid.beta)
        print(f"Corpus {found.name}, {found.source}: {count} places of the grid.", flush=True)

    def anew() -> Encoder:
        return load(
            settings.encoder,
            trained=settings.trained,
            lora=settings.lora,
            checkpointing=settings.checkpointing,
            seed=settings.seed,
            download=model.download,
        )

    with locked(folder):
        tried = try_all(
            anew,
            settings,
            {split: corpora_found.records(found, split) for split in ("train", "validation")},
            grid,
            folder,
            sample=sample,
            identity={
                "corpus": corpora_found.fingerprint(found),
                "encoder_fingerprint": anew().fingerprint,
            },
            quiet=silent,
        )
    if as_json:
        print(json.dumps({"tried": [asdict(one) for one in tried], "out": str(folder)}))
    elif not quiet:
        print(f"{markdown(tried)}\nThe table is in {folder / TABLE}.")


def _numbers(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(
            f"{option} {text!r} is no list of numbers", remedy="such as 0.1,0.2"
        ) from None
