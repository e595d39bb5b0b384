"""`corefmill overlap`: measure the share of a test set that a text gives away."""

from __future__ import annotations

import logging
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.builders.corpus.options import split_names
from corefmill.cli.command import Option
from corefmill.cli.options import DataDir, Json, Overwrite, input_here, lang_option, output_here
from corefmill.cli.printing import print_json, table
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import make_folder

if TYPE_CHECKING:
    from corefmill.builders.sources.inputs import Input
    from corefmill.corpora.find import FoundCorpus
    from corefmill.corpora.records import MaskedExample

_log = logging.getLogger(__name__)


def overlap(
    *,
    test: Annotated[
        str,
        Option(
            help="Test sets of masked examples, separated by commas: names of `corefmill corpora`,"
            " files or folders.",
            check=input_here,
        ),
    ],
    text: Annotated[
        list[str] | None,
        Option(help="Text to search, plain or JSON Lines: a file, folder or pattern. Repeatable."),
    ] = None,
    dump: Annotated[
        str | None,
        Option(
            help="Wikipedia dump to search: a file or pattern, sample (ships), latest (downloads),"
            " or auto."
        ),
    ] = None,
    lang: Annotated[str, lang_option("Language of the test sets and of the text.")] = "en",
    data_dir: DataDir = Path("data"),
    answers: Annotated[
        list[Path] | None,
        Option(
            metavar="FILE",
            check=input_here,
            help="A model's answers, to compare its accuracy on overlapping items and the other"
            " items: a CSV of `evaluate --answers`, or lm-eval's log of a task of `export-task`."
            " Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path, Option(check=output_here, help="Folder for the results and the index of the text.")
    ] = Path("out/overlap"),
    overwrite: Overwrite = False,
    workers: Annotated[
        int | None, Option(min=1, help="Worker processes.", default="one for each core")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the overlap of a test set with a text, and a model's accuracy with and without it.

    After Emami et al. 2020: for each problem the sentences with its predicate words in their order,
    by BM25; beside it 13-grams. A stopped run resumes with the same command.

    Examples:
        corefmill overlap --test dpr --text novels/
        corefmill overlap --test winogender,winobias --dump enwiki.xml.bz2 --workers 8
        corefmill overlap --test dpr --text novels/ --answers minilm.csv --overwrite
    """
    # First the packages of this command's extra, which includes all others.
    from corefmill.builders.overlap import search

    search.need_tantivy()
    from corefmill.builders import nlp as pipelines
    from corefmill.builders.overlap import report, run
    from corefmill.builders.overlap.split import read_answers
    from corefmill.corpora import find
    from corefmill.corpora.files.ownership import refuse_finished, refuse_links_out

    refuse_finished(out, report.FILES, overwrite=overwrite)
    refuse_links_out(out / "index")
    names = split_names(test)
    if not names:
        raise UsageError("no corpus is named by --test")
    if len(set(names)) < len(names):
        raise UsageError("a corpus is named twice by --test", remedy="name each corpus once")
    tested = [find.find_corpus(name, data_dir=data_dir, lang=lang) for name in names]
    examples = {corpus.name: _read_examples(corpus) for corpus in tested}
    keys = [(name, one.id) for name, own in examples.items() for one in own]
    files = answers or ()
    # A model is named by the stem of its file, or by the whole path if several share the stem.
    stems = Counter(path.stem for path in files)
    names_of = {
        path: disk.show_name(path.stem if stems[path.stem] == 1 else path) for path in files
    }
    right = {names_of[path]: read_answers(path, keys) for path in files}
    workers = workers or os.cpu_count() or 1
    sources = _find_sources(text, dump, lang, data_dir, workers, quiet=as_json)
    try:
        nlp = pipelines.choose_pipeline(lang)
    except UsageError as error:
        remedy = f"`corefmill models list --lang {lang}` lists pipelines to install"
        raise UsageError(error.message, remedy=remedy) from None
    pipeline = pipelines.load_pipeline(nlp, lang, names=False)
    make_folder(out)
    rows = [one for name, own in examples.items() for one in run.make_rows(name, own, pipeline)]
    sizes, warnings = run.search_sources(rows, sources, out / "index", lang=lang, workers=workers)
    models = list(report.compute_accuracies(rows, right))
    about = {"pipeline": pipeline.version, "sources": sizes, "warnings": warnings}
    summary = {**about, **report.summarise(rows, models)}
    shown = report.lay_out_tables(summary["corpora"], models)
    report.write_results(out, rows, summary, shown, overwrite=overwrite)
    if as_json:
        failure = warnings[0] if warnings else None
        print_json({"out": disk.show_name(out), **summary}, failure=failure)
    else:
        for head, cells in shown:
            print(f"\n{table(head, cells, len(head) - 1)}")
        print(f"\nThe best sentences of each item are in {out / report.ROWS}.")
    for warning in warnings[1:]:  # the first is the error below
        _log.warning("%s", warning)
    if warnings:
        raise DataError(f"{warnings[0]}; the results in {out} cover the text before the fault")


def _read_examples(corpus: FoundCorpus) -> list[MaskedExample]:
    """Read the masked examples of a corpus's test split, or of the split that stands in for it."""
    from corefmill.corpora import find
    from corefmill.corpora.records import MaskedExample

    if corpus.kind != "masked":
        raise DataError(
            f"--test takes only masked examples, and {corpus.name} holds {corpus.holds}",
            remedy="name a corpus of masked examples, such as dpr",
        )
    split = find.choose_split(corpus, None)
    records = find.records(corpus, split)
    examples = [record for record in records if isinstance(record, MaskedExample)]
    if not examples:
        raise DataError(f"the {split} split of {corpus.name} has no example")
    return examples


def _find_sources(
    text: list[str] | None,
    dump: str | None,
    lang: str,
    data_dir: Path,
    workers: int,
    *,
    quiet: bool,
) -> dict[str, Input]:
    """Find the inputs of --text and --dump by these names, and print a line about each."""
    from corefmill.builders.sources import inputs

    found: dict[str, Input] = {}
    if text:
        found["text"] = inputs.from_text(text)
    if dump == "-":
        raise UsageError(
            "--dump - is standard input, which cannot be indexed: it can be read only once",
            remedy="save the dump to a file and name the file",
        )
    if dump is not None:
        found["dump"] = inputs.from_dump(
            dump, lang, data_dir=data_dir, threads=workers, quiet=quiet
        )
    if not found:
        raise UsageError(
            "no text to search is named", remedy="give --text FILE|FOLDER, --dump FILE, or both"
        )
    for one in () if quiet else found.values():
        print(one.says[:1].upper() + one.says[1:] + ".", flush=True)
    return found
