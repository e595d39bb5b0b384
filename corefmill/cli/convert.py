"""`corefmill convert` and `export-task`: corpora in the forms of other tools."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import (
    Columns,
    DataDir,
    Json,
    Lang,
    MaybeLang,
    Overwrite,
    Quiet,
    Split,
    Theirs,
    Writer,
    choose_reader,
)
from corefmill.cli.printing import many, print_json, print_result, progress, table
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.corpora.convert import ConversionPlan, ConversionReport
    from corefmill.corpora.find import FoundCorpus


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """Formats, and the treatment of records beyond the output format."""

    reader: Theirs = None
    writer: Writer = None
    lang: Lang = "en"
    layer: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Relation, chain layer or attribute that joins the spans of an annotation project"
            " to clusters; several with commas.",
            default="guessed by the names",
        ),
    ] = None
    overwrite: Overwrite = False
    columns: Columns = None
    lenient: Annotated[
        bool,
        Option(
            "--lenient",
            "--leave-out",
            help="Leave out and count mentions (zero, discontinuous, with the span of another) and"
            " records that OUT cannot hold, unclosed mentions, and records without a clear answer.",
        ),
    ] = False


def convert(
    source: Annotated[
        Path | None,
        Argument(metavar="IN", help="Input: a file, a folder of files, or a built corpus."),
    ] = None,
    target: Annotated[
        Path | None,
        Argument(metavar="OUT", help="Output: a file, or a folder with a file for each of IN."),
    ] = None,
    *,
    options: ConvertOptions,
    show: Annotated[bool, Option("--list", help="Print the known formats, and exit.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Convert a corpus or file to another format of the field.

    Any format converts to any other of the same kind of record. Masked examples and event mentions
    become documents too. OUT is written whole or not at all.

    Examples:
        corefmill convert --list
        corefmill convert gap-validation.tsv gap.jsonl
        corefmill convert litbank/conll litbank.jsonl --from conll2012
        corefmill convert out/wikicrem-en wikicrem-txt --to five-line
    """
    from corefmill.corpora import convert as conversion
    from corefmill.corpora.formats.registry import get_format

    if show:
        _list_formats(as_json)
        return
    if source is None or target is None:
        raise UsageError(
            "convert needs an input IN and an output OUT", remedy="--list prints the formats"
        )
    reader = choose_reader(options.reader, options.columns)
    writer = get_format(options.writer) if options.writer else None
    work = conversion.plan(source, target, reader, writer, options.layer)
    if work.left_out:
        left = ", ".join(map(str, work.left_out))
        _log.warning("convert: left out files of no known format: %s", left)
    done = conversion.run(
        work, options.lang, overwrite=options.overwrite, lenient=options.lenient, watch=progress
    )
    _warn_losses(work, done)
    result = {
        "out": str(work.target),
        "from": sorted({piece.form.name for piece in work.pieces}),
        "to": work.writer.name,
        "records": done.records,
        "files": done.files,
        "lost": dict(done.lost),
        "records_left_out": done.left_out,
        "records_unclear": done.unclear,
        "files_left_out": [disk.show_name(path) for path in work.left_out],
    }
    files = f" in {done.files:,} files" if done.files > 1 else ""
    said = f"{work.target}: {many(done.records, 'record')}{files} as {work.writer.name}"
    print_result(result, said, as_json=as_json, quiet=quiet)


def _warn_losses(work: ConversionPlan, done: ConversionReport) -> None:
    """Warn of records and fields lost in the output format."""
    if done.left_out:
        _log.warning(
            "convert: left out %s that %s cannot carry; the first: %s",
            many(done.left_out, "record"),
            work.writer.name,
            done.why,
        )
    if done.unclear:
        _log.warning(
            "convert: %s without a clear answer (--lenient leaves them out); the first: %s",
            many(done.unclear, "record"),
            done.unclear_why,
        )
    if done.lost:
        said = ", ".join(f"{name} ({count:,})" for name, count in done.lost.most_common())
        _log.warning(
            "convert: %s did not carry, of %s: %s",
            work.writer.name,
            many(done.records, "record"),
            said,
        )


def _list_formats(as_json: bool) -> None:
    """Print the table of formats: kind of record, whether read and written, description."""
    from corefmill.corpora.formats.registry import FORMATS

    if as_json:
        print_json(
            [
                {
                    "name": form.name,
                    "schema": form.schema,
                    "reads": True,
                    "writes": form.write is not None,
                    "suffix": form.suffix,
                    "summary": form.summary,
                }
                for form in FORMATS.values()
            ]
        )
        return
    rows = [
        (
            form.name,
            form.schema.partition("/")[0],
            "yes",
            "yes" if form.write else "no",
            form.summary,
        )
        for form in sorted(FORMATS.values(), key=lambda form: form.schema)
    ]
    print(table(("Format", "record", "reads", "writes", "what it is"), rows))


def export_task(
    corpus: Annotated[
        str,
        Argument(metavar="NAME|FILE", help="Corpus of masked examples, by name, file or folder."),
    ],
    out: Annotated[Path, Option(help="New or empty folder to write the task and its data to.")],
    data_dir: DataDir = Path("data"),
    split: Split = None,
    lang: MaybeLang = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export masked examples as a task of lm-evaluation-harness.

    The harness asks a model for the candidate that makes the rest of the text likelier in the
    target's place. `score` and `overlap --answers` read the log of its samples (--log_samples).

    Examples:
        corefmill export-task dpr --data-dir data --out dpr-task
        corefmill export-task out/wikicrem-en --split validation --out wikicrem-task
        cd dpr-task && lm_eval --include_path . --tasks corefmill_dpr_test --log_samples \\
            --output_path log --model hf --model_args pretrained=gpt2
        corefmill score dpr-task/corefmill_dpr_test.jsonl dpr-task/log/gpt2/samples_*.jsonl
    """
    from corefmill.corpora.find import find_corpus

    made = _write_task(find_corpus(corpus, data_dir=data_dir, lang=lang), split, out)
    left = f", {made['left_out']:,} without a label left out" if made["left_out"] else ""
    said = f"{out}: the task {made['name']}, {made['rows']:,} examples of {made['split']}{left}"
    result = {"out": str(out), **made}
    print_result(result, said, as_json=as_json, quiet=quiet)


def _write_task(corpus: FoundCorpus, split: str | None, out: Path) -> dict[str, Any]:
    """Write `out`/TASK.yaml and TASK.jsonl, whole or not at all, and return a summary.

    Examples without a label are left out and counted. Raises `UsageError` for a corpus of another
    kind and if `out` is not empty, `DataError` if no example has a label.
    """
    from corefmill.corpora import find
    from corefmill.corpora.card_parts import yaml
    from corefmill.corpora.files.errors import DataError, UsageError
    from corefmill.corpora.files.writing import new_folder, write_whole
    from corefmill.corpora.formats import lm_eval
    from corefmill.corpora.records import KINDS, MaskedExample

    if corpus.kind != "masked":
        raise UsageError(
            f"only {KINDS['masked'].plural} can be exported; {corpus.name} holds {corpus.holds}"
        )
    split = find.choose_split(corpus, split)
    name = re.sub(r"\W+", "_", f"corefmill_{corpus.name}_{split}".lower(), flags=re.ASCII)
    examples = [one for one in find.records(corpus, split) if isinstance(one, MaskedExample)]
    labelled = [one for one in examples if one.label is not None]
    if not labelled:
        raise DataError(
            f"none of {len(examples):,} examples in the {split} split of {corpus.name} has a label"
        )
    config = {
        "task": name,
        "tag": "corefmill",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"{name}.jsonl"}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "num_fewshot": 0,
        # Of several inputs and one continuation the right input is the text, as in winogrande.
        "doc_to_text": "label",
        "doc_to_choice": "contexts",
        "doc_to_target": "continuation",
        "target_delimiter": "",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0, "corpus": corpus.name},
    }
    about = f"# Run in this folder: lm_eval --include_path . --tasks {name}"
    with new_folder(out) as folder:
        rows = lm_eval.write(folder / f"{name}.jsonl", ((one, corpus.name) for one in labelled))
        write_whole(folder / f"{name}.yaml", "\n".join([about, *yaml(config)]) + "\n")
    return {"name": name, "split": split, "rows": rows, "left_out": len(examples) - rows}
