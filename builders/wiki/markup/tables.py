"""Second pass: cut out tables, wiki and HTML, and links that leave no text behind."""

import re
from collections.abc import Mapping

from corefmill.builders.wiki.markup.marks import CUT, CUTS
from corefmill.builders.wiki.markup.settings import PrefixKind, normalise_prefix
from corefmill.builders.wiki.markup.spans import without

_TABLE = re.compile(rf"\n[ \t:{CUTS}]*+(\{{\||\|\}})|<(/?)[tT][aA][bB][lL][eE]\b[^<>]*+>")
_BRACKETS = re.compile(
    r"\[\[[^][|:\n]*+(?:\|[^][]*+)?+\]\](?!\])()"  # most links: no prefix, nothing inside
    r"|\[\[(?:([^][|:\n]{0,80}+):)?"
    r"|\]\](?!\](?!\]))"  # of three brackets the last two
)


def cut_tables(text: str) -> str:
    """`text` without its outermost tables. One never closed reaches to the next heading."""
    if "{|" not in text and "<table" not in text and "<TABLE" not in text:
        return text
    text = "\n" + text
    cuts: list[tuple[int, int]] = []
    opens: list[int] = []
    for match in _TABLE.finditer(text):
        if match[1] == "{|" or match[2] == "":
            opens.append(match.start())
        elif opens:
            _swallow(cuts, opens.pop(), match.end())
    end = 0
    for start in opens:  # none of these lies inside another's closed table
        if start >= end:
            heading = text.find("\n==", start)
            end = heading if heading >= 0 else len(text)
            cuts.append((start, end))
    return without(text, _outermost(cuts) if opens else cuts, "\n")


def _swallow(cuts: list[tuple[int, int]], start: int, end: int) -> None:
    """Append [start, end) in place of the cuts inside it."""
    while cuts and cuts[-1][0] >= start:
        cuts.pop()
    cuts.append((start, end))


def _outermost(cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(cuts):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def cut_links(text: str, prefixes: Mapping[str, PrefixKind]) -> tuple[str, list[str]]:
    """`text` without links to files, categories and other languages; the categories' names."""
    cuts: list[tuple[int, int]] = []
    categories: list[str] = []
    opens: list[tuple[int, PrefixKind | None]] = []
    for match in _BRACKETS.finditer(text):
        if match.lastindex == 1:
            continue
        if match[0] != "]]":
            prefix = match[2]
            opens.append((match.start(), _kind(prefix, prefixes) if prefix else None))
        elif opens:
            start, kind = opens.pop()
            if kind:
                _swallow(cuts, start, match.end())
                if kind == "category":
                    categories.append(_category(text, start, match.end()))
    end = 0
    for start, kind in opens:
        if kind and start >= end:  # never closed: gone to the end of its line
            end = text.find("\n", start)
            end = end if end >= 0 else len(text)
            cuts.append((start, end))
    if not cuts:
        return text, categories
    return without(text, _outermost(cuts) if end else cuts, CUT), categories


def _kind(prefix: str, prefixes: Mapping[str, PrefixKind]) -> PrefixKind | None:
    kind = prefixes.get(normalise_prefix(prefix))
    return None if kind == "other" else kind


def _category(text: str, start: int, end: int) -> str:
    name = text[start + 2 : end - 2].partition(":")[2].partition("|")[0]
    return " ".join(name.replace("_", " ").split())
