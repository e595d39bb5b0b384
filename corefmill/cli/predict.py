"""`corefmill predict`: a model's clusters or answers for texts and records in any format."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corefmill.cli import completing
from corefmill.cli.grouping import grouped
from corefmill.cli.plain_options import Overwrite, Quiet, input_here, language
from corefmill.cli.predict_inputs import find_inputs, is_lines, read_records
from corefmill.cli.printing import many, print_result, progress
from corefmill.cli.score_options import SingletonsKept
from corefmill.coref_model import SMALL
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.files.writing import make_way, refuse_taken

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.formats.form import Format

EXAMPLES = """Examples:

    printf 'Ann met Eve. She smiled at her.' | corefmill predict -

    corefmill predict story.txt --to resolved

    corefmill predict news/ 'letters/*.txt' --scores --out clusters.jsonl

    corefmill predict novel.txt --convention litbank --singletons drop --out novel.conll

    corefmill predict --model out/models/ontogum-minilm story.txt --nlp en_core_web_sm \\
        --out story.conll --to conll2012

    corefmill predict --model out/models/litbank-minilm novel.conll --to corefud --out novel.conllu

    corefmill predict --model out/models/wec-en-minilm mentions.json --out clusters.json
"""

RESOLVED, _NATIVE = "resolved", "native-documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """How the input is read, what is predicted, and where the predictions go."""

    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write.",
            show_default="JSON Lines on standard output; on a terminal, the text with its mentions"
            " in brackets",
        ),
    ] = None
    writer: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Format of the output; or resolved: the text with each pronoun replaced by the"
            " name it stands for (English), of several texts JSON Lines of id and text.",
            show_default="by the file's suffix",
            autocompletion=completing.written_formats,
        ),
    ] = None
    reader: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Format of the input, or text.",
            autocompletion=completing.formats,
            show_default="detected from its content",
        ),
    ] = None
    lang: Annotated[
        str | None,
        typer.Option(
            callback=language,
            autocompletion=completing.languages,
            help="Language of the text, where the files do not say it.",
            show_default="the model's",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that cuts plain text into words and sentences.",
            show_default="spaCy's rules",
        ),
    ] = None
    singletons: Annotated[
        SingletonsKept | None,
        typer.Option(
            help="Keep or drop clusters of one mention.", show_default="as the model learnt"
        ),
    ] = None
    convention: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Guidelines by which mentions are marked, of those that the model learnt; {SMALL}"
            " has gum (all noun phrases) and litbank (persons, places, organisations, vehicles).",
            show_default="the model's first",
        ),
    ] = None
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Write into meta.scores of each document how probable the model finds each mention"
            " and link, in the order of the clusters.",
        ),
    ] = False
    min_confidence: Annotated[
        float,
        typer.Option(metavar="P", min=0, max=1, help="Drop links less probable than this."),
    ] = 0.0
    overwrite: Overwrite = False
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was done as JSON, with --out.")
    ] = False
    quiet: Quiet = False

    def check(self) -> None:
        """Raises `UsageError` for options that do not go together."""
        if self.out is not None:
            refuse_taken(self.out, overwrite=self.overwrite)
        elif self.as_json or self.writer not in (None, RESOLVED):
            raise UsageError("--to and --json need --out", remedy="name a file by --out")
        by_name = self.out is None or self.out.suffix == ".jsonl"
        if self.scores and not (by_name if self.writer is None else self.writer == _NATIVE):
            raise UsageError("only JSON Lines have a place for --scores", remedy="--out X.jsonl")


@grouped
def predict(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|DIR|PATTERN",
            callback=input_here,
            help="Plain text, JSON Lines of id and text, or records in any format of `corefmill"
            " convert --list`; folders of them, and patterns in quotes; - is standard input.",
        ),
    ],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            callback=input_here,
            help=f"Folder of a model that `train` wrote, or {SMALL}, which ships: documents in"
            " English.",
            show_default=SMALL,
        ),
    ] = None,
    options: PredictOptions,
) -> None:
    """Predict with a trained model: clusters of documents or event mentions, or masked names.

    There is one result a text or record, in their order. Clusters and labels that the input has
    already are ignored, and relations between these clusters (CorefUD's Bridge and SplitAnte) are
    left out and counted. A document of plain text has its text and the place of each word in it.
    """
    need(*TRAINING)
    from corefmill.cli.writing import write
    from corefmill.coref_model import load
    from corefmill.corpora.formats import registry

    options.check()
    out = options.out
    wanted = registry.named(options.writer) if options.writer not in (None, RESOLVED) else None
    if model is None and options.lang not in (None, "en"):
        raise UsageError(
            f"the model that ships, {SMALL}, is for English, not for {options.lang}",
            remedy="name one with --model; train coref makes one",
        )
    with _given(files) as paths:
        inputs = find_inputs(paths, options.reader)
        predictor = load(model or SMALL)
        if options.singletons or options.convention or options.scores or options.min_confidence:
            predictor.answer_with(
                singletons=options.singletons.value if options.singletons else None,
                convention=options.convention,
                min_confidence=options.min_confidence,
                scores=options.scores,
            )
        records = read_records(inputs, predictor, model or SMALL, options.lang, options.nlp)
        found = progress(predictor.records(records))
        if options.writer == RESOLVED:
            alone = [form or is_lines(path) for path, form in inputs.items()] == [False]
            count = _write_resolved(found, out, alone=alone, overwrite=options.overwrite)
        elif out is None:
            _print(found)
        else:
            count = write(found, out, wanted, _native(predictor), overwrite=options.overwrite)
    if out is not None:
        result = {"records": count, "out": str(out), "model": model or SMALL}
        said = f"{out}: {many(count, 'record')}"
        print_result(result, said, as_json=options.as_json, quiet=options.quiet)


def _native(predictor: Predictor) -> Format:
    """The native format of the records that the model predicts."""
    from corefmill.coref_model.training.task import kind_of
    from corefmill.corpora.formats import native
    from corefmill.corpora.records import KINDS

    return native.BY_SCHEMA[KINDS[kind_of(predictor.task).records].schema]


@contextmanager
def _given(files: Sequence[Path]) -> Iterator[list[Path]]:
    """The files; standard input as a file of its own, since formats are told by reading twice."""
    if Path("-") not in files:
        yield list(files)
        return
    if sys.stdin is None:
        raise DataError("standard input is closed")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin"
        with open(sys.stdin.fileno(), "rb", closefd=False) as given, path.open("wb") as copy:
            shutil.copyfileobj(given, copy)
        try:
            yield [path if str(file) == "-" else file for file in files]
        except CorefmillError as error:
            if error.path == str(path):
                raise type(error)(
                    error.message, path="standard input", line=error.line, remedy=error.remedy
                ) from error
            raise


def _print(records: Iterable[Any]) -> None:
    from corefmill.corpora.files import jsonl
    from corefmill.corpora.records import Document
    from corefmill.show.marks import Painter, has_colours
    from corefmill.show.views import view

    if not sys.stdout.isatty():
        for record in records:
            print(jsonl.dumps(record, compact=isinstance(record, Document)).decode())
        return
    painter = Painter(colours=has_colours(sys.stdout))
    for record in records:
        for line in painter.lines(view(record, "")):
            print(line)


def _write_resolved(
    records: Iterable[Any], out: Path | None, *, alone: bool, overwrite: bool
) -> int:
    """Writes the resolved texts: a text that is alone as it is, several as JSON Lines."""
    from corefmill.coref_model.prediction.resolved import resolve
    from corefmill.corpora.files.terminal import write_styled
    from corefmill.corpora.files.writing import replacing
    from corefmill.corpora.records import Document

    def lines() -> Iterator[str]:
        for record in records:
            if not isinstance(record, Document):
                raise UsageError("only documents become resolved text")
            text = resolve(record)
            line = {"id": record.doc_id, "text": text}
            yield text if alone else json.dumps(line, ensure_ascii=False) + "\n"

    count = 0
    if out is None:
        for line in lines():
            whole = line if line.endswith("\n") else line + "\n"
            if sys.stdout.isatty():
                print(whole.replace("\r\n", "\n"), end="")
            else:
                write_styled(whole)  # the text as it is
        return count
    make_way(out, overwrite=overwrite)
    with replacing(out) as file:
        for line in lines():
            file.write(line.encode())
            count += 1
    return count
