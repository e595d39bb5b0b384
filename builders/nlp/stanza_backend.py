"""Stanza pipelines as backends: `stanza`, `stanza:PACKAGE`, or a folder of Stanza models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from corefmill.builders.nlp import digest, parts, stanza_documents
from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.nlp.backend import SentenceWords
from corefmill.builders.nlp.guarded import guarded
from corefmill.corpora import disk
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.installation import install_command

RESOURCES = "resources.json"
"""Lies in a folder of Stanza models."""
INSTALL = install_command("stanza")

_TREES = ("tokenize", "mwt", "pos", "lemma", "depparse")
_Item = TypeVar("_Item")
_BATCH = 64
"""Texts in a batch; the tagger and the parser cut it again by words."""


def stanza() -> Any:
    """The library, which is not installed with corefmill; raises `UsageError` without it."""
    try:
        return import_module("stanza")
    except ImportError as error:
        raise UsageError(f"Stanza does not load: {error}", remedy=INSTALL) from None


def resources_dir() -> Path:
    """Where Stanza keeps its models; the environment may say otherwise."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


def to_download(lang: str, package: str = "default", folder: Path | None = None) -> str:
    """The command that fetches what is missing."""
    more = "" if package == "default" else f" --package {package}"
    more += "" if folder is None else f" --dir {folder}"
    return f"corefmill models download stanza --lang {lang}{more}"


class StanzaPipeline:
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
            with guarded():
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
        self.does = parts.does(self._has)
        self.version = f"stanza {library.__version__} {lang} {package}"
        self.identity = f"{self.version} {digest.of_files(_files(self._nlp.config, where))}"

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Tokens and sentences alone of each text, in order."""
        return self._run(texts, ("tokenize", "mwt"))

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Tokens, sentences and entities of each text, in order."""
        return self._run(texts, ("tokenize", "mwt", "ner"))

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The same with parts of speech, lemmas and the parse, where the language has them."""
        return self._run(texts, (*_TREES, "ner"))

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """As `full`, of words that are given."""
        document = import_module("stanza.models.common.doc").Document
        steps = self._of(("pos", "lemma", "depparse", "ner"))
        for batch in _batches(sentences):
            documents = [document([_rows(words)], text=words.text) for words in batch]
            yield from map(
                stanza_documents.analysis, self._nlp.bulk_process(documents, processors=steps)
            )

    def _run(self, texts: Iterable[str], wanted: Sequence[str]) -> Iterator[Analysis]:
        steps = self._of(wanted)
        document = import_module("stanza.models.common.doc").Document
        for batch in _batches(texts):
            # A document without a token is more than some of Stanza's processors can take.
            given = [document([], text=text) for text in batch if text.strip()]
            done = iter(self._nlp.bulk_process(given, processors=steps) if given else ())
            for text in batch:
                if text.strip():
                    yield stanza_documents.analysis(next(done), text)
                else:
                    yield Analysis(text, (), (), ())

    def _of(self, wanted: Sequence[str]) -> list[str]:
        return [step for step in wanted if step in self._has]


def _rows(words: SentenceWords) -> list[dict[str, Any]]:
    rows, at = [], 0
    for number, (form, space) in enumerate(zip(words.forms, words.spaces, strict=True), 1):
        end = at + len(form)
        rows.append({"id": (number,), "text": form, "start_char": at, "end_char": end})
        at = end + space
    return rows


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch


def processors_of(folder: Path, lang: str, package: str, remedy: str) -> dict[str, str]:
    """Which package each processor takes; a package of trees gets the default names."""
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
    """What `resources.json` says, by language; nothing where there is none that can be read."""
    try:
        table = disk.json(folder / RESOURCES)
    except DataError:
        return {}
    if not isinstance(table, dict):
        return {}
    return {lang: entry for lang, entry in table.items() if isinstance(entry, dict)}


def _files(config: Any, folder: Path) -> Iterator[tuple[str, Path]]:
    """The files that a configuration names, in a stable order, with their names."""
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
