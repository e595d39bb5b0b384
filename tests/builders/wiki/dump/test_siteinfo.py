"""Names of namespaces, languages and the traps of a dump's header."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.wiki.dump import siteinfo
from corefmill.builders.wiki.dump.siteinfo import language, parse_siteinfo
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import HEADER

ENGLISH = parse_siteinfo(HEADER.encode())
TABLES = disk.read_package_table(siteinfo.__file__, "languages")


def test_the_header_is_read() -> None:
    assert (ENGLISH.lang, ENGLISH.dbname, ENGLISH.case) == ("en", "enwiki", "first-letter")
    assert ENGLISH.namespaces[4] == ("Wikipedia", "Project")
    assert ENGLISH.namespaces[6] == ("File", "Image")


def test_a_prefix_names_a_namespace() -> None:
    titles = ("File:A.jpg", "image:A.jpg", "CATEGORY :Towns", "Wikipedia:About", "Project:About")
    assert [ENGLISH.namespace(title) for title in titles] == [6, 6, 14, 4, 4]
    titles = ("User_talk:Me", "Anarchism", "Star Trek: Discovery", ":")
    assert [ENGLISH.namespace(title) for title in titles] == [3, 0, 0, 0]


def test_trap_siteinfo_names_the_wrong_language() -> None:
    site = parse_siteinfo(HEADER.encode()).for_language("it")
    assert site.lang == "it"
    assert site.namespace("Immagine:A.jpg") == site.namespace("File:A.jpg") == 6
    assert site.namespaces[14][0] == "Categoria"
    assert site.namespace("Category:A") == 14


def test_a_language_without_a_table_has_english_and_its_own_header() -> None:
    header = HEADER.replace('lang="en"', 'lang="qya"').replace(">Category<", ">Nossë<")
    site = parse_siteinfo(header.encode())
    assert site.lang == "qya"
    assert site.namespace("nossë:X") == site.namespace("Category:X") == 14
    assert language("qya").redirects == ("#REDIRECT",)
    assert language("qya").link_trail == "a-z"


@pytest.mark.parametrize(
    "header", [b"<mediawiki><siteinfo>", b"<mediawiki>&bomb;", b"<mediawiki a"]
)
def test_a_malformed_header_is_refused(header: bytes) -> None:
    with pytest.raises(DataError, match=r"x\.bz2: the header .* not well-formed"):
        parse_siteinfo(header, path="x.bz2")


@pytest.mark.parametrize("code", sorted(TABLES))
def test_every_table_is_usable(code: str) -> None:
    table = language(code)
    legal = {"redirects", "file", "template", "category", "link_trail", "capitals"}
    assert set(TABLES[code]) <= legal
    assert all(word[0] in "#＃" for word in table.redirects)
    trail = re.compile(f"[{table.link_trail}]+" if table.link_trail else "(?!)")
    assert trail.fullmatch("s") or code in ("fa", "zh")
    assert not trail.search(" ") and not trail.search("]") and not trail.search(".")
