"""Choose and load a language pipeline: spaCy's by name or path, Stanza's by `stanza`, or `wiki`.

Also lists the installed and shipped pipelines, and those to install, with the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corefmill.builders.nlp.backend import (
    PARTS,
    WIKI,
    Backend,
    list_parts,
    shipped_names,
    shipped_path,
)
from corefmill.builders.nlp.stanza_backend import (
    INSTALL,
    RESOURCES,
    StanzaPipeline,
    find_resources,
    make_download_command,
    read_listing,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError

_BEST_FIRST = ("_trf", "_lg", "_md", "_sm")


def choose_pipeline(lang: str) -> str:
    """Choose the pipeline for a language: corefmill's own, else spaCy's largest installed one.

    Corefmill's own goes first because filters and thresholds were measured with it: installing
    another package must not change a corpus (docs/pipelines.md). Stanza is far slower and taken by
    name only. Raises `UsageError` with what to install if there is no pipeline.
    """
    if (ours := f"{lang}_mini") in shipped_names():
        return ours
    from corefmill.builders.nlp.lean import spacy  # a second or more

    installed = [name for name in spacy.util.get_installed_models() if name.startswith(f"{lang}_")]
    for ending in _BEST_FIRST:
        for name in sorted(installed):
            if name.endswith(ending):
                return name
    apart = disk.read_package_table(__file__, "available")["ships_apart"]
    remedy = f"{apart['how']}, " if lang in apart["languages"] else ""
    # The smallest pipelines of spaCy and of Stanza that find names.
    ways: dict[str, str] = {}
    for offer in list_offers(lang):
        if offer.lang == lang and offer.name != WIKI and "names" in offer.does:
            more = " and --nlp stanza" if offer.kind == "Stanza" else ""
            ways.setdefault(offer.kind, f"`{offer.how}`{more}")
    if ways:
        remedy += f"install one that has NER, {', or '.join(ways.values())}, or "
    raise UsageError(
        f"no pipeline for language {lang!r} is installed and none ships with corefmill",
        remedy=f"{remedy}name yours by --nlp NAME|DIR; "
        f"or, for a wiki's dump, --nlp {WIKI} finds names by its links to persons; "
        f"`corefmill models list --lang {lang}` lists what there is",
    )


def load_wiki_pipeline(name: str, lang: str, persons: Path | None = None) -> Backend:
    """Load a pipeline for a builder of wikis; `wiki` finds names by the wiki's links.

    `persons` is the file of `known_persons`; without it `wiki` finds only words and sentences.
    """
    if name != WIKI:
        return load_pipeline(name, lang)
    from corefmill.builders.nlp.wiki_backend import WikiPipeline

    return WikiPipeline(lang, persons)


def load_parser(name: str | None, lang: str) -> Backend:
    """Load a pipeline for parsing, by name or the best for the language.

    Raises `UsageError` if there is no pipeline, or the named one does not parse.
    """
    found = load_pipeline(name or choose_pipeline(lang), lang, names=False)
    if "trees" not in found.does:
        raise UsageError(f"pipeline {found.name!r} has no parser", remedy="name another by --nlp")
    return found


@lru_cache(maxsize=1)
def load_pipeline(name: str, lang: str | None = None, *, names: bool = True) -> Backend:
    """Load the pipeline of a name or path, for a language (None: the pipeline's own).

    The last pipeline is cached, for a build and its worker in one process. Raises `UsageError` for
    a pipeline that is missing, is for another language or, unless `names` is False, has no entity
    recogniser.
    """
    if name == WIKI:
        raise UsageError(
            f"--nlp {WIKI} finds names by the links of a wiki's dump, and reads no other text",
            remedy="name a pipeline here, or use `build wikicrem`, `build wikirand` or `build wec`"
            " with a --dump",
        )
    folder = shipped_path(name) if name in shipped_names() else Path(name)
    kind, _, package = name.partition(":")
    if kind != "stanza" and not (folder / RESOURCES).is_file():
        from corefmill.builders.nlp.spacy_backend import SpacyPipeline

        return SpacyPipeline(name, lang, names=names)
    if lang is None:
        raise UsageError(f"--nlp {name} has models of many languages", remedy="name one by --lang")
    if kind == "stanza":
        return StanzaPipeline(lang, package or "default", names=names)
    return StanzaPipeline(lang, folder=folder, names=names)


@dataclass(frozen=True, slots=True)
class Offer:
    """A pipeline of the list of `corefmill models`.

    `state` is installed, ships or available; `how` is the option to use it or the command to
    install it; `scores` is the text of `format_scores`.
    """

    name: str
    lang: str
    state: str
    kind: str
    does: tuple[str, ...]
    how: str
    version: str = ""
    licence: str = ""
    scores: str = ""


def find_scores(name: str) -> str:
    """Look up the scores of an installed pipeline, "" if unknown."""
    return next((offer.scores for offer in _find_offers(name)), "")


def find_licence(name: str) -> str:
    """Look up the licence of an installed pipeline, "" if unknown."""
    return next((offer.licence for offer in _find_offers(name)), "")


def _find_offers(name: str) -> Iterator[Offer]:
    return (offer for offer in (*_list_shipped(), *_list_installed()) if offer.name == name)


def list_offers(lang: str | None = None) -> list[Offer]:
    """List the pipelines for a language or for all languages, installed ones first."""
    here = [*_list_shipped(), *_list_installed(), *_list_downloaded()]
    known = {(offer.name, offer.lang) for offer in here}
    more = [offer for offer in _list_available() if (offer.name, offer.lang) not in known]
    how = f"build wikicrem (or wikirand, wec) --nlp {WIKI} --dump DUMP"
    more.append(Offer(WIKI, "xx", "available", "rules", ("sentences", "names"), how))
    # Pipelines for all languages (xx) serve this one too.
    return [offer for offer in (*here, *more) if lang is None or offer.lang in (lang, "xx")]


def _list_shipped() -> Iterator[Offer]:
    """List the small pipelines shipped with corefmill."""
    for name in shipped_names():
        folder = shipped_path(name)
        if (folder / "meta.json").is_file():
            yield _make_offer(name, _read_json(folder / "meta.json"), "ships")


def _list_installed() -> Iterator[Offer]:
    """List the installed packages with a spaCy pipeline."""
    from importlib.metadata import entry_points  # takes longer to import than a help takes

    # By the same entry points as spaCy, whose import takes half a second.
    for name in sorted({entry.name for entry in entry_points(group="spacy_models")}):
        found = find_spec(name)
        places = list(found.submodule_search_locations or ()) if found else []
        meta: dict[str, Any] = {}
        for place in map(Path, places):
            for path in sorted(place.rglob("meta.json")):
                meta = meta or _read_json(path)
        yield _make_offer(name, meta, "installed")


def _make_offer(name: str, meta: dict[str, Any], state: str) -> Offer:
    """Describe a spaCy pipeline by its meta.json."""
    found = list(meta.get("components", ()))
    return Offer(
        name=name,
        lang=str(meta.get("lang", name.partition("_")[0])),
        state=state,
        kind="spaCy",
        does=list_parts(found),
        how=f"--nlp {name}",
        version=str(meta.get("version", "")),
        licence=str(meta.get("license", "")),
        scores=format_scores(meta),
    )


def _list_downloaded() -> Iterator[Offer]:
    """List the downloaded models of Stanza by language."""
    folder = find_resources()
    for lang in sorted(read_listing(folder)):
        below = folder / lang
        found = [part.name for part in sorted(below.glob("*")) if any(part.glob("*.pt"))]
        if "tokenize" in found:
            usable = find_spec("stanza") is not None
            yield Offer(
                name="stanza",
                lang=lang,
                state="installed",
                kind="Stanza",
                does=list_parts(found),
                how=f"--nlp stanza --lang {lang}" if usable else INSTALL,
            )


def _list_available() -> Iterator[Offer]:
    """List the pipelines to be installed or downloaded (available.toml)."""
    table = disk.read_package_table(__file__, "available")
    for stem, sizes in table["spacy"].items():
        lang = stem.partition("_")[0]
        does = ("names",) if lang == "xx" else PARTS
        for size in sizes:
            name = f"{stem}_{size}"
            how = f"python -m spacy download {name}"
            yield Offer(name, lang, "available", "spaCy", does, how)
    apart = table["ships_apart"]
    for lang in apart["languages"]:
        yield Offer(f"{lang}_mini", lang, "available", "spaCy", PARTS, apart["how"])
    without = "" if find_spec("stanza") else f"{INSTALL}; "
    for kind in ("names", "trees"):
        does = tuple(part for part in PARTS if kind == "names" or part != "names")
        for lang in table["stanza"][kind]:
            how = without + make_download_command(lang)
            yield Offer("stanza", lang, "available", "Stanza", does, how)


def _read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file; an empty one if the file holds none."""
    try:
        found = disk.read_json(path)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}


def format_scores(meta: Mapping[str, Any]) -> str:
    """Format the scores in a pipeline's meta.json: F1 of persons, tags and trees, with the source.

    Corefmill's pipelines have a summary, others their makers' figures. "" for unknown scores.
    """
    said = _as_table(meta.get("performance"))
    if "summary" in said:
        return str(said["summary"])
    kinds = _as_table(said.get("ents_per_type"))
    person = next((_as_table(kinds[k]).get("f") for k in ("PER", "PERSON") if k in kinds), None)
    # Some pipelines of spaCy have 0 for each kind of name, and a score of all kinds together.
    found = {"PER": person} if person else {"names": said.get("ents_f") or None}
    tags = said.get("pos_acc") or said.get("tag_acc")
    shown = _join_scores({**found, "tags": tags, "LAS": said.get("dep_las")})
    return f"{shown} (by its makers)" if shown else ""


def _join_scores(scores: Mapping[str, Any]) -> str:
    known = {name: score for name, score in scores.items() if isinstance(score, int | float)}
    return ", ".join(f"{name} {100 * score:.1f}" for name, score in known.items())


def _as_table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
