"""Which pipeline is taken, and how one is named: spaCy's by name or path, Stanza's by `stanza`, and
by `wiki` none at all."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.nlp import shipped
from corefmill.builders.nlp.backend import WIKI, Backend
from corefmill.builders.nlp.stanza_backend import RESOURCES, StanzaPipeline
from corefmill.corpora import beside
from corefmill.corpora.cycles import no_search_for_cycles
from corefmill.corpora.errors import UsageError

_BEST_FIRST = ("_trf", "_lg", "_md", "_sm")


@no_search_for_cycles()
def choose(lang: str) -> str:
    """Choose the pipeline for a language: ours if it is here, else spaCy's largest installed one.

    Ours goes first because filters and thresholds were measured with it: a corpus must not change
    because another package was installed (docs/pipelines.md). Stanza is slower by far and only
    taken by name. Raises `UsageError` that says what to install where there is none.
    """
    if (ours := f"{lang}_mini") in shipped.names():
        return ours
    from corefmill.builders.nlp.lean import spacy  # a second or more

    installed = [name for name in spacy.util.get_installed_models() if name.startswith(f"{lang}_")]
    for ending in _BEST_FIRST:
        for name in sorted(installed):
            if name.endswith(ending):
                return name
    raise UsageError(
        f"no pipeline for language {lang!r} is installed and none ships with corefmill",
        remedy=f"{_apart(lang)}{_to_install(lang)}name yours by --nlp NAME|DIR; "
        f"or, for a wiki's dump, --nlp {WIKI} finds names by its links to persons; "
        f"`corefmill models list --lang {lang}` lists what there is",
    )


def _to_install(lang: str) -> str:
    """How one that recognises names is had: of spaCy's the smallest, and Stanza's, if there are."""
    from corefmill.builders.nlp.catalogue import offers

    ways: dict[str, str] = {}
    for offer in offers(lang):
        if offer.lang == lang and offer.name != WIKI and "names" in offer.does:
            ways.setdefault(offer.kind, f"`{offer.how}`")
    if "Stanza" in ways:
        ways["Stanza"] += " and --nlp stanza"
    return f"install one that has NER, {', or '.join(ways.values())}, or " if ways else ""


def _apart(lang: str) -> str:
    """How ours is installed, for a language that has one which is not here."""
    apart = beside.table(__file__, "available")["ships_apart"]
    return f"{apart['how']}, " if lang in apart["languages"] else ""


def of_wiki(name: str, lang: str, persons: Path | None = None) -> Backend:
    """As `load`, for a builder that reads a wiki: `wiki` stands for the wiki's own names.

    `persons` is the file of `known_persons`; without it words and sentences are all there is.
    """
    if name != WIKI:
        return load(name, lang)
    from corefmill.builders.nlp.wiki_backend import WikiPipeline

    return WikiPipeline(lang, persons)


def with_trees(name: str | None, lang: str) -> Backend:
    """The pipeline of a name, or the best for a language, for what needs trees and no names.

    Raises `UsageError` where there is none, or it makes no trees.
    """
    found = load(name or choose(lang), lang, names=False)
    if "trees" not in found.does:
        raise UsageError(f"{found.name} makes no trees", remedy="name another by --nlp")
    return found


@no_search_for_cycles()
def load(name: str, lang: str | None = None, *, names: bool = True) -> Backend:
    """The pipeline of a name or path, for a language (None: the pipeline's own).

    Raises `UsageError` where it is not there, does not fit the language or, unless `names` is
    False, recognises no names.
    """
    if name == WIKI:
        raise UsageError(
            f"--nlp {WIKI} finds names by the links of a wiki's dump, and reads no other text",
            remedy="`build wikicrem`, `build wikirand` and `build wec` take it, with a --dump;"
            " name a pipeline here",
        )
    folder = shipped.path(name) if name in shipped.names() else Path(name)
    kind, _, package = name.partition(":")
    if kind != "stanza" and not (folder / RESOURCES).is_file():
        from corefmill.builders.nlp.spacy_backend import SpacyPipeline

        return SpacyPipeline(name, lang, names=names)
    if lang is None:
        raise UsageError(
            f"{name!r} stands for the models of many languages", remedy="name one by --lang"
        )
    if kind == "stanza":
        return StanzaPipeline(lang, package or "default", names=names)
    return StanzaPipeline(lang, folder=folder, names=names)
