"""`corefmill overlap`: how much of a test set a text already gives away."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from corefmill.cli import completing
from corefmill.cli.grouping import grouped
from corefmill.cli.options import INPUT, WORK, Mode
from corefmill.cli.plain_options import (
    DataDir,
    Json,
    Overwrite,
    Quiet,
    Split,
    finite,
    lang_option,
    numbers,
)
from corefmill.cli.plain_options import names as several
from corefmill.cli.printing import print_json, table
from corefmill.corpora import disk
from corefmill.corpora.atomic import make_folder, make_way, refuse_taken, replacing
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.builders.overlap.run import OverlapItem, OverlapOptions
    from corefmill.builders.sources.inputs import Input
    from corefmill.corpora.find import FoundCorpus

_log = logging.getLogger(__name__)

EXAMPLES = """Examples:

    corefmill overlap --test dpr --data-dir data --text novels/

    corefmill overlap --test winogender,winobias --data-dir data --dump enwiki.xml.bz2 --workers 8

    corefmill overlap --test dpr --data-dir data --text novels/ --answers minilm.csv --overwrite

    corefmill overlap --test mine.txt --text crawl/ --mode paper --top 50 --json

    corefmill overlap --test dpr --data-dir data --text crawl/ --remove clean.jsonl
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapInput:
    """The test sets, and the texts that may give them away."""

    PANEL: ClassVar[str] = INPUT

    test: Annotated[
        str,
        typer.Option(
            help="Corpora of masked examples, separated by commas: names (`corefmill corpora`),"
            " files or folders.",
            autocompletion=completing.corpora,
        ),
    ]
    text: Annotated[
        list[str] | None,
        typer.Option(help="Plain text or JSON Lines: a file, folder or pattern. Repeatable."),
    ] = None
    dump: Annotated[
        str | None,
        typer.Option(
            help="A Wikipedia dump, beside --text or alone: auto, sample, latest (downloads), a"
            " file or a pattern."
        ),
    ] = None
    lang: Annotated[str, lang_option("Language of the test sets and of the text.")] = "en"
    data_dir: DataDir = Path("data")
    split: Split = None
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A model's answers: its accuracy on what overlaps and on what does not. A CSV of"
            " corpus, id and correct as `evaluate --answers` writes it, or lm-eval's log of a task"
            " that `export-task` made. Repeatable.",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        typer.Option(help="Pipeline that parses the test sets.", show_default="as for build"),
    ] = None
    sentences: Annotated[
        str,
        typer.Option(
            help="What cuts the text into sentences: rules, or a pipeline, which is slower."
        ),
    ] = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSearch:
    """How sentences are searched, and from which likeness on they count."""

    PANEL: ClassVar[str] = "Search"

    mode: Annotated[
        Mode,
        typer.Option(
            help="clean asks the paper's query; paper that of its code, by Whoosh's words and"
            " lengths."
        ),
    ] = Mode.clean
    slop: Annotated[
        int, typer.Option(min=1, help="How far a word of the predicates may be from the last.")
    ] = 10
    k1: Annotated[
        float,
        typer.Option(
            "--k1",
            min=0.0,
            callback=finite,
            help="BM25's k1: how fast the weight of a repeated word levels off.",
        ),
    ] = 1.2
    b: Annotated[
        float,
        typer.Option(
            "-b",
            "--b",
            min=0.0,
            max=1.0,
            help="BM25's b: how much longer sentences are marked down.",
        ),
    ] = 0.75
    idf: Annotated[
        str,
        typer.Option(
            help="How rare words are weighed: whoosh, on whose scale the paper's cut-offs are;"
            " robertson, as the paper prints it; lucene, the same but never negative."
        ),
    ] = "whoosh"
    cutoffs: Annotated[
        str,
        typer.Option(
            help="BM25 scores, separated by commas; an item with a higher score overlaps."
        ),
    ] = "0,25,35"
    top: Annotated[int, typer.Option(min=1, help="Sentences kept for an item.")] = 5
    gram: Annotated[
        int,
        typer.Option(
            min=2,
            help="Words in a row that make a copy; an item of fewer, but 8 or more, is copied"
            " where all of its words are.",
        ),
    ] = 13
    near: Annotated[
        float,
        typer.Option(
            min=0.5,
            max=1.0,
            help="Jaccard similarity of a near-duplicate, by 5-grams of characters.",
        ),
    ] = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapOutput:
    """Where the results go, and how the work is done."""

    PANEL: ClassVar[str] = WORK

    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("out/overlap")
    index: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the indexes, used again by later calls.", show_default="index in --out"
        ),
    ] = None
    remove: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the texts, as JSON Lines, without the sentences that copy or rewrite a"
            " problem: 13-grams, near-duplicates, other names, tense or sentences.",
        ),
    ] = None
    overwrite: Overwrite = False
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes.", show_default="one for each core")
    ] = None
    as_json: Json = False
    quiet: Quiet = False

    @property
    def silent(self) -> bool:
        """Whether nothing but the result is printed."""
        return self.as_json or self.quiet


@grouped
def overlap(*, given: OverlapInput, how: OverlapSearch, work: OverlapOutput) -> None:
    """How much of a test set a text gives away, and what a model's score owes to that.

    After Emami et al. 2020: for each problem the sentences with both predicates in their order, by
    BM25; beside it 13-grams, near-duplicates, and problems that were rewritten. A run that was
    stopped goes on where it was when the same command is given again.
    """
    # First what the extra of this command alone brings; it brings all else along.
    from corefmill.builders.overlap import index

    index.need_tantivy()
    from corefmill.builders import nlp
    from corefmill.builders.overlap import report, results, run
    from corefmill.builders.overlap.split import answers

    results.refuse_results(work.out, overwrite=work.overwrite)
    folder = work.index or work.out / "index"
    if work.remove is not None:
        made = [work.out / name for name in results.FILES]
        named = (*_names(given.test), *(given.text or ()), *(given.answers or ()), given.dump)
        results.refuse_replacing(work.remove, [Path(one) for one in named if one], made, folder)
        refuse_taken(work.remove, overwrite=work.overwrite)
    options = _options(given, how, work)
    limits = _limits(how.cutoffs)
    tested = _tested(given)
    items = [item for corpus in tested for item in _items(corpus, given.split)]
    keys = [(item.corpus, item.example.id) for item in items]
    files = given.answers or ()
    right = {_model(path, files): answers(path, keys) for path in files}
    sources = _sources(given, work)
    if work.remove is not None:
        of_tests = [path for one in tested for paths in one.splits.values() for path in paths]
        of_texts = [path for one in sources.values() for path in one.source.paths]
        own = [path for path in (*of_tests, *of_texts) if isinstance(path, Path)]
        results.refuse_replacing(work.remove, own)
    pipeline = nlp.load(given.nlp or nlp.choose(given.lang), given.lang, names=False)
    make_folder(work.out)
    asked = list(run.ask(items, pipeline, how.mode.value, how.slop))
    if work.remove is None:
        rows, about, warnings = run.look(asked, sources, folder, options)
    else:
        make_way(work.remove, overwrite=work.overwrite)
        with suppress(_BrokenOffError), replacing(work.remove) as out:

            def keep(document: Mapping[str, str]) -> None:
                out.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")

            rows, about, warnings = run.look(asked, sources, folder, options, keep)
            if warnings:
                raise _BrokenOffError
    found = {
        name: report.shares(report.of_corpus(rows, name), limits) for name in report.corpora(rows)
    }
    models = list(report.accuracies(rows, right, limits))
    for warning in warnings[1:]:  # the first is the error below
        _log.warning("%s", warning)
    summary = {
        "mode": how.mode.value,
        "pipeline": pipeline.version,
        "bm25": {"k1": how.k1, "b": how.b, "idf": how.idf, "slop": how.slop},
        "copies": {"gram": how.gram, "near": how.near},
        **report.summary(about, found, models),
    }
    shown = results.tables(found, models, limits)
    told = {**summary, "warnings": warnings}
    results.write(work.out, rows, told, shown, cutoffs=limits, overwrite=work.overwrite)
    if work.as_json:
        failure = warnings[0] if warnings else None
        print_json({"out": disk.shown(work.out), **summary}, failure=failure)
    else:
        for head, cells in shown:
            print(f"\n{table(head, cells, len(head) - 1)}")
        if not work.quiet:
            print(f"\nThe best sentences of each item are in {work.out / results.ROWS}.")
    if warnings:
        less = f", and {work.remove} was not written" if work.remove is not None else ""
        raise DataError(f"{warnings[0]}; the results in {work.out} are of what came before{less}")


class _BrokenOffError(Exception):
    """Leaves a text unwritten of whose input only the beginning could be read."""


def _options(given: OverlapInput, how: OverlapSearch, work: OverlapOutput) -> OverlapOptions:
    from corefmill.builders.overlap import copies, run, sentences
    from corefmill.builders.overlap.search import BM25, IDF

    if how.idf not in IDF:
        raise UsageError(f"no idf {how.idf!r}", remedy=f"there are {', '.join(IDF)}")
    return run.OverlapOptions(
        cut=sentences.SentenceOptions(given.lang, given.sentences, how.mode.value),
        slop=how.slop,
        ranking=BM25(how.k1, how.b, how.idf, rounded=how.mode is Mode.paper),
        top=how.top,
        copies=copies.CopySettings(how.gram, how.near),
        workers=work.workers or os.cpu_count() or 1,
        progress=False if work.silent else None,
        watch=_watch(work.silent),
    )


def _limits(cutoffs: str) -> list[float]:
    found = sorted(set(numbers("--cutoffs", cutoffs)))
    if not all(0 <= one < float("inf") for one in found):
        raise UsageError(f"--cutoffs {cutoffs!r}: not numbers of 0 and more, separated by commas")
    return found


def _names(test: str) -> list[str]:
    names = several(test)
    if not names:
        raise UsageError("no corpus is named by --test")
    if len(set(names)) < len(names):
        raise UsageError("a corpus is named twice by --test")
    return names


def _tested(given: OverlapInput) -> list[FoundCorpus]:
    from corefmill.corpora import find

    return [
        find.found(name, data_dir=given.data_dir, lang=given.lang) for name in _names(given.test)
    ]


def _items(corpus: FoundCorpus, named: str | None) -> list[OverlapItem]:
    from corefmill.builders.overlap.run import OverlapItem
    from corefmill.corpora import find
    from corefmill.corpora.records import MaskedExample

    if corpus.kind != "masked":
        raise DataError(
            f"{corpus.name} holds {corpus.holds}",
            remedy="--test takes masked examples, such as dpr",
        )
    split = find.judged_split(corpus, named)
    items = [
        OverlapItem(corpus.name, record)
        for record in find.records(corpus, split)
        if isinstance(record, MaskedExample)
    ]
    if not items:
        raise DataError(f"the {split} split of {corpus.name} is empty")
    return items


def _sources(given: OverlapInput, work: OverlapOutput) -> dict[str, Input]:
    from corefmill.builders.sources import inputs

    found: dict[str, Input] = {}
    if given.text:
        found["text"] = inputs.from_text(given.text)
    if given.dump == "-":
        raise UsageError(
            "standard input cannot be indexed, since it can be read only once",
            remedy="name a file",
        )
    if given.dump is not None:
        found["dump"] = inputs.from_dump(
            given.dump,
            given.lang,
            data_dir=given.data_dir,
            threads=work.workers,
            quiet=work.silent,
        )
    if not found:
        raise UsageError("no text is named", remedy="--text FILE|FOLDER, --dump FILE, or both")
    if not work.silent:
        for one in found.values():
            print(one.says[:1].upper() + one.says[1:] + ".", flush=True)
    return found


def _model(path: Path, others: Sequence[Path]) -> str:
    """What a file of answers is called: its stem, or all of it where several share that."""
    return disk.shown(path.stem if sum(one.stem == path.stem for one in others) == 1 else path)


def _watch(silent: bool) -> Callable[[str, int], Callable[[int], None]]:
    from tqdm import tqdm

    def step(name: str, size: int) -> Callable[[int], None]:
        bar = tqdm(total=size, desc=name, disable=True if silent else None, delay=2.0)

        def tell(number: int) -> None:
            bar.update(number)
            if bar.n >= size:
                bar.close()

        return tell

    return step
