"""`corefmill predict`: a model's clusters or answers for new files, in any format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from tqdm import tqdm

from corefmill.cli.plain_options import Overwrite, Quiet, language
from corefmill.cli.train import NEEDED
from corefmill.cli.writing import write
from corefmill.coref_model.missing import need
from corefmill.corpora import disk, jsonl
from corefmill.corpora.atomic import refuse_taken
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import native, registry
from corefmill.corpora.kinds import KINDS

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor

EXAMPLES = """Examples:

    corefmill predict --model out/models/ontogum-minilm story.txt

    corefmill predict --model out/models/ontogum-minilm story.txt --nlp en_core_web_sm \\
        --out story.conll --to conll2012

    corefmill predict --model out/models/litbank-minilm novel.conll --to corefud --out novel.conllu

    corefmill predict --model out/models/wec-en-minilm mentions.json --out clusters.json
"""

_PLAIN = (".txt", ".text", "")


def predict(
    file: Annotated[
        Path,
        typer.Argument(help="Plain text, or records in any format of `corefmill convert --list`."),
    ],
    model: Annotated[Path, typer.Option(help="Folder of a model that `train` wrote.")],
    out: Annotated[
        Path | None,
        typer.Option(help="File to write. (default: JSON Lines on standard output)"),
    ] = None,
    writer: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format of --out. (default: by its suffix)"),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="Format of FILE, or text. (default: detected)"
        ),
    ] = None,
    lang: Annotated[
        str, typer.Option(callback=language, help="Language, where the file does not say.")
    ] = "en",
    nlp: Annotated[
        str | None,
        typer.Option(
            help="Pipeline that cuts plain text into words and sentences. (default: spaCy's rules)"
        ),
    ] = None,
    overwrite: Overwrite = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was done as JSON, with --out.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Predict with a trained model: clusters of documents or event mentions, or masked names.

    What FILE says of clusters and labels is not looked at.
    """
    need(*NEEDED)
    if not file.exists():
        raise DataError("there is no such file", path=file)
    if out is not None:
        refuse_taken(out, overwrite=overwrite)
    if out is None and (writer is not None or as_json):
        raise UsageError("--to and --json say what becomes of --out", remedy="name a file by --out")
    wanted = registry.named(writer) if writer else None
    from corefmill.coref_model import load

    predictor = load(model)
    found = predictor.records(_records(file, reader, lang, nlp, predictor))
    shown = tqdm(found, unit=" records", delay=2, disable=True if quiet or as_json else None)
    if out is None:
        for record in shown:
            print(jsonl.dumps(record).decode())
        return
    count = write(
        shown, out, wanted, native.BY_SCHEMA[KINDS[predictor.task].schema], overwrite=overwrite
    )
    if as_json:
        print(json.dumps({"records": count, "out": str(out), "model": str(model)}))
    elif not quiet:
        print(f"{count:,} records are in {out}.")


def _records(
    file: Path, reader: str | None, lang: str, nlp: str | None, predictor: Predictor
) -> Iterator[Any]:
    if reader == "text" or (reader is None and _is_plain(file)):
        if predictor.task != "documents":
            raise UsageError(
                f"plain text holds no records for a model of {predictor.task}", path=file
            )
        yield _document(file, lang, nlp)
        return
    form = registry.named(reader) if reader else registry.of_file(file)
    for _, record in form.read(file, lang):
        yield record


def _is_plain(file: Path) -> bool:
    return file.is_file() and file.suffix in _PLAIN and not registry.candidates(file)


def _document(file: Path, lang: str, nlp: str | None) -> Any:
    from corefmill.coref_model.prediction import plain

    text = disk.text(file)
    if nlp is None:
        return plain.document(text, lang, disk.shown(file.stem))
    from corefmill.builders.nlp import load as pipeline

    (analysis,) = pipeline(nlp, lang, names=False).sentences([text])
    return plain.of_spans(text, analysis.sentences, analysis.tokens, lang, disk.shown(file.stem))
