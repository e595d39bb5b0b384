"""Makes a shipped pipeline from data: `python -m tools.pipelines.recipe en_mini`."""

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from corefmill.builders.nlp.spacy_backend import use_fast_products
from tools.pipelines import english, italian, language, pipeline, save, score, sources, weights
from tools.pipelines.plan import Half, Recipe
from tools.pipelines.sources import DataMissing
from tools.pipelines.teacher import TeacherMissing
from tools.pipelines.weights import Weights

EXAMPLE = "python -m tools.pipelines.recipe {name} --data ../shared/data --out {home}/{name}"
RECIPES = {
    "en_mini": english.RECIPE,
    "it_mini": italian.RECIPE,
    **{f"{lang}_mini": language.recipe(lang) for lang in language.languages()},
}
NARRATIVE = Path(__file__).parents[2] / "tests" / "tools" / "pipelines"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def say(line: str) -> None:
    """Progress, one line at a time."""
    print(line, flush=True)


def _half(train: Half, data: Path, work: Path, name: str, epochs: int, seed: int) -> Weights:
    """Runs in a process of its own; a half that is done is taken up."""
    use_fast_products()
    if not (work / name).exists():
        with _timed(work, name):
            weights.save(train(data, work, epochs, seed, say), work / name)
    return weights.load(work / name)


@contextmanager
def _timed(work: Path, name: str) -> Iterator[None]:
    """Adds the time that the block takes to what the work folder knows of it."""
    began = time.perf_counter()
    yield
    spent = work / f"{name}.seconds"
    before = float(spent.read_text(encoding="utf-8")) if spent.exists() else 0.0
    spent.write_text(f"{before + time.perf_counter() - began:.0f}", encoding="utf-8")


def train(
    recipe: Recipe, data: Path, work: Path, seed: int, epochs: int, tree_epochs: int, jobs: int
) -> list[Weights]:
    """Both halves; with two jobs they are trained side by side."""
    with _timed(work, "preparing"):
        recipe.prepare(data, work, seed, say)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        halves = (
            pool.submit(_half, recipe.train_names, data, work, "names", epochs, seed),
            pool.submit(_half, recipe.train_syntax, data, work, "trees", tree_epochs, seed),
        )
        return [half.result() for half in halves]


def measure(recipe: Recipe, folder: Path, data: Path, work: Path, seed: int) -> save.Report:
    """Scores of the finished folder on what was kept out, and speed."""
    from spacy import load

    report = save.Report()
    nlp = load(folder)
    held_out = recipe.held_out(data, seed)
    narrative = NARRATIVE / f"narrative_{recipe.lang}.txt"
    if narrative.exists():
        narrated = list(sources.marked(narrative))
        held_out = {"narrative, own sentences": narrated, **held_out}
        report.single = score.single_names(nlp, narrated)
    for source, samples in held_out.items():
        report.names[source] = score.span_counts(nlp, samples, recipe.labels)
    wiki = next(samples for source, samples in held_out.items() if source.startswith("Wiki"))
    report.wiki_sentences = score.sentence_f1(nlp, wiki)
    report.trees = score.trees(folder, recipe.treebank(data, work), recipe.inputs)
    texts = [sample.text for sample in wiki]
    report.hot_speed = score.speed(nlp, texts, pipeline.HOT)
    report.full_speed = score.speed(nlp, texts, pipeline.HOT + recipe.syntax)
    return report


def _take_up(work: Path, plan: dict[str, object]) -> None:
    """Makes the work folder, or takes up one that the same recipe left there."""
    written = work / "plan.json"
    if written.exists():
        before = json.loads(written.read_text(encoding="utf-8"))
        if before != plan:
            typer.echo(f"{work}: begun by {before}; delete it or name another --work", err=True)
            raise typer.Exit(2)
        say(f"{work}: taking up what is there")
    work.mkdir(parents=True, exist_ok=True)
    written.write_text(json.dumps(plan), encoding="utf-8")


def _make(
    name: str,
    out: Path,
    data: Path,
    work: Path,
    seed: int,
    epochs: int,
    tree_epochs: int,
    jobs: int,
) -> None:
    """Trains, writes and scores the pipeline, and removes the work folder."""
    use_fast_products()
    began, recipe = time.perf_counter(), RECIPES[name]
    halves = train(recipe, data, work, seed, epochs, tree_epochs, jobs)
    nlp = recipe.blank(data, work)
    for half in halves:
        weights.put(nlp, half)
    part = work / name
    save.write(nlp, part, recipe)
    say(f"training took {time.perf_counter() - began:.0f} s; scoring")
    report = measure(recipe, part, data, work, seed)
    for what in ("preparing", "names", "trees"):
        report.seconds[what] = float((work / f"{what}.seconds").read_text(encoding="utf-8"))
    report.command = EXAMPLE.format(name=name, home=recipe.home)
    save.finish(part, out, recipe, report)
    shutil.rmtree(work)
    say(save.name_table(report.names))
    say(save.tree_table(report.trees))
    size = save.megabytes(out)
    say(f"{out}: {size:.1f} MB, {report.hot_speed:.0f} and {report.full_speed:.0f} tokens/s")


@app.command(epilog=f"Example: {EXAMPLE.format(name='en_mini', home='builders/nlp/pipelines')}")
def main(
    name: Annotated[str, typer.Argument(help=f"The pipeline to make: {', '.join(RECIPES)}.")],
    data: Annotated[
        Path, typer.Option(help="Folder that holds ner/, ud/, eltec/ and what else the card names.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write the pipeline to; it is replaced.")],
    seed: Annotated[int, typer.Option(help="Seed of the split, the swaps and the weights.")] = 1,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the names' data. (default: the card's)")
    ] = None,
    tree_epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the treebanks. (default: the card's)")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=2, help="2: names and trees side by side.")] = 2,
    work: Annotated[
        Path | None,
        typer.Option(
            help="Folder for what is half done, from which a stopped run goes on; deleted at the "
            "end. (default: beside --out)"
        ),
    ] = None,
) -> None:
    """Trains a pipeline from data to finished folder; its card gives scores on held-out text."""
    recipe = RECIPES.get(name)
    if recipe is None:
        typer.echo(f"no recipe for {name!r}; legal names: {', '.join(RECIPES)}", err=True)
        raise typer.Exit(2)
    passes, tree_passes = epochs or recipe.epochs, tree_epochs or recipe.tree_epochs
    work = work or out.with_name(f"{out.name}.work")
    try:
        recipe.check(data)
        plan = {"name": name, "seed": seed, "epochs": passes, "tree_epochs": tree_passes}
        # Before the work, so that a folder that cannot be written costs no training.
        out.parent.mkdir(parents=True, exist_ok=True)
        _take_up(work, plan)
    except (DataMissing, TeacherMissing) as missing:
        typer.echo(str(missing), err=True)
        raise typer.Exit(2) from None
    except OSError as error:
        typer.echo(f"{error.filename}: {error.strerror}; name another folder by --out", err=True)
        raise typer.Exit(2) from None
    _make(name, out, data, work, seed, passes, tree_passes, jobs)


if __name__ == "__main__":
    app()
