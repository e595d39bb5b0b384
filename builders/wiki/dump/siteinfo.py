"""A wiki's names: its namespaces, its redirect words, the letters of its link trails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from types import MappingProxyType

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

FILE, TEMPLATE, CATEGORY = 6, 10, 14

# Every wiki understands these names besides its own; the next number is the talk namespace.
_SUBJECTS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        2: ("User",),
        4: ("Project",),
        6: ("File", "Image"),
        8: ("MediaWiki",),
        10: ("Template",),
        12: ("Help",),
        14: ("Category",),
    }
)
_TALK = {n + 1: tuple(f"{name} talk" for name in names) for n, names in _SUBJECTS.items()}
_ENGLISH = {-2: ("Media",), -1: ("Special",), 0: ("",), 1: ("Talk",), **_SUBJECTS, **_TALK}


@dataclass(frozen=True, slots=True)
class Language:
    """One entry of languages.toml, merged with the English names of every wiki."""

    code: str
    redirects: tuple[str, ...]
    """Words that begin a redirect, "#" included; case does not matter."""
    namespaces: Mapping[int, tuple[str, ...]]
    """Names and aliases of namespaces 6, 10 and 14 in this language."""
    link_trail: str
    """The letters that join a link behind them, as the inside of a regex class; "" for none."""
    capitals: Mapping[str, str]
    """First letters whose capital is not the one that Unicode gives."""


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """A dump's header, completed from languages.toml and MediaWiki's own names."""

    lang: str
    dbname: str
    case: str
    """`first-letter` if all titles begin with a capital, or `case-sensitive`."""
    namespaces: Mapping[int, tuple[str, ...]]
    """Each namespace's names, the wiki's own name first; 0 is called ""."""
    numbers: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Folded name (see `fold`) of each namespace but 0 to its number."""

    def __post_init__(self) -> None:
        numbers: dict[str, int] = {}
        # A namespace's own name goes before the alias of another one in the tables.
        for first, last in ((0, 1), (1, None)):
            for number, names in self.namespaces.items():
                for name in names[first:last]:
                    numbers.setdefault(fold(name), number)
        numbers.pop("", None)
        object.__setattr__(self, "numbers", numbers)

    def namespace(self, title: str) -> int:
        """Find the namespace's number by the prefix of `title`, 0 without one."""
        prefix, colon, _ = title.partition(":")
        return self.numbers.get(fold(prefix), 0) if colon else 0

    def for_language(self, lang: str) -> SiteInfo:
        """Return this wiki with the names of another language, if its header is wrong."""
        if lang == self.lang:
            return self
        named = _complete(language(lang).namespaces, self.namespaces)
        return SiteInfo(lang, self.dbname, self.case, named)


def fold(name: str) -> str:
    """Fold case and spaces of a namespace's name for comparison."""
    return " ".join(name.replace("_", " ").split()).casefold()


@cache
def language(code: str) -> Language:
    """Read the table of the language `code`, by default the English one.

    A code with a region or variant ("pt-br") falls back to the language ("pt").
    """
    tables = disk.read_package_table(__file__, "languages")
    entry = tables.get(code) or tables.get(code.partition("-")[0]) or {}
    english = tables["en"]
    redirects = [*entry.get("redirects", ()), *english["redirects"]]
    return Language(
        code=code,
        redirects=tuple(dict.fromkeys(redirects)),
        namespaces={
            FILE: tuple(entry.get("file", ())),
            TEMPLATE: tuple(entry.get("template", ())),
            CATEGORY: tuple(entry.get("category", ())),
        },
        link_trail=entry.get("link_trail", english["link_trail"]),
        capitals=entry.get("capitals", {}),
    )


def parse_siteinfo(header: bytes, *, path: str | PathLike[str] | None = None) -> SiteInfo:
    """Parse the header of a dump: UTF-8 bytes from `<mediawiki ...>` up to its first page.

    The language is the header's, else the one in the database's name, else English. A header
    without siteinfo, as written by some tools, is valid.

    Raises DataError, with `path`, if the header is not well-formed XML.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
    )
    try:
        root = etree.fromstring(header + b"</mediawiki>", parser)
    except etree.XMLSyntaxError as error:
        raise DataError(
            f"the header of the dump is not well-formed XML ({error.msg})",
            path=path,
            remedy="download the file again",
        ) from error
    dbname = (root.findtext(".//{*}dbname") or "").strip()
    lang = root.get("{http://www.w3.org/XML/1998/namespace}lang")
    if not lang:  # the database's name has it: "zh_yuewiki" is of zh-yue
        match = re.fullmatch(r"([a-z]{2,3}(?:_[a-z_]+?)?)(?:wiki|wikinews|wikibooks)", dbname)
        lang = match[1].replace("_", "-") if match else "en"
    own: dict[int, tuple[str, ...]] = {}
    for element in root.iterfind(".//{*}namespace"):
        key = element.get("key", "")
        if re.fullmatch(r"-?\d{1,9}", key):
            own[int(key)] = ((element.text or "").strip(),)
    return SiteInfo(
        lang=lang,
        dbname=dbname,
        case=(root.findtext(".//{*}case") or "first-letter").strip(),
        namespaces=_complete(own, language(lang).namespaces, _ENGLISH),
    )


def _complete(*sources: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Merge the names of each namespace from all `sources`, the earlier first."""
    merged: dict[int, list[str]] = {}
    for source in sources:
        for number, names in source.items():
            merged.setdefault(number, []).extend(names)
    return {number: tuple(dict.fromkeys(names)) for number, names in merged.items()}
