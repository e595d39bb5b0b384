"""One command that makes a shipped pipeline from data: `python -m models.recipe en_mini`."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language

from models.training import english, italian_recipe, pipeline, save, score, sources
from models.training.sources import DataMissing

EXAMPLE = "python -m models.recipe en_mini --data ../shared/data --out models/en_mini"
NARRATIVE = Path(__file__).parent.parent / "tests" / "models" / "narrative_en.txt"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def say(line: str) -> None:
    """Progress, one line at a time."""
    print(line, flush=True)


def build(data: Path, seed: int, epochs: int, tree_epochs: int, jobs: int) -> Language:
    """The trained English pipeline; with two jobs its halves are trained side by side."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        halves = (
            pool.submit(english.train_names, data, epochs, seed, say),
            pool.submit(english.train_syntax, data, tree_epochs, seed, say),
        )
        weights = halves[0].result() | halves[1].result()
    nlp = pipeline.blank("en")
    for name, stored in weights.items():
        pipe: Any = nlp.get_pipe(name)
        pipe.from_bytes(stored, exclude=["vocab"])
    return nlp


def measure(nlp: Language, data: Path, seed: int) -> save.Report:
    """Scores on what was kept out, and speed."""
    report = save.Report()
    held_out = english.name_data(data, seed).held_out
    if NARRATIVE.exists():
        held_out = {"narrative, own sentences": list(sources.marked(NARRATIVE)), **held_out}
    for source, samples in held_out.items():
        report.names[source] = score.span_counts(nlp, samples, english.LABELS)
    wiki = next(samples for source, samples in held_out.items() if source.startswith("Wiki"))
    groups = english.held_out_trees(data)
    report.trees = score.tree_scores(nlp, groups)
    report.tree_sentences = sum(map(len, groups))
    report.wiki_sentences = score.sentence_f1(nlp, wiki)
    texts = [sample.text for sample in wiki]
    report.hot_speed = score.speed(nlp, texts, pipeline.HOT)
    report.full_speed = score.speed(nlp, texts, pipeline.HOT + pipeline.SYNTAX)
    return report


@app.command(epilog=f"Example: {EXAMPLE}")
def main(
    name: Annotated[str, typer.Argument(help="The pipeline to make: en_mini, it_mini.")],
    data: Annotated[Path, typer.Option(help="Folder that holds ner/, ud/, gap/ and litbank/.")],
    out: Annotated[Path, typer.Option(help="Folder to write the pipeline to; it is replaced.")],
    seed: Annotated[int, typer.Option(help="Seed of the split, the swaps and the weights.")] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the names' data.")] = 7,
    tree_epochs: Annotated[int, typer.Option(min=1, help="Passes over the treebank.")] = 10,
    jobs: Annotated[int, typer.Option(min=1, max=2, help="2: names and trees side by side.")] = 2,
) -> None:
    """Trains a pipeline from data to finished folder; its card gives scores on held-out text."""
    began = time.perf_counter()
    if name not in ("en_mini", "it_mini"):
        typer.echo(f"no recipe for {name!r}; legal names: en_mini, it_mini", err=True)
        raise typer.Exit(2)
    try:
        if name == "it_mini":
            command = EXAMPLE.replace("en_mini", "it_mini")
            italian_recipe.build(data, out, seed, epochs, tree_epochs, jobs, command, say)
            return
        english.check(data)
    except DataMissing as missing:
        typer.echo(str(missing), err=True)
        raise typer.Exit(2) from None
    try:
        # Before the work, so that a folder that cannot be written costs no training.
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        typer.echo(f"{out.parent}: {error.strerror}; name another folder by --out", err=True)
        raise typer.Exit(2) from None
    nlp = build(data, seed, epochs, tree_epochs, jobs)
    say(f"training took {time.perf_counter() - began:.0f} s; scoring")
    report = measure(nlp, data, seed)
    report.seconds = time.perf_counter() - began
    report.command = EXAMPLE
    save.write(nlp, out, "en", report)
    say(save.name_table(report.names))
    say(save.tree_table(report.trees))
    size = save.megabytes(out)
    say(f"{out}: {size:.1f} MB, {report.hot_speed:.0f} tokens/s, {report.seconds:.0f} s in all")


if __name__ == "__main__":
    app()
