"""The 32 bits that titles and template names go by in the pass over a dump, however spelt."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Generic, TypeVar

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.scan.brackets import kinds, total
from corefmill.builders.wiki.articles import markup_settings
from corefmill.builders.wiki.dump.pages import normalise_title
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, SiteInfo, language
from corefmill.builders.wiki.markup.braces import cut_braces
from corefmill.builders.wiki.markup.marks import strip_marks
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN
from corefmill.builders.wiki.markup.settings import normalise_prefix

NONE = -1
"""In place of a checksum: there is no such title or name."""
_HIDDEN = -2  # there is a comment about the name

# A space that is none, a soft hyphen, a mark of direction and a combining letter begin with one of
# the bytes beyond ASCII; letters that have but one spelling do not.
_ODD = b"&%_{}\xc2\xcc\xcd\xe1\xe2\xe3\xef" + bytes(range(10)) + bytes(range(11, 32))
TITLES = kinds(ends=b"[]|#\n", odd=_ODD + b":", spaces=True)
"""For `brackets.names_at`, of what follows `[[`: what is not odd needs but its sum."""
PREFIXES = kinds(ends=b"[]|#\n:", odd=b"", spaces=False)
"""The same of what stands before a link's colon."""

# What of the odd needs no more once its prefix is known: most dashes (U+2010 to U+2027).
_USUAL = re.compile(
    rb"(?![ :])(?:[^ " + re.escape(_ODD) + rb"]| (?! |\Z)|\xe2\x80[\x90-\xa7])*+", re.DOTALL
)
_LINK = re.compile(rb"\[\[([^][|\n]*+)")
_TEMPLATE = re.compile(rb"\{\{([^|{}]{1,200}+)")
_TARGET = re.compile(r"\[\[([^][|\n]*+)")
_REACH = 2000  # bytes in which a comment or a template within a target ends
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CACHED = 1 << 17  # entries

Key = TypeVar("Key")
Value = TypeVar("Value")


def checksum(text: str) -> int:
    """The checksum of a title or a squeezed name."""
    return total(text.encode()) >> 32


def spellings(title: str, lang: str) -> Iterator[str]:
    """The title, and the same with each first letter that a wiki takes for its own."""
    yield title
    for letter in _small_letters(lang).get(title[:1], ()):
        yield letter + title[1:]


@cache
def _small_letters(lang: str) -> Mapping[str, Sequence[str]]:
    """By capital, the letters that become it."""
    special = language(lang).capitals
    found: dict[str, list[str]] = {}
    for letter in map(chr, range(sys.maxunicode + 1)):
        capital = special.get(letter, letter.upper())
        if capital != letter and len(capital) == 1:
            found.setdefault(capital, []).append(letter)
    return found


class Cache(dict[Key, Value], Generic[Key, Value]):
    """Answers of `work`, forgotten all at once when they are too many."""

    def __init__(self, work: Callable[[Key], Value]) -> None:
        self._work = work

    def __missing__(self, key: Key) -> Value:
        if len(self) >= _CACHED:
            self.clear()
        value = self[key] = self._work(key)
        return value


class Speller:
    """Brings what stands in the XML of one wiki's dump to titles and names, and their checksums."""

    def __init__(self, site: SiteInfo) -> None:
        self.namespace = site.namespaces[TEMPLATE]
        self._prefixes = templates.prefix_names(self.namespace)
        self._site = site
        self._settings = markup_settings(site)
        self._elsewhere: dict[bytes, bool] = {}
        self._titles = Cache(self._title)
        self._names = Cache(self._name)

    def squeeze(self, name: str) -> str:
        """A template's name, with or without its namespace, in the one form."""
        return templates.squeeze(name, self._prefixes)

    def redirect(self, target: str, data: bytes, start: int, end: int) -> tuple[str, str]:
        """The title and section that a redirect leads to: `target` is what its XML says, if it
        does, `data[start:end]` its text."""
        title, section = normalise_title(target, self._site)
        link = _LINK.search(data, start, end)
        if link and b"#" in link[1]:
            section = normalise_title(plain(link[1]), self._site)[1]
        return title, section

    def link(self, data: bytes, place: int, length: int, summed: int, end: int) -> int:
        """The checksum of the title that the link at `place` leads to, `NONE` where it is none of
        an article; `length` and `summed` are what `names_at` says, its page ends at `end`."""
        raw = data[place + 2 : place + 2 + length]
        if raw and b":" not in raw and _USUAL.fullmatch(raw):
            return summed
        match = _LINK.match(data, place, end)
        raw = match[1] if match else b""
        if b"&" not in raw:
            raw = raw.partition(b"#")[0]
        if b"{{" in raw or b"&lt;" in raw:
            raw = self._uncut(data[place : min(place + _REACH, end)])
        prefix, with_prefix, _ = raw.partition(b":")
        if with_prefix and self.leads_elsewhere(prefix):
            return NONE
        return total(raw) >> 32 if raw and _USUAL.fullmatch(raw) else self._titles[raw]

    def leads_elsewhere(self, prefix: bytes) -> bool:
        """Whether what stands before a link's colon is the name of something without articles."""
        known = self._elsewhere.get(prefix)
        if known is None:
            if len(self._elsewhere) >= _CACHED:
                self._elsewhere.clear()
            known = normalise_prefix(plain(prefix)) in self._settings.prefixes
            self._elsewhere[prefix] = known
        return known

    def names(self, data: bytes, start: int, end: int) -> Sequence[int]:
        """The checksums of the names after each `{{` of `data[start:end]`, rising, each once."""
        found = set(map(self._names.__getitem__, _TEMPLATE.findall(data, start, end)))
        if _HIDDEN in found:
            text = _COMMENT.sub("", plain(data[start:end]))
            raws = _TEMPLATE.findall(html.escape(text, quote=False).encode())
            found.update(map(self._names.__getitem__, raws))
        return sorted(found - {NONE, _HIDDEN})

    def _title(self, raw: bytes) -> int:
        title, _ = normalise_title(plain(raw), self._site)
        return checksum(title) if title else NONE

    def _name(self, raw: bytes) -> int:
        if b"&lt;!" in raw:
            return _HIDDEN
        name = self.squeeze(plain(raw))
        return checksum(name) if name else NONE

    def _uncut(self, raw: bytes) -> bytes:
        """A target without the comments, tags and templates that the cleaner takes out."""
        text, _ = cut_braces(plain(raw), self._settings.templates)
        match = _TARGET.match(strip_marks(text))
        return html.escape(match[1], quote=False).encode() if match else b""


def lead_end(data: bytes, start: int, end: int) -> int:
    """Where the first heading of the text `data[start:end]` begins, else where it ends."""
    heading = data.find(b"\n==", start, end)
    return end if heading < 0 else heading


def plain(raw: bytes) -> str:
    """The wikitext that a dump holds as `raw`, without soft hyphens, as the cleaner wants it."""
    return html.unescape(raw.decode(errors="replace")).replace(SOFT_HYPHEN, "")
