"""The prose of a comment in Reddit's Markdown: no quotations, code, tables, lists or addresses."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_GONE = ("[deleted]", "[removed]")
_NO_PROSE = re.compile(r"(?:>|    |\t|\||#|[-*_]{3}|[-*+] |\d{1,3}[.)] )")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|(?<!\w)/?[ru]/\w+")
_MARKS = re.compile(
    r"\\(?P<kept>[\\`*_{}\[\]()#+.!^~>-])"  # escaped, so it is none
    r"|\*{1,3}|~~|`|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)"
)


def prose(body: str) -> Iterator[str]:
    """The paragraphs of a comment, each on one line; none of one that was deleted."""
    if body.strip() in _GONE:
        return
    held: list[str] = []
    for line in (*html.unescape(body).splitlines(), ""):
        if not line.strip() or _NO_PROSE.match(line):
            if held:
                yield _plain(" ".join(held))
                held = []
        else:
            held.append(line)


def _plain(text: str) -> str:
    text = _ADDRESS.sub("", _LINK.sub(r"\1", text))
    return " ".join(_MARKS.sub(lambda mark: mark["kept"] or "", text).split())
