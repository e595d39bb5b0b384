"""Third pass: the lines of a page, gathered into paragraphs, list items and headings."""

import re
from collections.abc import Iterator

from corefmill.builders.wiki.markup.marks import CUTS, QUOTE_CLOSE, QUOTE_OPEN
from corefmill.builders.wiki.markup.records import Kind

_BLOCK_TAG = re.compile(
    r"(?:<br\s*+/?>\s*+){2,}+"
    r"|<(?=[a-z/])(/?)(li|dt|dd|p|div|center|ul|ol|dl|hr|tr|td|th|caption|table|blockquote|poem"
    r"|h[1-6])\b[^<>]*+>",
    re.IGNORECASE,
)
_SWITCH = re.compile(r"__([^\W_]++)__")

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
    """The kind and the wikitext of each block. The lines of a paragraph stay apart."""
    if "<" in text:
        text = _BLOCK_TAG.sub(_block_tag, text)
    if "__" in text:
        text = _SWITCH.sub(lambda match: "" if match[1].isupper() else match[0], text)
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
        if lines:
            yield from _paragraph(plain, lines)
            lines = []
        if is_debris:
            continue
        if head in _BLANK:
            yield "indent", rest
        elif head in _LIST_MARKERS:
            item = line.lstrip(_LIST_MARKERS + _BLANK)
            if item:
                yield _item_kind(line[: len(line) - len(item)]), item
        elif head == "=":
            yield from _heading(line)
        elif head in _QUOTE_MARKS:
            plain = _QUOTE_MARKS[head]
        elif not line.startswith("----"):
            lines.append(line)
    if lines:
        yield from _paragraph(plain, lines)


def _paragraph(kind: Kind, lines: list[str]) -> Iterator[tuple[Kind, str]]:
    """The block of these lines; a first one that only points elsewhere stands apart."""
    first = lines[0]
    # In small letters the next line would go on with its sentence.
    may_point = len(lines) > 1 and "[[" in first and not lines[1][:1].islower()
    if may_point and kind == "prose" and _POINTER.fullmatch(first):
        yield "indent", first
        lines = lines[1:]
    yield kind, "\n".join(lines)


_SPECIAL = frozenset(["", *_BLANK, *_LIST_MARKERS, *"=|}-", QUOTE_OPEN, QUOTE_CLOSE])


def _heading(line: str) -> Iterator[tuple[Kind, str]]:
    stripped = line.rstrip(_BLANK)
    opening = len(stripped) - len(stripped.lstrip("="))
    closing = len(stripped) - len(stripped.rstrip("="))
    level = min(opening, closing, 6)
    if not level:
        yield "prose", line
    elif len(stripped) > 2 * level:
        yield "heading", stripped[level:-level]


def _item_kind(markers: str) -> Kind:
    return "list" if markers.strip(_BLANK + ":") else "indent"


def _block_tag(match: re.Match[str]) -> str:
    name = (match[2] or "").lower()
    closing = bool(match[1])
    if name in ("li", "dt", "dd"):
        return "\n" if closing else "\n* "
    if name in ("blockquote", "poem"):
        return f"\n{QUOTE_CLOSE if closing else QUOTE_OPEN}\n"
    if name[:1] == "h" and name != "hr":
        return "==\n" if closing else "\n=="
    return "\n\n"
