"""GAP's table: a pronoun, two names with their offsets, and which of them it means.

1. The header is `ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref URL`,
   separated by tabs, and so it is written: nothing is quoted or escaped. rows.py has the other
   forms that are read. ID, URL and (as in Kaggle's test set) the answers may be missing.
2. Offsets count Unicode code points from 0, and the string stands at its offset:
   `Zoe left. She won.` with `She` and `10` is right, with `11` an error.
3. The target is the pronoun, the candidates are A and B, each with one mention.
4. A-coref and B-coref are TRUE or FALSE, any case, or 1 or 0. A TRUE is label 0, B TRUE is label 1,
   neither is label None. Both TRUE is an error: an example has one right candidate.
5. Where A and B are the same string, the second candidate ends in ` (2)`.
6. The article's title is taken from the URL (`.../wiki/Ann_Lee` is `Ann Lee`). `meta["url"]` holds
   the URL where title and language would not make the same one again.
7. The writer needs two candidates. It takes each one's first mention, and looks for a candidate
   without one as words in the text: the first place apart from the target. A title with a line
   end, a mention that does not read as its candidate, a tab in the text: an error.
   Page, paragraph, sentences, further mentions and other meta are not carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from corefmill.corpora.formats.form import (
    find_words,
    line_format,
    make_distinct,
    masked_example,
    two_names,
    write_table,
)
from corefmill.corpora.formats.rows import Columns, Row, find_span, is_missing, text_of, truth_of
from corefmill.corpora.records import MaskedExample

HEADER = (
    *("ID", "Text", "Pronoun", "Pronoun-offset"),
    *("A", "A-offset", "A-coref"),
    *("B", "B-offset", "B-coref", "URL"),
)

_ARTICLE = re.compile(r"https?://[\w-]+\.(?:m\.)?wikipedia\.org/wiki/(.+)", re.DOTALL)
# What GAP leaves as it is in a path.
_SAFE = ";@$!*(),/:~'"
COLUMNS = Columns(HEADER, optional=("ID", "A-coref", "B-coref", "URL"))
ANSWERS = Columns(
    ("ID", "A-coref", "B-coref", "NEITHER"),
    optional=("NEITHER",),
    aliases={"A-coref": ("A",), "B-coref": ("B",)},
    bare=3,
)
"""Columns of answers alone; those of Kaggle (A, B, NEITHER) are probabilities."""


def _parse(row: Row, lang: str) -> MaskedExample:
    """Make the example of a row. Raises `ValueError` for a row against rules 2 to 4."""
    text, url = text_of(row, "Text"), "" if is_missing(row["URL"]) else text_of(row, "URL")
    target, *spans = (
        find_span(row, name, f"{name}-offset", text) for name in ("Pronoun", "A", "B")
    )
    right = [bool(truth_of(row, name)) for name in ("A-coref", "B-coref")]
    if all(right):
        raise ValueError("A-coref and B-coref are both true")
    article = _ARTICLE.fullmatch(url)
    title = unquote(article[1]).replace("_", " ") if article else ""
    return masked_example(
        str(row["ID"]),
        lang,
        text,
        target,
        make_distinct((row["A"], row["B"])),
        right.index(True) if any(right) else None,
        mentions=[(number, *span) for number, span in enumerate(spans)],
        source=title,
        meta={} if _url(title, lang) == url else {"url": url},
    )


def _url(title: str, lang: str) -> str:
    if not title:
        return ""
    return f"http://{lang}.wikipedia.org/wiki/{quote(title.replace(' ', '_'), safe=_SAFE)}"


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write the examples and return their number; raise `DataError` by rule 7."""
    return write_table(path, HEADER, examples, _make_rows)


def _make_rows(example: MaskedExample) -> Iterator[list[str]]:
    """Make the row of an example. Raises `ValueError` by rule 7."""
    two_names(example)
    start, end = example.target
    row = [example.id, example.text, example.text[start:end], str(start)]
    taken = [example.target, *((start, end) for _, start, end in example.mentions)]
    for number, name in enumerate(example.candidates):
        own = (span for candidate, *span in example.mentions if candidate == number)
        first, last = next(own, None) or find_words(example.text, name, taken) or (0, 0)
        if not last:
            raise ValueError(f"candidate {name!r} does not stand in the text")
        string = example.text[first:last]
        if name not in (string, f"{string} (2)"):
            raise ValueError(f"candidate {name!r} is {string!r} in the text")
        row += [string, str(first), "TRUE" if example.label == number else "FALSE"]
    url = example.meta.get("url")
    yield [*row, url if isinstance(url, str) else _url(example.source.title, example.lang)]


FORMAT = line_format(
    "gap",
    "GAP's table: a pronoun, two names and their offsets",
    ".tsv",
    _parse,
    write,
    columns=COLUMNS,
)
