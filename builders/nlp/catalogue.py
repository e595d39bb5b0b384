"""Which pipelines are installed, which ship, and which can be had and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import measured, parts, shipped
from corefmill.builders.nlp.backend import WIKI
from corefmill.builders.nlp.stanza_backend import INSTALL, listing, resources_dir, to_download
from corefmill.corpora import beside, disk
from corefmill.corpora.errors import DataError


@dataclass(frozen=True, slots=True)
class Offer:
    """A pipeline: `state` is installed, ships or available; `how` is what makes it run.

    `scores` are those of `measured.summary`.
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


def scores_of(name: str) -> str:
    """What is measured of a pipeline that is here, by its name; "" where nothing is known."""
    return next((offer.scores for offer in _here(name)), "")


def licence_of(name: str) -> str:
    """The licence of a pipeline that is here, by its name; "" where nothing is known."""
    return next((offer.licence for offer in _here(name)), "")


def _here(name: str) -> Iterator[Offer]:
    return (offer for offer in (*_shipped(), *_installed()) if offer.name == name)


def offers(lang: str | None = None) -> list[Offer]:
    """What there is, for a language or for all: first what is here, then what can be had."""
    here = [*_shipped(), *_installed(), *_downloaded()]
    known = {(offer.name, offer.lang) for offer in here}
    more = [offer for offer in _available() if (offer.name, offer.lang) not in known]
    more.append(_wiki())
    # What is for all languages serves this one too.
    return [offer for offer in (*here, *more) if lang is None or offer.lang in (lang, "xx")]


def _shipped() -> Iterator[Offer]:
    for name in shipped.names():
        folder = shipped.path(name)
        if (folder / "meta.json").is_file():
            yield _of_meta(name, _json(folder / "meta.json"), "ships")


def _installed() -> Iterator[Offer]:
    # spaCy knows them by the same entry points, and takes half a second to import.
    for name in sorted({entry.name for entry in entry_points(group="spacy_models")}):
        found = find_spec(name)
        places = list(found.submodule_search_locations or ()) if found else []
        meta: dict[str, Any] = {}
        for place in map(Path, places):
            for path in sorted(place.rglob("meta.json")):
                meta = meta or _json(path)
        yield _of_meta(name, meta, "installed")


def _of_meta(name: str, meta: dict[str, Any], state: str) -> Offer:
    found = list(meta.get("components", ()))
    return Offer(
        name=name,
        lang=str(meta.get("lang", name.partition("_")[0])),
        state=state,
        kind="spaCy",
        does=parts.does(found),
        how=f"--nlp {name}",
        version=str(meta.get("version", "")),
        licence=str(meta.get("license", "")),
        scores=measured.summary(meta),
    )


def _downloaded() -> Iterator[Offer]:
    folder = resources_dir()
    for lang in sorted(listing(folder)):
        below = folder / lang
        found = [part.name for part in sorted(below.glob("*")) if any(part.glob("*.pt"))]
        if "tokenize" in found:
            usable = find_spec("stanza") is not None
            yield Offer(
                name="stanza",
                lang=lang,
                state="installed",
                kind="Stanza",
                does=parts.does(found),
                how=f"--nlp stanza --lang {lang}" if usable else INSTALL,
            )


def _wiki() -> Offer:
    """What every language has that has a wiki."""
    how = f"build wikicrem (or wikirand, wec) --nlp {WIKI} --dump DUMP"
    return Offer(WIKI, "xx", "available", "rules", ("sentences", "names"), how)


def _available() -> Iterator[Offer]:
    table = beside.table(__file__, "available")
    for stem, sizes in table["spacy"].items():
        lang = stem.partition("_")[0]
        does = ("names",) if lang == "xx" else parts.PARTS
        for size in sizes:
            name = f"{stem}_{size}"
            how = f"python -m spacy download {name}"
            yield Offer(name, lang, "available", "spaCy", does, how)
    apart = table["ships_apart"]
    for lang in apart["languages"]:
        yield Offer(f"{lang}_mini", lang, "available", "spaCy", parts.PARTS, apart["how"])
    without = "" if find_spec("stanza") else f"{INSTALL}; "
    for kind in ("names", "trees"):
        does = tuple(part for part in parts.PARTS if kind == "names" or part != "names")
        for lang in table["stanza"][kind]:
            how = without + to_download(lang)
            yield Offer("stanza", lang, "available", "Stanza", does, how)


def _json(path: Path) -> dict[str, Any]:
    """An object in a file; an empty one where there is none."""
    try:
        found = disk.json(path)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}
