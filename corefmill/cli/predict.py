"""`corefmill predict`: predict clusters or answers for texts and records in any format."""

from __future__ import annotations

import json
import logging
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.builders.corpus.options import check_language
from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Overwrite, Quiet, input_here
from corefmill.cli.printing import many, print_result, progress
from corefmill.cli.score import SingletonsKept
from corefmill.coref_model import SHIPPED_FOR, SMALL, TRAINING, need
from corefmill.corpora import convert as conversion
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.files.writing import make_way, refuse_taken
from corefmill.corpora.formats.form import Format

if TYPE_CHECKING:
    from corefmill.cli.person_rules import PersonPredictor
    from corefmill.coref_model.prediction.predictor import Predictor


def choose_shipped(kinds: Iterable[str]) -> str:
    """Choose the English model that ships for records of these kinds; `UsageError` for none."""
    wanted = sorted(set(kinds))
    if len(wanted) != 1 or wanted[0] not in SHIPPED_FOR:
        raise UsageError(
            f"no single English model ships for {' and '.join(wanted)}",
            remedy=f"the input may hold either {' or '.join(SHIPPED_FOR)}; else name a --model",
        )
    return SHIPPED_FOR[wanted[0]]


def load_predictor(model: str) -> Predictor:
    """Load a trained model by folder or name, else an untrained encoder with a masked-LM head.

    Raises `UsageError` if there is neither.
    """
    from corefmill.coref_model.encoder.names import find_model
    from corefmill.coref_model.prediction.predictor import load_predictor, load_untrained
    from corefmill.coref_model.training.checkpoint import MODEL

    if (find_model(model) / MODEL).exists() or (
        Path(model).is_dir() and not (Path(model) / "config.json").exists()
    ):
        return load_predictor(model)
    try:
        return load_untrained(model)
    except CorefmillError as error:
        if Path(model).exists():
            raise
        raise UsageError(
            f"no model {model}: {error}", remedy="`train coref` makes models, in out/models"
        ) from None


def write(
    records: Iterable[Any], out: Path, wanted: Format | None, native: Format, *, overwrite: bool
) -> int:
    """Write records to `out`: as JSON Lines in the `native` format, then converted to `wanted`.

    Documents in the native format are compact (`jsonl.dumps`). `wanted` None takes the format by
    the suffix of `out`. Returns the number of records; raises `DataError` for none, and
    `UsageError` for an impossible format before the first record is made.
    """
    wanted = wanted or conversion.choose_format(out, native)
    conversion.refuse_impossible(native, wanted, out)
    make_way(out, overwrite=overwrite)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
        made = Path(folder) / "made.jsonl"
        count = jsonl.write(made, records, compact=native.schema == "document/1")
        if not count:
            raise DataError("the input holds no record")
        if wanted == native:
            make_way(out, overwrite=overwrite)  # a file created meanwhile stays
            made.replace(out)
            return count
        plan = conversion.plan(made, out, native, wanted)
        conversion.run(plan, overwrite=overwrite, compare=False)
    return count


TEXT = "text"
"""The name of plain text in --from."""

_PLAIN = (".txt", ".text", "")
_LINES = (".jsonl", ".ndjson", "")
_ID = ("id", "doc_id", "title")
_LOOKED_AT = 200
"""Number of sentences to detect a document's language by."""

_log = logging.getLogger(__name__)

Inputs = Mapping[Path, "Format | None"]
"""The files to read, each with its format; None is plain text, in a file or in JSON Lines."""


def find_inputs(names: Iterable[Path], reader: str | None) -> Inputs:
    """Find the input files of the given names, patterns and folders, each with its format.

    A folder stands for its texts (.txt, .jsonl) and its files of a known format. Raises `DataError`
    for a missing file, `UsageError` for a folder without such files.
    """
    from corefmill.corpora.formats import registry

    form = registry.get_format(reader) if reader not in (None, TEXT) else None
    found: dict[Path, Format | None] = {}
    for name in names:
        if not name.is_dir():
            paths = [name] if name.exists() else filter(Path.is_file, disk.match_paths(str(name)))
            own = {path: form or _detect_format(path, reader) for path in paths}
            if not own:
                raise DataError("there is no such file", path=name)
        else:
            forms, rest = (
                registry.files_below(name, form) if reader != TEXT else ({}, disk.list_below(name))
            )
            texts = (path for path in rest if form is None and path.suffix and _is_text(path))
            own = dict(sorted({**forms, **dict.fromkeys(texts)}.items()))
            if not own:
                raise UsageError(
                    "the folder holds no text and no file of a known format", path=name
                )
        found |= own
    return found


def _detect_format(path: Path, reader: str | None) -> Format | None:
    """Detect the format of a file, None for plain text; raise `UsageError` for an unknown one."""
    from corefmill.corpora.formats import registry

    if reader == TEXT or _is_text(path):
        return None
    try:
        return registry.detect_format(path)
    except UsageError as error:
        if registry.candidates(path) or error.message != registry.make_format_error(path).message:
            raise
        remedy = "read it as plain text by --from text, or name its format by --from FORMAT"
        raise UsageError(error.message, path=path, remedy=remedy) from None


def _is_text(path: Path) -> bool:
    """Whether a file is plain text, or JSON Lines of texts."""
    from corefmill.corpora.formats import registry

    known = path.suffix in (*_PLAIN, *_LINES) and path.is_file()
    return known and not registry.candidates(path) and (path.suffix in _PLAIN or has_texts(path))


def has_texts(path: Path) -> bool:
    """Whether a file is JSON Lines with a "text" in each object, by its first line."""
    if path.suffix not in _LINES:
        return False
    line = disk.read_head(path, 1 << 20).partition("\n")[0]
    if path.suffix:
        return '"text"' in line
    try:
        return "text" in json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return False


def read_records(
    inputs: Inputs,
    predictor: Predictor | PersonPredictor,
    model: str,
    lang: str | None,
    nlp: str | None,
) -> Iterator[Any]:
    """Read the records of all inputs, and texts as documents cut into sentences and tokens.

    `model` names the predictor in the warning for a text in a language that it did not learn.
    `lang` None takes the model's; `nlp` None cuts texts by rules, without a pipeline.
    """
    from corefmill.corpora import plain
    from corefmill.corpora.languages import foreign_language, language_name
    from corefmill.corpora.records import Document

    if None in inputs.values():
        predictor.refuse_text()
    lang = lang or predictor.lang
    pipeline: Any = None
    stems = Counter(path.stem for path in inputs)
    others: set[str] = set()

    def warn_of_language(text: str, name: str) -> None:
        """Warn of a text in a language that the model did not learn, once for each language."""
        found = [foreign_language(text, known) for known in predictor.langs]
        if found and found[0] and all(found) and found[0] not in others:
            others.add(found[0])
            other = "no known language" if found[0] == "und" else language_name(found[0])
            learnt = " and ".join(map(language_name, predictor.langs))
            _log.warning(
                "%s seems to be in %s, but %s was trained only on %s: expect poor clusters",
                *(name, other, model, learnt),
            )

    for path, form in inputs.items():
        if form is not None:
            for _, record in form.read(path, lang):
                if isinstance(record, Document):
                    sentences = islice(record.sentences, _LOOKED_AT)
                    words = (token.form for one in sentences for token in one.tokens)
                    warn_of_language(" ".join(words), record.doc_id)
                yield record
            continue
        stem = path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
        for line, name, text in _read_texts(path, disk.show_name(stem)):
            warn_of_language(text, name)
            own = predictor.contractions
            try:
                if nlp is None or not text.strip():  # an empty text needs no pipeline
                    empty = len(inputs) > 1 or line is not None
                    yield plain.read_text(text, lang, name, contractions=own, may_be_empty=empty)
                    continue
                if pipeline is None:
                    from corefmill.builders.nlp import load_pipeline

                    pipeline = load_pipeline(nlp, lang, names=False)
                (analysis,) = pipeline.sentences([text])
                spans = analysis.sentences, analysis.tokens
                yield plain.make_from_spans(text, *spans, lang, name, contractions=own)
            except UsageError as error:
                raise UsageError(error.message, path=path, line=line, remedy=error.remedy) from None


def _read_texts(path: Path, stem: str) -> Iterator[tuple[int | None, str, str]]:
    """Yield the line (of JSON Lines), name and text of each text of a file."""
    if not has_texts(path):
        yield None, stem, disk.read_text(path, own_line_ends=True)
        return
    for number, line in disk.read_lines(path):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            text = found["text"]
            text.encode()  # fails for half a character
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
            raise DataError(
                'the line is not a JSON object with a string "text"', path=path, line=number
            ) from None
        name = next((str(found[key]) for key in _ID if key in found), f"{stem}:{number}")
        yield number, name, text


RESOLVED, _NATIVE = "resolved", "native-documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """Input format, predictions and output."""

    out: Annotated[
        Path | None,
        Option(
            help="File for the predictions.",
            default="standard output, as JSON Lines; on a terminal, the text with its mentions in"
            " brackets",
        ),
    ] = None
    writer: Annotated[
        str | None,
        Option(
            "--to",
            metavar="FORMAT",
            help="Format of the predictions; or resolved, which replaces each pronoun of English"
            " text by its name (several texts become JSON Lines of id and text).",
            default="by the file's suffix",
        ),
    ] = None
    reader: Annotated[
        str | None,
        Option(
            "--from",
            metavar="FORMAT",
            help="Format of the input files, or text for plain text.",
            default="detected from their content",
        ),
    ] = None
    lang: Annotated[
        str | None,
        Option(
            check=check_language,
            help="Language of the text, where the files do not state it.",
            default="the language of the model",
        ),
    ] = None
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline that cuts plain text into words and sentences.",
            default="the rules of spaCy's tokenizer",
        ),
    ] = None
    singletons: Annotated[
        SingletonsKept | None,
        Option(help="Keep or drop clusters of one mention.", default="as the model learnt"),
    ] = None
    convention: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Annotation guidelines to mark mentions by, if the model learnt several:"
            f" {SMALL} has gum (all noun phrases) and litbank (persons, places, organisations,"
            " vehicles).",
            default="the first that the model learnt",
        ),
    ] = None
    scores: Annotated[
        bool,
        Option(
            "--scores",
            help="Write the probability of each mention and link into meta.scores of each document,"
            " in the order of the clusters.",
        ),
    ] = False
    min_confidence: Annotated[
        float, Option(metavar="P", min=0, max=1, help="Drop links with a probability below P.")
    ] = 0.0
    overwrite: Overwrite = False
    as_json: Annotated[
        bool, Option("--json", help="Print the number of records and the file as JSON, with --out.")
    ] = False
    quiet: Quiet = False

    def check(self) -> None:
        """Raise `UsageError` for --to, --json or --scores without a fitting --out."""
        if self.out is not None:
            refuse_taken(self.out, overwrite=self.overwrite)
        elif self.as_json or self.writer not in (None, RESOLVED):
            raise UsageError("--to and --json work only with --out", remedy="name a file by --out")
        by_name = self.out is None or self.out.suffix == ".jsonl"
        if self.scores and not (by_name if self.writer is None else self.writer == _NATIVE):
            raise UsageError(
                "--scores works only with JSON Lines as output", remedy="give --out X.jsonl"
            )


def predict(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE|DIR|PATTERN",
            check=input_here,
            help="Input files: plain text, JSON Lines of id and text, or records in any format of"
            " `corefmill convert --list`; or folders, patterns in quotes, or - for standard input.",
        ),
    ],
    *,
    model: Annotated[
        str | None,
        Option(
            check=input_here,
            help="Model to predict with: a folder that `train` wrote, or the name of one that"
            " ships.",
            default=f"{SMALL} for texts and documents, {SHIPPED_FOR['masked']} for pronouns with"
            " candidates; with another --lang, rules for persons",
        ),
    ] = None,
    options: PredictOptions,
) -> None:
    """Predict clusters of documents or of event mentions, or masked names, with a trained model.

    Each text or record gives one result, in the order of the input. Clusters and labels of the
    input are ignored; relations between its clusters (CorefUD's Bridge and SplitAnte) are left out
    and counted. A document of plain text keeps the text and the place of each word.

    Examples:
        printf 'Ann met Eve. She smiled at her.' | corefmill predict -
        corefmill predict story.txt --to resolved
        corefmill predict --lang it storia.txt
        corefmill predict gap-validation.tsv --out answers.jsonl
        corefmill predict news/ 'letters/*.txt' --scores --out clusters.jsonl
        corefmill predict novel.txt --convention litbank --singletons drop --out novel.conll
        corefmill predict --model out/models/ontogum-minilm story.txt --nlp en_core_web_sm \\
            --out story.conll --to conll2012
        corefmill predict --model out/models/litbank-minilm novel.conll --out novel.conllu
        corefmill predict --model out/models/wec-en-minilm mentions.json --out clusters.json
    """
    from corefmill.corpora.formats import native, registry
    from corefmill.corpora.languages import language_name
    from corefmill.corpora.records import BY_SCHEMA, KINDS

    options.check()
    out = options.out
    wanted = registry.get_format(options.writer) if options.writer not in (None, RESOLVED) else None
    predictor: Predictor | PersonPredictor
    with _open_inputs(files) as paths:
        inputs = find_inputs(paths, options.reader)
        kinds = {BY_SCHEMA[form.schema].name if form else "documents" for form in inputs.values()}
        if model is None and options.lang not in (None, "en"):
            from corefmill.cli.person_rules import PersonPredictor

            predictor = PersonPredictor(options.lang, options.nlp)
            _log.warning(
                "no trained model of %s ships: %s finds persons by rules, only by their names and"
                " pronouns",
                *(language_name(options.lang), predictor.pipeline.version),
            )
            model, kind = "rules", "documents"
        else:
            need(*TRAINING)
            from corefmill.coref_model import load
            from corefmill.coref_model.training.task import load_kind

            model = choose_shipped(kinds) if model in (None, "en") else model
            predictor = load(model)
            kind = load_kind(predictor.task).records
        if options.singletons or options.convention or options.scores or options.min_confidence:
            predictor.answer_with(
                singletons=options.singletons.value if options.singletons else None,
                convention=options.convention,
                min_confidence=options.min_confidence,
                scores=options.scores,
            )
        records = read_records(inputs, predictor, model, options.lang, options.nlp)
        if getattr(getattr(predictor, "settings", None), "syntax", False):  # rules have none
            found = progress(_label_parsed(predictor, records, options.nlp))
        else:
            found = progress(predictor.records(records))
        if options.writer == RESOLVED:
            alone = [form or has_texts(path) for path, form in inputs.items()] == [False]
            count = _write_resolved(found, out, alone=alone, overwrite=options.overwrite)
        elif out is None:
            _print_records(found)
        else:
            own = native.BY_SCHEMA[KINDS[kind].schema]
            count = write(found, out, wanted, own, overwrite=options.overwrite)
    if out is not None:
        result = {"records": count, "out": str(out), "model": model}
        said = f"{out}: {many(count, 'record')}"
        print_result(result, said, as_json=options.as_json, quiet=options.quiet)


def _label_parsed(predictor: Any, records: Iterable[Any], nlp: str | None) -> Iterator[Any]:
    """Label masked examples by a model that needs the roles and clauses of a pipeline's trees."""
    from corefmill.builders.nlp import load_parser
    from corefmill.builders.nlp.roles import find_roles
    from corefmill.coref_model.masked.answers import mark_roles
    from corefmill.coref_model.training.task import check_kind
    from corefmill.corpora.records import MaskedExample

    examples = list(check_kind(records, MaskedExample, "the input"))
    roles = partial(find_roles, load_parser(nlp, predictor.lang))
    answers = predictor.answers(mark_roles(examples, roles))
    for one, answer in zip(examples, answers, strict=True):
        yield replace(one, label=answer.choice)


@contextmanager
def _open_inputs(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the input files, with a copy of standard input for `-`: formats need two readings."""
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


def _print_records(records: Iterable[Any]) -> None:
    """Print records as JSON Lines, on a terminal as text with mentions in brackets."""
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
    """Write or print resolved texts, one `alone` as plain text, several as JSON Lines."""
    from corefmill.coref_model.prediction.resolved import resolve
    from corefmill.corpora.files.terminal import write_styled
    from corefmill.corpora.files.writing import replacing
    from corefmill.corpora.records import Document

    def lines() -> Iterator[str]:
        """Yield each resolved text, as it is or as a line of JSON."""
        for record in records:
            if not isinstance(record, Document):
                raise UsageError(
                    "--to resolved works only with text or documents; the input holds other records"
                )
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
