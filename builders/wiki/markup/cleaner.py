"""The passes in order."""

import re
from collections.abc import Iterator, Mapping

from corefmill.builders.wiki.markup.braces import cut_braces
from corefmill.builders.wiki.markup.records import (
    CUT,
    CUTS,
    QUOTE_CLOSE,
    QUOTE_OPEN,
    CleanPage,
    Kind,
    Paragraph,
    strip_marks,
    without,
)
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN, render
from corefmill.builders.wiki.markup.settings import MarkupSettings, PrefixKind, normalise_prefix
from corefmill.builders.wiki.markup.variants import choose_variants, load_variants
from corefmill.corpora.words import marks_class

# Second pass: cut out tables, wiki and HTML, and links that leave no text behind.


_TABLE = re.compile(rf"\n[ \t:{CUTS}]*+(\{{\||\|\}})|<(/?)[tT][aA][bB][lL][eE]\b[^<>]*+>")
_BRACKETS = re.compile(
    r"\[\[[^][|:\n]*+(?:\|[^][]*+)?+\]\](?!\])()"  # most links: no prefix, nothing inside
    r"|\[\[(?:([^][|:\n]{0,80}+):)?"
    r"|\]\](?!\](?!\]))"  # of three brackets the last two
)


def cut_tables(text: str) -> str:
    """Remove tables from a page's wikitext. One never closed reaches to the next heading."""
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
    """Append the cut [start, end) to `cuts`, in place of the cuts inside it."""
    while cuts and cuts[-1][0] >= start:
        cuts.pop()
    cuts.append((start, end))


def _outermost(cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge overlapping cuts, so that they are disjoint and in order."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(cuts):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def cut_links(text: str, prefixes: Mapping[str, PrefixKind]) -> tuple[str, list[str]]:
    """Remove links to files, categories and other languages; return text and category names."""
    cuts: list[tuple[int, int]] = []
    categories: list[str] = []
    opens: list[tuple[int, PrefixKind | None]] = []
    for match in _BRACKETS.finditer(text):
        if match.lastindex == 1:
            continue
        if match[0] != "]]":
            kind = prefixes.get(normalise_prefix(match[2])) if match[2] else None
            opens.append((match.start(), None if kind == "other" else kind))
        elif opens:
            start, kind = opens.pop()
            if kind:
                _swallow(cuts, start, match.end())
                if kind == "category":
                    name = text[start + 2 : match.end() - 2].partition(":")[2].partition("|")[0]
                    categories.append(" ".join(name.replace("_", " ").split()))
    end = 0
    for start, kind in opens:
        if kind and start >= end:  # never closed: gone to the end of its line
            end = text.find("\n", start)
            end = end if end >= 0 else len(text)
            cuts.append((start, end))
    if not cuts:
        return text, categories
    return without(text, _outermost(cuts) if end else cuts, CUT), categories


# Third pass: the lines of a page, gathered into paragraphs, list items and headings.


_BLOCK_TAG = re.compile(
    r"<(?:(?=[a-z/])(/?)(li|dt|dd|p|div|center|ul|ol|dl|hr|tr|td|th|caption|table|blockquote|poem"
    r"|h[1-6])\b[^<>]*+>[ \t]*+"  # a blank behind it indents nothing
    r"|/?\s*+br[\s/]*+>(?:\s*+</?\s*+br[\s/]*+>)++\s*+)",
    re.IGNORECASE,
)
# A behaviour switch or several, perhaps between the wide underscores of East Asian keyboards, and
# the blanks behind: __NOTOC__, __KEIN_INHALTSVERZEICHNIS__, ＿＿目次非表示＿＿.
_SIGN = rf"(?:[^\W_]|[{marks_class()}])"
_SWITCH = re.compile(rf"(?:(?:__|＿＿){_SIGN}++(?:_{_SIGN}++)*+(?:__|＿＿))++[ \t]*+")

# A line of links with no more than a short word between, after a template ("{{details}} [[A]] and
# [[B]]") or with none, or one in italics that says a few words before its links.
_LINKS = r"\[\[[^\[\]\n]++\]\](?:[\s,;/&]*+(?:\w{1,3}\s++)?\[\[[^\[\]\n]++\]\])*+"
_POINTER = re.compile(
    rf"[\s{CUTS}:]*+(?:'{{2,3}}+)?{_LINKS}[\s.']*+"
    rf"|[\s{CUTS}]*+''[^\W\d_][^\[\]'\n]{{3,60}}+[':\s]*+{_LINKS}[\s.']*+"
)

_LIST_MARKERS = "*#;:"
_BLANK = " \t" + CUTS
_QUOTE_MARKS: dict[str, Kind] = {QUOTE_OPEN: "quote", QUOTE_CLOSE: "prose"}
"""What kind the plain lines behind each of them are."""


def blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """Split a page into blocks: kind and wikitext. The lines of a paragraph stay apart."""
    if "<" in text:
        text = _BLOCK_TAG.sub(_block_tag, text)
    if "__" in text or "＿＿" in text:
        text = _SWITCH.sub(_switch, text)
    # Plain lines, by far the most, are told by their first character alone, and gathered until a
    # line of another kind comes.
    plain: Kind = "prose"
    lines: list[str] = []
    for line in text.split("\n"):
        head = line[:1]
        if head not in _SPECIAL:
            lines.append(line)
            continue
        rest = line.lstrip(_BLANK) if head in _BLANK else line
        is_debris = rest[:1] in ("", "|", "}")  # nothing, or a row left of a table or template
        if head in _BLANK and not is_debris and (lines or head in CUTS):
            # MediaWiki shows a line led by a space apart and as it is typed, but here the space
            # comes from what was cut, or stands within a paragraph by accident.
            lines.append(line)
            continue
        # Here the paragraph has ended, and the line is one by itself or none at all.
        if lines:
            yield from _paragraph(plain, lines)
            lines = []
        if is_debris:
            continue
        if head in _BLANK:
            yield "indent", rest
        elif head in _LIST_MARKERS:
            # Colons alone indent a line, as on discussion pages; any other marker makes an item.
            item = line.lstrip(_LIST_MARKERS + _BLANK)
            if item:
                markers = line[: len(line) - len(item)]
                yield "list" if markers.strip(_BLANK + ":") else "indent", item
        elif head == "=":
            yield from _heading(line)
        elif head in _QUOTE_MARKS:
            plain = _QUOTE_MARKS[head]
        elif rest := line.lstrip("-").strip(_BLANK) if line.startswith("----") else line:
            lines.append(rest)  # words behind a rule are a paragraph
    if lines:
        yield from _paragraph(plain, lines)


def _paragraph(kind: Kind, lines: list[str]) -> Iterator[tuple[Kind, str]]:
    """Yield the block of these lines; a first one that points elsewhere stands apart."""
    first = lines[0]
    # In small letters the next line would go on with its sentence.
    may_point = len(lines) > 1 and "[[" in first and not lines[1][:1].islower()
    if may_point and kind == "prose" and _POINTER.fullmatch(first):
        yield "indent", first
        lines = lines[1:]
    yield kind, "\n".join(lines)


_SPECIAL = frozenset(["", *_BLANK, *_LIST_MARKERS, *"=|}-", QUOTE_OPEN, QUOTE_CLOSE])


def _heading(line: str) -> Iterator[tuple[Kind, str]]:
    """Yield the block of a heading; a line without closing signs is prose."""
    stripped = line.rstrip(_BLANK)
    opening = len(stripped) - len(stripped.lstrip("="))
    closing = len(stripped) - len(stripped.rstrip("="))
    level = min(opening, closing, 6)
    if not level:
        yield "prose", line
    elif len(stripped) > 2 * level:
        yield "heading", stripped[level:-level]


def _switch(match: re.Match[str]) -> str:
    """Remove a behaviour switch; leave words that only look like one.

    It has no small letter, unless it is alone on its line, and is no number. One blank stays.
    """
    text, (start, end) = match.string, match.span()
    before, after = text[start - 1 : start], text[end : end + 1]
    is_alone = before in ("", "\n") and after in ("", "\n")
    word = match[0].strip(" \t_＿")
    if word.isdecimal() or (not is_alone and any(char != char.title() for char in word)):
        return match[0]
    return " " if match[0][-1] in " \t" and before not in ("", "\n", " ") else ""


def _block_tag(match: re.Match[str]) -> str:
    """Replace a block tag of HTML by the wikitext for the same break, item or heading."""
    name = (match[2] or "").lower()
    closing = bool(match[1])
    if name in ("li", "dt", "dd"):
        return "\n" if closing else "\n* "
    if name in ("blockquote", "poem"):
        return f"\n{QUOTE_CLOSE if closing else QUOTE_OPEN}\n"
    if name[:1] == "h" and name != "hr":
        return "==\n" if closing else "\n=="
    return "\n\n"


# Twice the bytes that MediaWiki takes for a page. What is longer is no page but an accident or
# an attack, and is cleaned slice by slice so that it needs no more memory than a page.
SLICE = 4 * 2**20


def clean(wikitext: str, settings: MarkupSettings) -> CleanPage:
    """Clean the wikitext of a page: plain paragraphs, categories and template names."""
    page = CleanPage([], [], [])
    for blank in "\x85\u2028\u2029":
        wikitext = wikitext.replace(blank, " ")
    if "\r" in wikitext:
        wikitext = wikitext.replace("\r\n", "\n").replace("\r", "\n")
    wikitext = strip_marks(wikitext).replace(SOFT_HYPHEN, "")
    heading = ""
    start = 0
    while start < len(wikitext):
        end = len(wikitext)
        if end - start > SLICE:
            newline = wikitext.rfind("\n", start, start + SLICE)
            end = newline + 1 if newline > start else start + SLICE
        heading = _clean_slice(wikitext[start:end], settings, page, heading)
        start = end
    return page


def _clean_slice(wikitext: str, settings: MarkupSettings, page: CleanPage, heading: str) -> str:
    """Add the blocks of `wikitext` to `page`; return its last heading."""
    if "-{" in wikitext and (variants := load_variants(settings.lang)):
        wikitext = choose_variants(wikitext, variants)
    text, templates = cut_braces(wikitext, settings.templates)
    text, categories = cut_links(cut_tables(text), settings.prefixes)
    page.templates.extend(templates)
    page.categories.extend(categories)
    paragraphs = page.paragraphs
    for kind, block in blocks(text):
        clean_text, links, bold, italic, lost = render(block, settings)
        if not clean_text:
            continue
        if kind == "heading":
            heading = clean_text
        elif (
            kind == "prose"
            and len(italic) == 1
            and italic[0][0] == 0
            and italic[0][1] >= len(clean_text.rstrip(".")) > 0
        ):
            kind = "indent"  # a hatnote: all but the last full stop is in italics
        index = len(paragraphs)
        start = paragraphs[-1].start + len(paragraphs[-1].text) + 1 if paragraphs else 0
        paragraphs.append(
            Paragraph(clean_text, kind, index, heading, links, bold, italic, lost, start)
        )
    return heading
