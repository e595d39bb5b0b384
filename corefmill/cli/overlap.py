"""`corefmill overlap`: how much of a test set a text already gives away."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from corefmill.builders import nlp
from corefmill.builders.overlap import copies, index, report, run
from corefmill.builders.overlap.run import OverlapItem
from corefmill.builders.overlap.search import BM25, IDF
from corefmill.builders.overlap.sentences import RULES, SentenceOptions
from corefmill.builders.overlap.split import answers
from corefmill.builders.sources import inputs
from corefmill.builders.sources.inputs import Input
from corefmill.cli import overlap_report
from corefmill.cli.options import INPUT, WORK, Mode
from corefmill.cli.plain_options import Overwrite, finite, language
from corefmill.cli.tables import table
from corefmill.corpora import disk
from corefmill.corpora import find as corpora_found
from corefmill.corpora.atomic import make_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.records import MaskedExample

EXAMPLES = """Examples:

    corefmill overlap --test dpr --data-dir data --text novels/

    corefmill overlap --test winogender,winobias --data-dir data --dump enwiki.xml.bz2 --workers 8

    corefmill overlap --test dpr --data-dir data --text novels/ --answers minilm.csv --overwrite

    corefmill overlap --test mine.txt --text crawl/ --mode paper --top 50 --json
"""

SEARCH = "Search"


def overlap(
    test: Annotated[
        str,
        typer.Option(
            help="Corpora of masked examples, parted by commas: names (`corefmill corpora`), files"
            " or folders.",
            rich_help_panel=INPUT,
        ),
    ],
    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Plain text or JSON Lines: a file, folder or pattern. Repeatable.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    dump: Annotated[
        str | None,
        typer.Option(
            help="A Wikipedia dump, beside --text or alone: auto, sample, latest (downloads), a"
            " file or a pattern.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    lang: Annotated[
        str, typer.Option(callback=language, help="Of all of them.", rich_help_panel=INPUT)
    ] = "en",
    data_dir: Annotated[
        Path, typer.Option(help="Where corpora and dumps lie.", rich_help_panel=INPUT)
    ] = Path("data"),
    split: Annotated[
        str | None,
        typer.Option(help="(default: test, else validation, else all)", rich_help_panel=INPUT),
    ] = None,
    answered: Annotated[
        list[Path] | None,
        typer.Option(
            "--answers",
            metavar="FILE",
            help="A model's answers, a CSV of corpus, id and correct as `evaluate --answers` writes"
            " it: its accuracy on what overlaps and on what does not. Repeatable.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    nlp_name: Annotated[
        str | None,
        typer.Option(
            "--nlp",
            help="Pipeline that parses the test set. (default: as for build)",
            rich_help_panel=INPUT,
        ),
    ] = None,
    splitter: Annotated[
        str,
        typer.Option(
            "--sentences",
            help="What cuts the text: rules, or a pipeline, which is slower.",
            rich_help_panel=INPUT,
        ),
    ] = RULES,
    mode: Annotated[
        Mode,
        typer.Option(
            help="clean asks the paper's query; paper that of its code, by Whoosh's words and"
            " lengths.",
            rich_help_panel=SEARCH,
        ),
    ] = Mode.clean,
    slop: Annotated[
        int,
        typer.Option(
            min=1,
            help="How far a word of the predicates may be from the last.",
            rich_help_panel=SEARCH,
        ),
    ] = 10,
    k1: Annotated[
        float,
        typer.Option("--k1", min=0.0, callback=finite, help="Of BM25.", rich_help_panel=SEARCH),
    ] = 1.2,
    b: Annotated[
        float, typer.Option("-b", "--b", min=0.0, max=1.0, rich_help_panel=SEARCH, help="Of BM25.")
    ] = 0.75,
    idf: Annotated[
        str,
        typer.Option(
            help="whoosh, on whose scale the paper's cut-offs are; robertson, as the paper prints"
            " it; lucene, the same but never negative.",
            rich_help_panel=SEARCH,
        ),
    ] = "whoosh",
    cutoffs: Annotated[
        str,
        typer.Option(help="BM25 over which an item overlaps, some.", rich_help_panel=SEARCH),
    ] = "0,25,35",
    top: Annotated[
        int, typer.Option(min=1, help="Sentences kept for an item.", rich_help_panel=SEARCH)
    ] = 5,
    gram: Annotated[
        int,
        typer.Option(
            min=2,
            help="Words in a row that make a copy; of 8 and more, all.",
            rich_help_panel=SEARCH,
        ),
    ] = copies.GRAM,
    near: Annotated[
        float,
        typer.Option(
            min=0.5,
            max=1.0,
            help="Jaccard similarity of a near-duplicate, by 5-grams of characters.",
            rich_help_panel=SEARCH,
        ),
    ] = 0.8,
    out: Annotated[
        Path, typer.Option(help="Directory of the results.", rich_help_panel=WORK)
    ] = Path("out/overlap"),
    index_dir: Annotated[
        Path | None,
        typer.Option(
            "--index",
            help="Directory of the indexes, used again by later calls. (default: index in --out)",
            rich_help_panel=WORK,
        ),
    ] = None,
    overwrite: Overwrite = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes. (default: one a core)", rich_help_panel=WORK),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as JSON, for scripts.", rich_help_panel=WORK),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print tables only.", rich_help_panel=WORK)
    ] = False,
) -> None:
    """How much of a test set a text gives away, and what a model's score owes to that.

    After Emami et al. 2020: for each problem the sentences with both predicates in their order, by
    BM25; beside it 13-grams and near-duplicates. A run that was stopped goes on where it was when
    the same command is given again.
    """
    index.need_tantivy()
    overlap_report.refuse_results(out, overwrite=overwrite)
    if idf not in IDF:
        raise UsageError(f"no idf {idf!r}", remedy=f"there are {', '.join(IDF)}")
    limits = _limits(cutoffs)
    silent = quiet or as_json
    items = [one for name in _names(test) for one in _items(name, data_dir, lang, split)]
    told = [(item.corpus, item.example.id) for item in items]
    right = {_model(path, answered or ()): answers(path, told) for path in answered or ()}
    sources = _sources(text or (), dump, lang, data_dir, workers, silent)
    pipeline = nlp.load(nlp_name or nlp.choose(lang), lang, names=False)
    make_folder(out)
    options = run.OverlapOptions(
        cut=SentenceOptions(lang, splitter, mode.value),
        slop=slop,
        ranking=BM25(k1, b, idf, rounded=mode is Mode.paper),
        top=top,
        copies=copies.CopySettings(gram, near),
        workers=workers or os.cpu_count() or 1,
        progress=False if silent else None,
        watch=_watch(silent),
    )
    asked = list(run.ask(items, pipeline, mode.value, slop))
    rows, about, warnings = run.look(asked, sources, (index_dir or out / "index"), options)
    found = {
        name: report.shares(report.of_corpus(rows, name), limits) for name in report.corpora(rows)
    }
    models = list(report.accuracies(rows, right, limits))
    summary = {
        "mode": mode.value,
        "pipeline": pipeline.version,
        "bm25": {"k1": k1, "b": b, "idf": idf, "slop": slop},
        "copies": {"gram": gram, "near": near},
        "sources": {
            name: {**one, "index": disk.shown(one["index"].name)} for name, one in about.items()
        },
        "corpora": found,
        "models": [
            {"model": model, "corpus": name, "splits": [one.as_json() for one in own]}
            for model, name, own in models
        ],
        "warnings": warnings,
    }
    shown = overlap_report.tables(found, models, limits)
    overlap_report.write(out, rows, summary, shown, overwrite=overwrite)
    if as_json:
        print(json.dumps({"out": disk.shown(out), **summary}, ensure_ascii=False))
    else:
        for head, cells in shown:
            print(f"\n{table(head, cells, len(head) - 1)}")
        if not quiet:
            print(f"\nThe best sentences of each item are in {out / overlap_report.ROWS}.")
    if warnings:
        raise DataError(f"{warnings[0]}; the results in {out} are of what came before")


def _limits(cutoffs: str) -> list[float]:
    try:
        found = sorted({float(one) for one in cutoffs.split(",")})
    except ValueError:
        found = []
    if not found or not all(0 <= one < float("inf") for one in found):
        raise UsageError(f"--cutoffs {cutoffs!r}: not numbers of 0 and more, parted by commas")
    return found


def _names(test: str) -> list[str]:
    names = [name.strip() for name in test.split(",") if name.strip()]
    if not names:
        raise UsageError("no corpus is named by --test")
    if len(set(names)) < len(names):
        raise UsageError("a corpus is named twice by --test")
    return names


def _items(name: str, data_dir: Path, lang: str, wanted: str | None) -> list[OverlapItem]:
    corpus = corpora_found.found(name, data_dir=data_dir, lang=lang)
    if corpus.kind != "masked":
        raise DataError(
            f"{corpus.name} holds {corpus.holds}",
            remedy="--test takes masked examples, such as dpr",
        )
    split = corpora_found.judged_split(corpus, wanted)
    items = [
        OverlapItem(corpus.name, record)
        for record in corpora_found.records(corpus, split)
        if isinstance(record, MaskedExample)
    ]
    if not items:
        raise DataError(f"the {split} split of {corpus.name} is empty")
    return items


def _sources(
    text: Sequence[str],
    dump: str | None,
    lang: str,
    data_dir: Path,
    workers: int | None,
    silent: bool,
) -> dict[str, Input]:
    found: dict[str, Input] = {}
    if text:
        found["text"] = inputs.from_text(text)
    if dump == "-":
        raise UsageError(
            "a stream cannot be indexed, since it cannot be told again", remedy="name a file"
        )
    if dump is not None:
        found["dump"] = inputs.from_dump(
            dump, lang, data_dir=data_dir, threads=workers, quiet=silent
        )
    if not found:
        raise UsageError("no text is named", remedy="--text FILE|FOLDER, --dump FILE, or both")
    if not silent:
        for one in found.values():
            print(one.says[:1].upper() + one.says[1:] + ".", flush=True)
    return found


def _model(path: Path, others: Sequence[Path]) -> str:
    """What a file of answers is called: its stem, or all of it where several share that."""
    return disk.shown(path.stem if sum(one.stem == path.stem for one in others) == 1 else path)


def _watch(silent: bool) -> Callable[[str, int], Callable[[int], None]]:
    def step(name: str, size: int) -> Callable[[int], None]:
        bar = tqdm(total=size, desc=name, disable=True if silent else None, delay=2.0)

        def tell(number: int) -> None:
            bar.update(number)
            if bar.n >= size:
                bar.close()

        return tell

    return step
