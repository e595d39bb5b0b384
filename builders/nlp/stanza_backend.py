"""Stanza pipelines as backends: `stanza`, `stanza:PACKAGE`, or a folder of Stanza models."""

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
    entity_label,
    guard_loading,
    parts_of,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError, install_command
from corefmill.corpora.records import Span

RESOURCES = "resources.json"
"""Lies in a folder of Stanza models."""
INSTALL = install_command("stanza")

_TREES = ("tokenize", "mwt", "pos", "lemma", "depparse")
_Item = TypeVar("_Item")
_BATCH = 64
"""Texts in a batch; the tagger and the parser cut it again by words."""


def stanza() -> Any:
    """Import Stanza, or raise `UsageError` if it is not installed."""
    try:
        return import_module("stanza")
    except ImportError as error:
        raise UsageError(f"Stanza does not load: {error}", remedy=INSTALL) from None


def resources_dir() -> Path:
    """Find Stanza's folder of models; the environment may override it."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


def to_download(lang: str, package: str = "default", folder: Path | None = None) -> str:
    """Write the command for fetching missing models."""
    name = "stanza" if package == "default" else f"stanza:{package}"
    more = "" if folder is None else f" --out {folder}"
    return f"corefmill models download {name} --lang {lang}{more}"


class StanzaPipeline(Backend):
    """The models of a language, in Stanza's own folder or in another. Nothing is downloaded.

    Raises `UsageError` where Stanza or a model is missing or, unless `names` is False, where there
    is no recogniser of names for the language.
    """

    def __init__(
        self,
        lang: str,
        package: str = "default",
        folder: Path | None = None,
        *,
        names: bool = True,
    ) -> None:
        library = stanza()
        where = folder or resources_dir()
        own = "stanza" if package == "default" else f"stanza:{package}"
        self.name = own if folder is None else str(folder)
        processors = processors_of(where, lang, package, to_download(lang, package, folder))
        if names and "ner" not in processors:
            raise UsageError(
                f"Stanza has no recogniser of names for language {lang!r}",
                remedy="name another pipeline by --nlp",
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
                    logging_level="CRITICAL",  # what fails is said below, in one line
                )
        except Exception as error:  # Stanza lets through whatever torch and its readers raise
            reason = " ".join(str(error).split())[:160] or type(error).__name__
            raise UsageError(
                f"Stanza's {package} models for {lang!r} do not load: {reason}",
                remedy=to_download(lang, package, folder),
            ) from None
        self._has = tuple(self._nlp.processors)
        self.does = parts_of(self._has)
        self.version = f"stanza {library.__version__} {lang} {package}"
        self.identity = f"{self.version} {disk.hash_files(_files(self._nlp.config, where))}"

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences alone of each text, in order."""
        return self._run(texts, ("tokenize", "mwt"))

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens, sentences and entities of each text, in order."""
        return self._run(texts, ("tokenize", "mwt", "ner"))

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Fill every column of the language's processors."""
        return self._run(texts, (*_TREES, "ner"))

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """Analyse sentences cut into words as `full`."""
        document = import_module("stanza.models.common.doc").Document
        steps = [step for step in ("pos", "lemma", "depparse", "ner") if step in self._has]
        for batch in _batches(sentences):
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
            yield from map(analysis_of, self._nlp.bulk_process(documents, processors=steps))

    def _run(self, texts: Iterable[str], wanted: Sequence[str]) -> Iterator[Analysis]:
        steps = [step for step in wanted if step in self._has]
        document = import_module("stanza.models.common.doc").Document
        for batch in _batches(texts):
            # A document without a token is more than some of Stanza's processors can take.
            given = [document([], text=text) for text in batch if text.strip()]
            done = iter(self._nlp.bulk_process(given, processors=steps) if given else ())
            for text in batch:
                if text.strip():
                    yield analysis_of(next(done), text)
                else:
                    yield Analysis(text, (), (), ())


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch


def processors_of(folder: Path, lang: str, package: str, remedy: str) -> dict[str, str]:
    """Choose each processor's package; a package of trees gets the default names."""
    table = listing(folder)
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


def listing(folder: Path) -> dict[str, Any]:
    """Read `resources.json` by language; empty if it cannot be read."""
    try:
        table = disk.read_json(folder / RESOURCES)
    except DataError:
        return {}
    if not isinstance(table, dict):
        return {}
    return {lang: entry for lang, entry in table.items() if isinstance(entry, dict)}


def _files(config: Any, folder: Path) -> Iterator[tuple[str, Path]]:
    """List the files named by a configuration, in a stable order, with their names."""
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


def analysis_of(document: Any, text: str | None = None) -> Analysis:
    """Convert a `stanza.Document` with offsets into its text, or into `text`.

    A column is left empty unless some word has it: a processor was not run or does not exist for
    the language. Raises `ValueError` for a document whose tokens have no offsets.
    """
    found: str = document.text if text is None else text
    sentences = [sentence for sentence in document.sentences if sentence.tokens]
    tokens = [(token, _span(token)) for sentence in sentences for token in sentence.tokens]
    words = [(word, span) for token, span in tokens for word in token.words]
    of_tokens = tuple(span for _, span in tokens)
    split = any(len(token.words) != 1 for token, _ in tokens)
    return Analysis(
        text=found,
        tokens=of_tokens,
        sentences=tuple((_span(s.tokens[0])[0], _span(s.tokens[-1])[1]) for s in sentences),
        entities=tuple(
            Entity(*_span(entity), entity_label(entity.type))
            # Run over several documents at once, Stanza leaves the sentences' lists in order.
            for sentence in sentences
            for entity in sentence.ents
        ),
        upos=_column(words, "upos"),
        deprel=_column(words, "deprel"),
        head=_heads(sentences),
        xpos=_column(words, "xpos"),
        # Of a word without features Stanza says None, so the tags show whether the tagger ran.
        feats=_column(words, "feats", there=_column(words, "upos")),
        lemma=_column(words, "lemma"),
        words=tuple(span for _, span in words) if split else of_tokens,
        spelled=tuple(word.text for word, _ in words) if split else (),
    )


def _span(piece: Any) -> Span:
    if piece.start_char is None or piece.end_char is None:
        raise ValueError(f"Stanza's {piece.text!r} has no offsets (start_char, end_char)")
    return piece.start_char, piece.end_char


def _column(
    words: Sequence[tuple[Any, Span]], field: str, there: Sequence[str] = ()
) -> tuple[str, ...]:
    values = [getattr(word, field) for word, _ in words]
    if not there and all(value is None for value in values):
        return ()
    return tuple("" if value is None or value == "_" else value for value in values)


def _heads(sentences: Sequence[Any]) -> tuple[int, ...]:
    """Number heads over the whole text; Stanza counts from 1 in each sentence, a root's is 0."""
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


def download(lang: str, package: str = "default", folder: Path | None = None) -> Path:
    """Fetch a language's models, into Stanza's own folder or another; returns the folder.

    Raises `UsageError` where there is no such language or package, or no way to them.
    """
    library = stanza()
    where = folder or resources_dir()
    try:
        import_module("stanza.resources.common").download_resources_json(str(where))
    except Exception as error:  # whatever requests and Stanza let through
        raise _load_error(lang, package, folder, error) from None
    # A package of trees needs the default names beside it, or it would not load here.
    wanted = processors_of(where, lang, package, "`corefmill models` lists what there is")
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
        raise _load_error(lang, package, folder, error) from None
    return where


def _load_error(lang: str, package: str, folder: Path | None, error: Exception) -> UsageError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    again = to_download(lang, package, folder)
    return UsageError(
        f"Stanza's models for {lang!r} were not downloaded: {reason}",
        remedy=f"is there a way to the network? where there is one, `{again}`; then copy the"
        " folder here and name it by --nlp DIR",
    )
