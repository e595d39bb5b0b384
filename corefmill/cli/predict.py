"""`corefmill predict`: a model's clusters or answers for new files, in any format."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corefmill.cli import completing
from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Lang, Overwrite, Quiet, Writer, input_here
from corefmill.cli.printing import many, print_result, progress
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora import disk
from corefmill.corpora.atomic import refuse_taken
from corefmill.corpora.errors import CorefmillError, DataError, UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.formats.form import Format

EXAMPLES = """Examples:

    printf 'Ann met Eve. She smiled at her.' | corefmill predict -

    corefmill predict --model out/models/ontogum-minilm story.txt

    corefmill predict --model out/models/ontogum-minilm story.txt --nlp en_core_web_sm \\
        --out story.conll --to conll2012

    corefmill predict --model out/models/litbank-minilm novel.conll --to corefud --out novel.conllu

    corefmill predict --model out/models/wec-en-minilm mentions.json --out clusters.json
"""

_PLAIN = (".txt", ".text", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """How the input is read, and where the predictions go."""

    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write.",
            show_default="JSON Lines on standard output; on a terminal, the text with its mentions"
            " in brackets",
        ),
    ] = None
    writer: Writer = None
    reader: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Format of FILE, or text.",
            autocompletion=completing.formats,
            show_default="detected from its content",
        ),
    ] = None
    lang: Lang = "en"
    nlp: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that cuts plain text into words and sentences.",
            show_default="spaCy's rules",
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was done as JSON, with --out.")
    ] = False
    quiet: Quiet = False


@grouped
def predict(
    file: Annotated[
        Path,
        typer.Argument(
            callback=input_here,
            help="Plain text, or records in any format of `corefmill convert --list`; - is standard"
            " input.",
        ),
    ],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            callback=input_here,
            help="Folder of a model that `train` wrote, or en_small, which ships: documents in"
            " English.",
            show_default="en_small",
        ),
    ] = None,
    options: PredictOptions,
) -> None:
    """Predict with a trained model: clusters of documents or event mentions, or masked names.

    Clusters and labels that FILE has already are ignored, and relations between these clusters
    (CorefUD's Bridge and SplitAnte) are left out and counted.
    """
    need(*TRAINING)
    from corefmill.cli.writing import write
    from corefmill.coref_model import SMALL, load
    from corefmill.corpora.formats import registry

    out = options.out
    if out is not None:
        refuse_taken(out, overwrite=options.overwrite)
    elif options.writer is not None or options.as_json:
        raise UsageError("--to and --json need --out", remedy="name a file by --out")
    wanted = registry.named(options.writer) if options.writer else None
    if model is None and options.lang != "en":
        raise UsageError(
            f"the model that ships, {SMALL}, is for English, not for {options.lang}",
            remedy="name one with --model; train coref makes one",
        )
    with _given(file) as path:
        predictor = load(model or SMALL)
        found = progress(predictor.records(_records(path, options, predictor)))
        if out is None:
            _print(found)
            return
        count = write(found, out, wanted, _native(predictor), overwrite=options.overwrite)
    result = {"records": count, "out": str(out), "model": model or SMALL}
    said = f"{out}: {many(count, 'record')}"
    print_result(result, said, as_json=options.as_json, quiet=options.quiet)


def _native(predictor: Predictor) -> Format:
    """The native format of the records that the model predicts."""
    from corefmill.coref_model.training.task import kind_of
    from corefmill.corpora.formats import native
    from corefmill.corpora.kinds import KINDS

    return native.BY_SCHEMA[KINDS[kind_of(predictor.task).records].schema]


@contextmanager
def _given(file: Path) -> Iterator[Path]:
    """The file; standard input as a file of its own, since formats are told by reading twice."""
    if str(file) != "-":
        if not file.exists():
            raise DataError("there is no such file", path=file)
        yield file
        return
    if sys.stdin is None:
        raise DataError("standard input is closed")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin"
        with open(sys.stdin.fileno(), "rb", closefd=False) as given, path.open("wb") as copy:
            shutil.copyfileobj(given, copy)
        try:
            yield path
        except CorefmillError as error:
            if error.path == str(path):
                raise type(error)(
                    error.message, path="standard input", line=error.line, remedy=error.remedy
                ) from error
            raise


def _print(records: Iterable[Any]) -> None:
    from corefmill.corpora import jsonl
    from corefmill.show.terminal import Painter, coloured
    from corefmill.show.views import view

    if not sys.stdout.isatty():
        for record in records:
            print(jsonl.dumps(record).decode())
        return
    painter = Painter(colours=coloured(sys.stdout))
    for record in records:
        for line in painter.lines(view(record, "")):
            print(line)


def _records(file: Path, options: PredictOptions, predictor: Predictor) -> Iterator[Any]:
    from corefmill.corpora.formats import registry

    reader = options.reader
    if reader == "text" or (reader is None and _is_plain(file)):
        if predictor.task != "documents":
            raise UsageError(
                f"plain text holds no records for a model of {predictor.task}", path=file
            )
        yield _document(file, options.lang, options.nlp)
        return
    form = registry.named(reader) if reader else registry.of_file(file)
    for _, record in form.read(file, options.lang):
        yield record


def _is_plain(file: Path) -> bool:
    from corefmill.corpora.formats import registry

    return file.is_file() and file.suffix in _PLAIN and not registry.candidates(file)


def _document(file: Path, lang: str, nlp: str | None) -> Any:
    from corefmill.coref_model.prediction import plain

    text, name = disk.text(file), disk.shown(file.stem)
    if nlp is None or not text.strip():  # no pipeline is loaded to find no word
        try:
            return plain.document(text, lang, name)
        except UsageError as error:
            raise UsageError(error.message, path=file, remedy=error.remedy) from None
    from corefmill.builders.nlp import load as pipeline

    (analysis,) = pipeline(nlp, lang, names=False).sentences([text])
    return plain.of_spans(text, analysis.sentences, analysis.tokens, lang, name)
