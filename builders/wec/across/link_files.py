"""What says that articles of several Wikipedias are of one thing: the files of `--links`.

1. `langlinks` as Wikimedia publishes it: from a page's number to the title of the same article in
   another language.
2. `page_props` as Wikimedia publishes it: the Wikidata item of a page's number, the property
   `wikibase_item`.
3. Tab-separated lines of language, title and item, `it<TAB>Terremoto di Messina<TAB>Q12345`, plain
   or packed. The language may be the wiki's name (itwiki), the item an address that ends in it, the
   title written with underscores. A first line of these three words is a heading. Lines of other
   languages are passed over.

The first two are of one wiki, since they have numbers of its pages: the one that the user names
(`it=FILE`), else the one of the file's own head, else of its name (itwiki-latest-langlinks.sql.gz).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from corefmill.builders.wiki.dump import sql
from corefmill.builders.wiki.dump.download import database
from corefmill.builders.wiki.dump.sql import SqlTable
from corefmill.corpora.errors import DataError, UsageError

_LONGEST = 1 << 16  # bytes of a line of a TSV: a title has 255 at most
_HEADING = ({"language", "lang", "wiki"}, {"title"}, {"item", "qid"})
_ITEM = re.compile(r"(?:[^\s]{0,200}/)?[Qq]([1-9][0-9]{0,17})")
_ITEM_PROPERTY = b"wikibase_item"


@dataclass(frozen=True, slots=True)
class LinkFile:
    """A file of `--links`; `lang` is the language that the user names it for, if any."""

    path: Path
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleItem:
    """An article, by its page's number or by its title, and its Wikidata item, 76 for Q76."""

    lang: str
    article: int | str
    item: int


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """A page's number, and the title of the same article in another language."""

    lang: str
    page_id: int
    other: str
    title: str


Statement: TypeAlias = ArticleItem | LanguageLink


def read(
    file: LinkFile, langs: Sequence[str], page_ids: Mapping[str, Container[int]]
) -> Iterator[Statement]:
    """What a file says of the pages of `page_ids` (by language), or of titles in `langs`.

    Raises `DataError` naming file and line for what cannot be read, `UsageError` for a table of
    which nobody says whose it is, or that is of another language.
    """
    if not sql.is_sql(file.path):
        if file.lang is not None:
            raise UsageError(
                f"--links {file.lang}=: a list of titles and items says the language in each line",
                path=file.path,
                remedy="give it without the language",
            )
        yield from _of_lines(file.path, langs)
        return
    table = sql.open_table(file.path)
    lang = _language(file, table, langs)
    if table.name == "langlinks":
        yield from _of_langlinks(table, lang, langs, page_ids[lang])
    else:
        yield from _of_page_props(table, lang, page_ids[lang])


def wiki_of(name: str, langs: Collection[str]) -> str | None:
    """The language whose wiki a file's name begins with: itwiki-latest-langlinks.sql.gz."""
    wiki = re.split(r"[-.]", name, maxsplit=1)[0]
    return next((lang for lang in langs if database(lang) == wiki), None)


def _language(file: LinkFile, table: SqlTable, langs: Sequence[str]) -> str:
    if file.lang is not None:
        return file.lang
    own = next((lang for lang in langs if database(lang) == table.database), None)
    found = own if table.database else wiki_of(file.path.name, langs)
    if found is None:
        whose = f"of {table.database}" if table.database else "of a wiki that it does not name"
        raise UsageError(
            f"{table.name} {whose}, and --lang has {', '.join(langs)}",
            path=file.path,
            remedy=f"--links {langs[0]}=FILE says whose it is; or leave it out",
        )
    return found


def _of_langlinks(
    table: SqlTable, lang: str, langs: Sequence[str], page_ids: Container[int]
) -> Iterator[LanguageLink]:
    others = {other.replace("_", "-").encode(): other for other in langs if other != lang}
    for page, other, title in table.rows("ll_from", "ll_lang", "ll_title"):
        if other in others and (page_id := _number(page)) in page_ids:
            named = titled(title.decode("utf-8", "replace"))
            yield LanguageLink(lang, page_id, others[other], named)


def _of_page_props(table: SqlTable, lang: str, page_ids: Container[int]) -> Iterator[ArticleItem]:
    for page, name, value in table.rows("pp_page", "pp_propname", "pp_value"):
        if name == _ITEM_PROPERTY and (page_id := _number(page)) in page_ids:
            found = _ITEM.fullmatch(value.decode("utf-8", "replace"))
            if found is not None:  # anything may have been saved as a property
                yield ArticleItem(lang, page_id, int(found[1]))


def _number(digits: bytes) -> int:
    """A page's number; -1, which no page has, for what is none."""
    return int(digits) if len(digits) < 19 and digits.isdigit() else -1


def _of_lines(path: Path, langs: Sequence[str]) -> Iterator[ArticleItem]:
    known = {name: lang for lang in langs for name in (database(lang), lang)}
    for number, raw in sql.packed_lines(path, _LONGEST):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(
                f"not UTF-8 at byte {error.start + 1} of the line", path=path, line=number
            ) from None
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t", 3)]
        if number == 1 and _is_heading(cells):
            continue
        found = _ITEM.fullmatch(cells[-1])
        if len(cells) != 3 or not cells[1] or found is None:
            raise DataError(
                "not a language, a title and a Wikidata item such as Q123",
                path=path,
                line=number,
                remedy="separate them by tabs; an SQL dump begins with a comment or CREATE TABLE",
            )
        if cells[0] in known:
            yield ArticleItem(known[cells[0]], titled(cells[1]), int(found[1]))


def _is_heading(cells: Sequence[str]) -> bool:
    return len(cells) == len(_HEADING) and all(
        cell.casefold() in names for cell, names in zip(cells, _HEADING, strict=True)
    )


def titled(written: str) -> str:
    """A title as the wiki shows it."""
    return " ".join(written.replace("_", " ").split())
