"""Choose and load a pipeline: spaCy's by name or path, Stanza's by `stanza`, and by `wiki` none.

Also lists which pipelines are installed, which ship, and which can be had and how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corefmill.builders.nlp.backend import (
    PARTS,
    WIKI,
    Backend,
    parts_of,
    shipped_names,
    shipped_path,
)
from corefmill.builders.nlp.stanza_backend import (
    INSTALL,
    RESOURCES,
    StanzaPipeline,
    listing,
    resources_dir,
    to_download,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError

_BEST_FIRST = ("_trf", "_lg", "_md", "_sm")


def choose(lang: str) -> str:
    """Choose the pipeline for a language: ours if it is here, else spaCy's largest installed one.

    Ours goes first because filters and thresholds were measured with it: a corpus must not change
    because another package was installed (docs/pipelines.md). Stanza is slower by far and only
    taken by name. Raises `UsageError` that says what to install where there is none.
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
    # The smallest of spaCy's and of Stanza's that has names.
    ways: dict[str, str] = {}
    for offer in offers(lang):
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


def of_wiki(name: str, lang: str, persons: Path | None = None) -> Backend:
    """Load a pipeline for a builder of wikis: `wiki` stands for the wiki's own names.

    `persons` is the file of `known_persons`; without it words and sentences are all there is.
    """
    if name != WIKI:
        return load(name, lang)
    from corefmill.builders.nlp.wiki_backend import WikiPipeline

    return WikiPipeline(lang, persons)


def with_trees(name: str | None, lang: str) -> Backend:
    """Load a pipeline for trees without names, by name or the best for a language.

    Raises `UsageError` where there is none, or it makes no trees.
    """
    found = load(name or choose(lang), lang, names=False)
    if "trees" not in found.does:
        raise UsageError(f"{found.name} makes no trees", remedy="name another by --nlp")
    return found


@lru_cache(maxsize=1)
def load(name: str, lang: str | None = None, *, names: bool = True) -> Backend:
    """Load the pipeline of a name or path, for a language (None: the pipeline's own).

    The last one is kept: the plan of a build and a worker in the same process ask for the same.

    Raises `UsageError` where it is not there, does not fit the language or, unless `names` is
    False, recognises no names.
    """
    if name == WIKI:
        raise UsageError(
            f"--nlp {WIKI} finds names by the links of a wiki's dump, and reads no other text",
            remedy="`build wikicrem`, `build wikirand` and `build wec` take it, with a --dump;"
            " name a pipeline here",
        )
    folder = shipped_path(name) if name in shipped_names() else Path(name)
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


@dataclass(frozen=True, slots=True)
class Offer:
    """A pipeline: `state` is installed, ships or available; `how` is what makes it run.

    `scores` are those of `scores_in`.
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
    """Look up the scores of a pipeline here, "" if unknown."""
    return next((offer.scores for offer in _here(name)), "")


def licence_of(name: str) -> str:
    """Look up the licence of a pipeline here, "" if unknown."""
    return next((offer.licence for offer in _here(name)), "")


def _here(name: str) -> Iterator[Offer]:
    return (offer for offer in (*_list_shipped(), *_list_installed()) if offer.name == name)


def offers(lang: str | None = None) -> list[Offer]:
    """List the pipelines for a language or for all, those here first."""
    here = [*_list_shipped(), *_list_installed(), *_list_downloaded()]
    known = {(offer.name, offer.lang) for offer in here}
    more = [offer for offer in _available() if (offer.name, offer.lang) not in known]
    how = f"build wikicrem (or wikirand, wec) --nlp {WIKI} --dump DUMP"
    more.append(Offer(WIKI, "xx", "available", "rules", ("sentences", "names"), how))
    # What is for all languages serves this one too.
    return [offer for offer in (*here, *more) if lang is None or offer.lang in (lang, "xx")]


def _list_shipped() -> Iterator[Offer]:
    for name in shipped_names():
        folder = shipped_path(name)
        if (folder / "meta.json").is_file():
            yield _of_meta(name, _json(folder / "meta.json"), "ships")


def _list_installed() -> Iterator[Offer]:
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
        does=parts_of(found),
        how=f"--nlp {name}",
        version=str(meta.get("version", "")),
        licence=str(meta.get("license", "")),
        scores=scores_in(meta),
    )


def _list_downloaded() -> Iterator[Offer]:
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
                does=parts_of(found),
                how=f"--nlp stanza --lang {lang}" if usable else INSTALL,
            )


def _available() -> Iterator[Offer]:
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
            how = without + to_download(lang)
            yield Offer("stanza", lang, "available", "Stanza", does, how)


def _json(path: Path) -> dict[str, Any]:
    """An object in a file; an empty one where there is none."""
    try:
        found = disk.read_json(path)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}


def scores_in(meta: Mapping[str, Any]) -> str:
    """Format F1 of persons, tags and trees in percent, with its source; "" if unknown.

    Of a pipeline of ours: exact names of held-out WikiNEuRal, trees of a held-out treebank by the
    rules of CoNLL 2018. What others say of theirs is told as theirs.
    """
    said = _table(meta.get("performance"))
    if "names_f1" in said:
        names, trees = _table(said["names_f1"]), _table(said.get("trees_f1"))
        wiki = next((source for source in names if source.startswith("WikiNEuRal")), None)
        given, best = next(iter(trees.items()), ("", {}))
        person = _table(names.get(wiki)).get("PER") if wiki else None
        best = _table(best)
        shown = _scores({"PER": person, "UPOS": best.get("UPOS"), "LAS": best.get("LAS")})
        return f"{shown} (held out; names of WikiNEuRal, trees with {given} given)" if shown else ""
    kinds = _table(said.get("ents_per_type"))
    person = next((_table(kinds[k]).get("f") for k in ("PER", "PERSON") if k in kinds), None)
    # Some of spaCy's say 0 of each kind of name, and what all kinds have together.
    found = {"PER": person} if person else {"names": said.get("ents_f") or None}
    tags = said.get("pos_acc") or said.get("tag_acc")
    shown = _scores({**found, "tags": tags, "LAS": said.get("dep_las")})
    return f"{shown} (by its makers)" if shown else ""


def _scores(found: Mapping[str, Any]) -> str:
    known = {name: score for name, score in found.items() if isinstance(score, int | float)}
    return ", ".join(f"{name} {100 * score:.1f}" for name, score in known.items())


def _table(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}
