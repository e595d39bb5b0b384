"""Find the templates of a page's wikitext by name, and read their fields.

The first pass over a dump only looks at the names behind `{{`; `find` parses the pages of interest.
Its time is linear in the length of any text.

What `find` understands, after MediaWiki's preprocessor:

1. `{{{parameter}}}` is not a template; of a longer run of braces the inner two or three pair first.
2. Comments, extension tags and `<includeonly>` are opaque: braces within pair with nothing outside,
   and templates within do not count.
3. A name ends at `|` or `}}`; comments, "Template:" and `subst:` are removed from it. A name with a
   template, a tag, a link or a line break within cannot be read.
4. A template that is never closed counts, for its page shows what its author meant, but has no
   fields.
5. A field is `name = value` between top-level pipes; one without a name has its number. The last
   of two equal names counts.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from corefmill.builders.wiki.markup.braces import Closers


@dataclass(frozen=True, slots=True)
class EventPage:
    """An event's article: its title, and the infobox of the table that makes it one."""

    title: str
    page_id: int
    event_type: str
    infobox: str
    fields: Mapping[str, str]


MOST_FOUND = 1000
"""Most templates that `find` returns of one page; no real page has as many wanted ones."""

LONGEST_FIELD = 10_000
"""Characters of a field's value that are kept."""

MOST_FIELDS = 1000
"""Most arguments of a template that are read."""

LONGEST_LEAD = 1 << 20
"""Most characters above the first heading that are read; MediaWiki's pages have twice as many."""

_HEADING = re.compile(r"^==", re.MULTILINE)
_DEEPEST = 1000  # openings within each other that are remembered; MediaWiki stops at 100

_OPAQUE = (
    *("nowiki", "pre", "ref", "references", "gallery", "math", "ce", "chem", "score", "timeline"),
    *("source", "syntaxhighlight", "hiero", "imagemap", "graph", "mapframe", "maplink", "poem"),
    *("templatedata", "templatestyles", "inputbox", "includeonly"),
)
_OPAQUE_START = rf"<(?:!--|(?i:({'|'.join(_OPAQUE)}))(?=[\s/>]))"
_TOKEN = re.compile(rf"\{{\{{++|\}}\}}++|{_OPAQUE_START}")
_FIELD_TOKEN = re.compile(rf"\{{\{{++|\}}\}}++|\[\[|\]\]|\||{_OPAQUE_START}")
_NAME_PART = re.compile(r"[^|{}<\[\]]{0,300}+")
_COMMENT = re.compile(r"<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)")
_MODIFIERS = ("subst:", "safesubst:", "msg:", "raw:")
_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e]")
_PREFIXES = ("template",)


@dataclass(frozen=True, slots=True)
class TemplateCall:
    """A template at `text[start:end]`, by its squeezed name; `whole` unless it is never closed."""

    name: str
    start: int
    end: int
    whole: bool = True


def squeeze(name: str, prefixes: Iterable[str] = _PREFIXES) -> str:
    """Reduce a name to the one form for comparison: lower case, no blanks or underscores.

    A namespace in front is removed; `prefixes` are its names in the language, squeezed, without
    colon. Returns "" for a parser function or a page of the main namespace.
    """
    if "&" in name:
        name = html.unescape(name)
    if not name.isascii():
        name = _MARKS.sub("", unicodedata.normalize("NFC", name))
    name = "".join(name.replace("_", " ").split()).lower()
    for modifier in _MODIFIERS:
        name = name.removeprefix(modifier)
    if ":" in name:
        before, _, after = name.partition(":")
        if before in prefixes:
            name = after
    return "" if name[:1] in ("#", ":") else name


def lead(text: str) -> str:
    """Return the wikitext above the first heading, at most `LONGEST_LEAD` characters."""
    heading = _HEADING.search(text, 0, LONGEST_LEAD)
    return text[: heading.start() if heading else LONGEST_LEAD]


def find(
    text: str, is_wanted: Callable[[str], bool], prefixes: Iterable[str] = _PREFIXES
) -> list[TemplateCall]:
    """Find the templates of `text` whose squeezed name `is_wanted`, in the order of their openings.

    Nested templates count, too; at most `MOST_FOUND` are returned.
    """
    found: list[TemplateCall] = []
    closers = Closers(text)
    # One scan with a stack: each token is looked at once, so the time is linear in the text.
    opens: list[tuple[int, str]] = []  # offset where a run of `{` ends, wanted name or ""
    widths: list[int] = []
    search = _TOKEN.search
    match = search(text)
    while match and len(found) < MOST_FOUND:
        start, end = match.span()
        if text[start] == "{":
            # Beyond the limit an opening is forgotten: it could only belong to an attack.
            if len(opens) < _DEEPEST:
                name = _name_at(text, end, prefixes)
                opens.append((end, name if name and is_wanted(name) else ""))
                widths.append(end - start)
        elif text[start] == "}":
            # A run of braces closes as many openings as it is long enough for, innermost first.
            while end - start >= 2 and opens:
                inner, name = opens.pop()
                width = widths.pop()
                braces = 3 if width >= 3 and end - start >= 3 else 2
                start += braces
                if name and braces == 2:
                    found.append(TemplateCall(name, inner - 2, start))
                if width - braces >= 2:
                    # The rest of the run opens a template whose name is computed.
                    opens.append((inner - braces, ""))
                    widths.append(width - braces)
        else:
            end = _skip(closers, match)
        match = search(text, end)
    # Templates still open were never closed, but their pages show the author's intention.
    for (inner, name), width in zip(opens, widths, strict=True):
        if name and width == 2:
            found.append(TemplateCall(name, inner - 2, inner, whole=False))
    return sorted(found[:MOST_FOUND], key=lambda template: template.start)


def fields(text: str, template: TemplateCall) -> dict[str, str]:
    """Read the arguments of a template of `text`, by their squeezed names.

    Values are wikitext without comments and the blanks around, cut at `LONGEST_FIELD` characters.
    """
    values: dict[str, str] = {}
    if not template.whole:
        return values
    number = 0
    for first, last in islice(_arguments(text, template.start + 2, template.end - 2), MOST_FIELDS):
        argument = text[first : min(last, first + 2 * LONGEST_FIELD)]
        if "<!--" in argument:
            argument = _COMMENT.sub("", argument)
        name, equals, value = argument.partition("=")
        if equals and not any(mark in name for mark in ("{{", "[[", "<")):
            key = squeeze(name, ())
        else:
            number += 1
            key, value = str(number), argument
        if key:
            values[key] = value.strip()[:LONGEST_FIELD]
    return values


def prefix_names(names: Iterable[str]) -> tuple[str, ...]:
    """Squeeze the names of the template namespace for `squeeze`, with the English name."""
    return tuple(dict.fromkeys((*_PREFIXES, *(squeeze(name, ()) for name in names))))


def chain(name: str, redirects: Mapping[str, str]) -> Iterator[str]:
    """Follow redirects from `name`, itself included; a loop ends where it closes."""
    seen = {name}
    yield name
    while (target := redirects.get(name)) is not None and target not in seen:
        seen.add(target)
        yield target
        name = target


def without_comments(text: str) -> str:
    """Remove the comments from `text`; an open one reaches to the end."""
    return _COMMENT.sub("", text) if "<!--" in text else text


def _name_at(text: str, offset: int, prefixes: Iterable[str]) -> str:
    """Read the squeezed name of a template that opens right before `offset`, "" if unreadable."""
    match = _NAME_PART.match(text, offset)
    assert match is not None
    name, end = match[0], match.end()
    while text.startswith("<!--", end):
        close = text.find("-->", end)
        if close < 0:
            return ""
        match = _NAME_PART.match(text, close + 3)
        assert match is not None
        name, end = (name + match[0])[:300], match.end()
    after = text[end : end + 2]
    name = name.strip()
    if (after and after[0] != "|" and after != "}}") or "\n" in name:
        return ""
    return squeeze(name, prefixes)


def _arguments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a template's arguments, between its top-level pipes."""
    closers = Closers(text)
    braces = brackets = 0
    first = -1  # where the current argument begins; -1 until the template's name has ended
    match = _FIELD_TOKEN.search(text, start, end)
    while match:
        token_start, token_end = match.span()
        head = text[token_start]
        if head == "|":
            # A link that is never closed would swallow all fields after it.
            if brackets and _begins_line(text, token_start):
                brackets = 0
            if not braces and not brackets:
                if first >= 0:
                    yield first, token_start
                first = token_end
        elif head == "{":
            braces += token_end - token_start
        elif head == "}":
            braces = max(0, braces - (token_end - token_start))
        elif head == "[":
            brackets += 1
        elif head == "]":
            brackets = max(0, brackets - 1)
        else:  # a comment, nowiki or the like is skipped as a whole
            token_end = min(end, _skip(closers, match))
        match = _FIELD_TOKEN.search(text, token_end, end)
    if first >= 0:
        yield first, end


def _begins_line(text: str, offset: int) -> bool:
    while offset and text[offset - 1] in " \t":
        offset -= 1
    return not offset or text[offset - 1] == "\n"


def _skip(closers: Closers, opened: re.Match[str]) -> int:
    """Find the end of a comment or tag; right behind its opening where it is never closed."""
    if opened[1] is None:
        return closers.comment(opened.end())
    return closers.tag(opened[1].lower(), opened.end())[2] or opened.end()
