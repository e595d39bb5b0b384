"""Run Stanza pipelines as backends: `stanza`, `stanza:PACKAGE`, or a folder of models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from corefmill.builders.nlp.backend import (
    Analysis,
    Backend,
    Entity,
    SentenceWords,
    guard_loading,
    list_parts,
    map_label,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError, install_command
from corefmill.corpora.records import Span

RESOURCES = "resources.json"
"""The list of models in a folder of Stanza models."""
INSTALL = install_command("stanza")

_TREES = ("tokenize", "mwt", "pos", "lemma", "depparse")
_Item = TypeVar("_Item")
_BATCH = 64
"""Texts in a batch; the tagger and the parser make smaller batches by words."""


def import_stanza() -> Any:
    """Import Stanza, or raise `UsageError` if it is not installed."""
    try:
        return import_module("stanza")
    except ImportError as error:
        raise UsageError(f"Stanza does not load: {error}", remedy=INSTALL) from None


def find_resources() -> Path:
    """Return Stanza's folder of models, by default in the home folder."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


def make_download_command(lang: str, package: str = "default", folder: Path | None = None) -> str:
    """Write the command for downloading missing models, for an error's remedy."""
    name = "stanza" if package == "default" else f"stanza:{package}"
    more = "" if folder is None else f" --out {folder}"
    return f"corefmill models download {name} --lang {lang}{more}"


class StanzaPipeline(Backend):
    """Stanza's models of a language, in Stanza's own folder or in `folder`; downloads nothing.

    Raises `UsageError` if Stanza or a model is missing or, unless `names` is False, if there is no
    entity recogniser for the language.
    """

    def __init__(
        self,
        lang: str,
        package: str = "default",
        folder: Path | None = None,
        *,
        names: bool = True,
    ) -> None:
        library = import_stanza()
        where = folder or find_resources()
        own = "stanza" if package == "default" else f"stanza:{package}"
        self.name = own if folder is None else str(folder)
        download = make_download_command(lang, package, folder)
        processors = choose_processors(where, lang, package, download)
        if names and "ner" not in processors:
            raise UsageError(
                f"Stanza has no recogniser of names for language {lang!r}",
                remedy="name a pipeline with NER by --nlp",
            )
        import_module("torch").set_num_threads(1)  # worker processes already use every core
        try:
            with guard_loading():
                self._nlp = library.Pipeline(
                    lang,
                    dir=str(where),
                    package=None,
                    processors=processors,
                    download_method=None,
                    logging_level="CRITICAL",  # errors are reported below, in one line
                )
        except Exception as error:  # Stanza passes on any error of torch and its readers
            reason = " ".join(str(error).split())[:160] or type(error).__name__
            raise UsageError(
                f"Stanza's {package} models for {lang!r} do not load: {reason}",
                remedy=download,
            ) from None
        self._has = tuple(self._nlp.processors)
        self.does = list_parts(self._has)
        self.version = f"stanza {library.__version__} {lang} {package}"
        files = _list_model_files(self._nlp.config, where)
        self.identity = f"{self.version} {disk.hash_files(files)}"

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences alone of each text, in order."""
        return self._run(texts, ("tokenize", "mwt"))

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens, sentences and entities of each text, in order."""
        return self._run(texts, ("tokenize", "mwt", "ner"))

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Make the whole analysis: every column of the language's processors."""
        return self._run(texts, (*_TREES, "ner"))

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """Analyse sentences already split into words as `full`."""
        document = import_module("stanza.models.common.doc").Document
        steps = [step for step in ("pos", "lemma", "depparse", "ner") if step in self._has]
        for batch in _batch_items(sentences):
            documents = []
            for words in batch:
                rows, at = [], 0
                for number, (form, space) in enumerate(
                    zip(words.forms, words.spaces, strict=True), 1
                ):
                    end = at + len(form)
                    rows.append({"id": (number,), "text": form, "start_char": at, "end_char": end})
                    at = end + space
                documents.append(document([rows], text=words.text))
            yield from map(make_analysis, self._nlp.bulk_process(documents, processors=steps))

    def _run(self, texts: Iterable[str], wanted: Sequence[str]) -> Iterator[Analysis]:
        """Run the `wanted` processors, as far as the language has them, over texts."""
        steps = [step for step in wanted if step in self._has]
        document = import_module("stanza.models.common.doc").Document
        for batch in _batch_items(texts):
            # Some of Stanza's processors fail on a document without a token.
            given = [document([], text=text) for text in batch if text.strip()]
            done = iter(self._nlp.bulk_process(given, processors=steps) if given else ())
            for text in batch:
                if text.strip():
                    yield make_analysis(next(done), text)
                else:
                    yield Analysis(text, (), (), ())


def _batch_items(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch


def choose_processors(folder: Path, lang: str, package: str, remedy: str) -> dict[str, str]:
    """Choose the model package of each processor; entity recognition may be the default one.

    Raises `UsageError` with the `remedy` for a language or a package without models.
    """
    table = read_listing(folder)
    known = table.get(table.get(lang, {}).get("alias", lang))
    if known is None:
        raise UsageError(f"no Stanza models for {lang!r} in {folder}", remedy=remedy)
    packages = known.get("packages", {})
    chosen = packages.get(package)
    if chosen is None:
        legal = ", ".join(sorted(packages)) or "none"
        raise UsageError(
            f"Stanza has no package {package!r} for {lang!r}", remedy=f"there are {legal}"
        )
    found = {step: package for step in _TREES if step in chosen}
    if "ner" in chosen:
        found["ner"] = package
    elif "ner" in packages.get("default", {}):
        found["ner"] = "default"
    return found


def read_listing(folder: Path) -> dict[str, Any]:
    """Read Stanza's list of models by language; an empty one if the file cannot be read."""
    try:
        table = disk.read_json(folder / RESOURCES)
    except DataError:
        return {}
    if not isinstance(table, dict):
        return {}
    return {lang: entry for lang, entry in table.items() if isinstance(entry, dict)}


def _list_model_files(config: Any, folder: Path) -> Iterator[tuple[str, Path]]:
    """List the model files in a pipeline's configuration, sorted, with names for a checksum."""
    found: set[Path] = set()
    left = [config]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, (list, tuple)):
            left += value
        elif isinstance(value, str) and value.endswith(".pt") and Path(value).is_file():
            found.add(Path(value))
    for path in sorted(found):
        inside = path.is_relative_to(folder)
        yield (path.relative_to(folder).as_posix() if inside else path.name), path


def make_analysis(document: Any, text: str | None = None) -> Analysis:
    """Convert a `stanza.Document` to an Analysis of its text, or of `text`.

    The columns of processors that were not run stay empty. Raises `ValueError` for tokens without
    offsets.
    """
    found: str = document.text if text is None else text
    sentences = [sentence for sentence in document.sentences if sentence.tokens]
    tokens = [(token, _read_span(token)) for sentence in sentences for token in sentence.tokens]
    words = [(word, span) for token, span in tokens for word in token.words]
    of_tokens = tuple(span for _, span in tokens)
    split = any(len(token.words) != 1 for token, _ in tokens)
    return Analysis(
        text=found,
        tokens=of_tokens,
        sentences=tuple(
            (_read_span(s.tokens[0])[0], _read_span(s.tokens[-1])[1]) for s in sentences
        ),
        entities=tuple(
            Entity(*_read_span(entity), map_label(entity.type))
            # The document's own list is in disorder after a run over several documents.
            for sentence in sentences
            for entity in sentence.ents
        ),
        upos=_read_column(words, "upos"),
        deprel=_read_column(words, "deprel"),
        head=_number_heads(sentences),
        xpos=_read_column(words, "xpos"),
        # Stanza has None for a word without features: the tags show whether the tagger ran.
        feats=_read_column(words, "feats", there=_read_column(words, "upos")),
        lemma=_read_column(words, "lemma"),
        words=tuple(span for _, span in words) if split else of_tokens,
        spelled=tuple(word.text for word, _ in words) if split else (),
    )


def _read_span(piece: Any) -> Span:
    """Read the offsets of a Stanza token or entity."""
    if piece.start_char is None or piece.end_char is None:
        raise ValueError(
            f"Stanza gave no start_char and end_char for {piece.text!r}: update Stanza or its model"
        )
    return piece.start_char, piece.end_char


def _read_column(
    words: Sequence[tuple[Any, Span]], field: str, there: Sequence[str] = ()
) -> tuple[str, ...]:
    """Read a field of all words; an empty column if no word has it and `there` is empty."""
    values = [getattr(word, field) for word, _ in words]
    if not there and all(value is None for value in values):
        return ()
    return tuple("" if value is None or value == "_" else value for value in values)


def _number_heads(sentences: Sequence[Any]) -> tuple[int, ...]:
    """Number the words' heads over the whole text; Stanza counts from 1 in each sentence."""
    heads: list[int] = []
    for sentence in sentences:
        if any(word.head is None for word in sentence.words):
            return ()
        first = len(heads)
        heads += [
            first + (word.head - 1 if word.head else index)
            for index, word in enumerate(sentence.words)
        ]
    return tuple(heads)


def download_models(lang: str, package: str = "default", folder: Path | None = None) -> Path:
    """Download a language's models into Stanza's own folder or into `folder`; return the folder.

    Raises `UsageError` for an unknown language or package, and for a failed download.
    """
    library = import_stanza()
    where = folder or find_resources()
    try:
        import_module("stanza.resources.common").download_resources_json(str(where))
    except Exception as error:  # any error of requests and Stanza
        raise _make_download_error(lang, package, folder, error) from None
    # A package without entity recogniser needs the default one to load here.
    wanted = choose_processors(where, lang, package, "`corefmill models` lists what there is")
    whole = package == "default"
    try:
        library.download(
            lang,
            model_dir=str(where),
            package="default" if whole else None,
            processors={} if whole else wanted,
            download_json=False,
            logging_level="CRITICAL",
        )
    except Exception as error:
        raise _make_download_error(lang, package, folder, error) from None
    return where


def _make_download_error(
    lang: str, package: str, folder: Path | None, error: Exception
) -> UsageError:
    """Make the error for a failed download of models, with the command to try again."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    again = make_download_command(lang, package, folder)
    return UsageError(
        f"Stanza's models for {lang!r} were not downloaded: {reason}",
        remedy=f"check the network; or run `{again}` on a machine with network, copy the folder"
        " here and name it by --nlp DIR",
    )
