"""`corefmill overlap`: how much of a test set a text already gives away."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.cli.grouping import grouped
from corefmill.cli.options import Mode
from corefmill.cli.overlap_options import OverlapInput, OverlapOutput, OverlapSearch
from corefmill.cli.plain_options import names as several
from corefmill.cli.plain_options import numbers
from corefmill.cli.printing import print_json, table
from corefmill.corpora import disk
from corefmill.corpora.atomic import make_folder, make_way, refuse_taken, replacing
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.builders.overlap.results import Tables
    from corefmill.builders.overlap.run import Asked, OverlapItem, OverlapOptions, OverlapRow
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
    if work.remove is not None:
        _refuse_results(work.remove, given, work)
    options, limits, tested = _options(given, how, work), _limits(how.cutoffs), _tested(given)
    items = [item for corpus in tested for item in _items(corpus, given.split)]
    keys = [(item.corpus, item.example.id) for item in items]
    files = given.answers or ()
    right = {_model(path, files): answers(path, keys) for path in files}
    sources = _sources(given, work)
    if work.remove is not None:
        _refuse_inputs(work.remove, tested, sources)
    pipeline = nlp.load(given.nlp or nlp.choose(given.lang), given.lang, names=False)
    make_folder(work.out)
    asked = list(run.ask(items, pipeline, how.mode.value, how.slop))
    rows, about, warnings = _looked(asked, sources, options, work)
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
    _tell(summary, shown, warnings, work)


def _refuse_results(remove: Path, given: OverlapInput, work: OverlapOutput) -> None:
    """Raises `UsageError` where --remove would replace what was named, or a result, or has a name
    by which no command reads it again as what it is."""
    from corefmill.builders.overlap import results

    made = [work.out / name for name in results.FILES]
    named = (*_names(given.test), *(given.text or ()), *(given.answers or ()), given.dump)
    results.refuse_replacing(remove, [Path(one) for one in named if one], made, work.indexes)
    if remove.suffix not in (".jsonl", ".ndjson"):
        raise UsageError("JSON Lines are written here", path=remove, remedy="name it .jsonl")
    refuse_taken(remove, overwrite=work.overwrite)


def _refuse_inputs(
    remove: Path, tested: Sequence[FoundCorpus], sources: Mapping[str, Input]
) -> None:
    """The same for the files that these names stand for."""
    from corefmill.builders.overlap import results

    of_tests = [path for one in tested for paths in one.splits.values() for path in paths]
    of_texts = [path for one in sources.values() for path in one.source.paths]
    own = [path for path in (*of_tests, *of_texts) if isinstance(path, Path)]
    results.refuse_replacing(remove, own)


def _looked(
    asked: Sequence[Asked],
    sources: Mapping[str, Input],
    options: OverlapOptions,
    work: OverlapOutput,
) -> tuple[list[OverlapRow], dict[str, Any], list[str]]:
    """What `run.look` finds; what it leaves of the texts goes to --remove, whole or not at all."""
    from corefmill.builders.overlap import run

    if work.remove is None:
        return run.look(asked, sources, work.indexes, options)
    make_way(work.remove, overwrite=work.overwrite)
    with suppress(_BrokenOffError), replacing(work.remove) as out:

        def keep(document: Mapping[str, str]) -> None:
            out.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")

        found = run.look(asked, sources, work.indexes, options, keep)
        if found[2]:
            raise _BrokenOffError
    return found


class _BrokenOffError(Exception):
    """Leaves a text unwritten of whose input only the beginning could be read."""


def _tell(
    summary: Mapping[str, Any], shown: Tables, warnings: Sequence[str], work: OverlapOutput
) -> None:
    """Prints the results; raises `DataError` where they are of the beginning of an input alone."""
    from corefmill.builders.overlap.results import ROWS

    if work.as_json:
        failure = warnings[0] if warnings else None
        print_json({"out": disk.shown(work.out), **summary}, failure=failure)
    else:
        for head, cells in shown:
            print(f"\n{table(head, cells, len(head) - 1)}")
        if not work.quiet:
            print(f"\nThe best sentences of each item are in {work.out / ROWS}.")
    if warnings:
        less = f", and {work.remove} was not written" if work.remove is not None else ""
        raise DataError(f"{warnings[0]}; the results in {work.out} are of what came before{less}")


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
        progress=not work.silent,
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
    from corefmill.corpora.progress import progress_bar

    def step(name: str, size: int) -> Callable[[int], None]:
        shown = progress_bar(total=size, desc=name, hidden=silent, leave=True)

        def tell(number: int) -> None:
            shown.update(number)
            if shown.n >= size:
                shown.close()

        return tell

    return step
