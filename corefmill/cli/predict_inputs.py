"""What `corefmill predict` reads: texts and records of files, folders and patterns."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.formats.form import Format

TEXT = "text"
"""What --from calls plain text."""

_PLAIN = (".txt", ".text", "")
_LINES = (".jsonl", ".ndjson", "")
_ID = ("id", "doc_id", "title")

_log = logging.getLogger(__name__)

Inputs = Mapping[Path, "Format | None"]
"""The files to read, each with its format; None is plain text, in a file or in JSON Lines."""


def find_inputs(names: Iterable[Path], reader: str | None) -> Inputs:
    """The files that the names stand for; raises `DataError` and `UsageError` where there is none.

    A folder stands for its texts (.txt, .jsonl) and its files of a known format.
    """
    from corefmill.corpora.formats import discover, registry

    form = registry.named(reader) if reader not in (None, TEXT) else None
    found: dict[Path, Format | None] = {}
    for name in names:
        if not name.is_dir():
            paths = [name] if name.exists() else filter(Path.is_file, disk.match_paths(str(name)))
            own = {path: form or _format_of(path, reader) for path in paths}
            if not own:
                raise DataError("there is no such file", path=name)
        else:
            forms, rest = (
                discover.files(name, form) if reader != TEXT else ({}, disk.list_below(name))
            )
            texts = (path for path in rest if form is None and path.suffix and _is_text(path))
            own = dict(sorted({**forms, **dict.fromkeys(texts)}.items()))
            if not own:
                raise UsageError("no text in here, and no file of a known format", path=name)
        found |= own
    return found


def _format_of(path: Path, reader: str | None) -> Format | None:
    from corefmill.corpora.formats import registry

    if reader == TEXT or _is_text(path):
        return None
    try:
        return registry.of_file(path)
    except UsageError as error:
        if registry.candidates(path) or "no format" not in error.message:
            raise
        remedy = "--from text reads it as plain text, or names its format"
        raise UsageError(error.message, path=path, remedy=remedy) from None


def _is_text(path: Path) -> bool:
    """Whether a file is plain text, or JSON Lines of texts."""
    from corefmill.corpora.formats import registry

    known = path.suffix in (*_PLAIN, *_LINES) and path.is_file()
    return known and not registry.candidates(path) and (path.suffix in _PLAIN or is_lines(path))


def is_lines(path: Path) -> bool:
    """Whether a file is JSON Lines of texts, by its first line."""
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
    inputs: Inputs, predictor: Predictor, model: str, lang: str | None, nlp: str | None
) -> Iterator[Any]:
    """Read the records of all inputs, texts as documents; `model` is the predictor's name.

    `lang` None is the model's. A text in a language that the model did not learn is a warning.
    """
    if None in inputs.values():
        predictor.refuse_text()
    lang = lang or predictor.lang
    document = _Reader(lang, nlp, predictor.contractions, may_be_empty=len(inputs) > 1)
    stems = Counter(path.stem for path in inputs)
    others: set[str] = set()
    for path, form in inputs.items():
        if form is not None:
            for _, record in form.read(path, lang):
                yield record
            continue
        stem = path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
        for line, name, text in _texts(path, disk.show_name(stem)):
            other = _other_language(text, predictor.langs)
            if other and other not in others:
                others.add(other)
                _log.warning(
                    "%s is in %s by its words, and %s learnt from %s alone: expect little of it",
                    *(name, other, model, _names(predictor.langs)),
                )
            try:
                yield document(text, name, in_lines=line is not None)
            except UsageError as error:
                raise UsageError(error.message, path=path, line=line, remedy=error.remedy) from None


def _texts(path: Path, stem: str) -> Iterator[tuple[int | None, str, str]]:
    """The line (of JSON Lines), name and text of each text of a file."""
    from corefmill.corpora.files import disk

    if not is_lines(path):
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
            raise DataError('no object with a string "text"', path=path, line=number) from None
        name = next((str(found[key]) for key in _ID if key in found), f"{stem}:{number}")
        yield number, name, text


@dataclass(slots=True)
class _Reader:
    """Makes documents of plain texts, by spaCy's rules or a pipeline, which is loaded once."""

    lang: str
    nlp: str | None
    contractions: Mapping[str, str]
    may_be_empty: bool
    _pipeline: Any = None

    def __call__(self, text: str, name: str, *, in_lines: bool) -> Any:
        from corefmill.coref_model.prediction import plain

        if self.nlp is None or not text.strip():  # no pipeline is loaded to find no word
            may_be_empty = self.may_be_empty or in_lines
            return plain.document(
                text,
                self.lang,
                name,
                contractions=self.contractions,
                may_be_empty=may_be_empty,
            )
        if self._pipeline is None:
            from corefmill.builders.nlp import load

            self._pipeline = load(self.nlp, self.lang, names=False)
        (analysis,) = self._pipeline.sentences([text])
        spans = analysis.sentences, analysis.tokens
        return plain.of_spans(text, *spans, self.lang, name, contractions=self.contractions)


def _other_language(text: str, known: Sequence[str]) -> str | None:
    """The name of a text's language where it is none of the known ones."""
    from corefmill.corpora import languages
    from corefmill.corpora.languages import other_language

    found = [other_language(text, lang) for lang in known]
    return languages.language_name(found[0]) if found and found[0] and all(found) else None


def _names(langs: Sequence[str]) -> str:
    from corefmill.corpora import languages

    return " and ".join(map(languages.language_name, langs))
