"""The samples that ship: every page is read and cleaned, and `check` finds nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.corpora.check.checker import Checker

FOLDER = Path(__file__).parents[2] / "corpora" / "sample"


@pytest.mark.parametrize("lang", ("de", "en", "es", "fr", "it", "nl", "pl", "pt"))
def test_every_page_is_read_and_cleaned_and_redirects_lead_to_pages(lang: str) -> None:
    path = FOLDER / f"{lang}.xml"
    items = list(ReadDump(lang)(DumpSource([path], lang).chunks(), Context(0, 0)))
    assert len(items) == path.read_text(encoding="utf-8").count("<ns>0</ns>")
    articles = [item for item in items if isinstance(item, Article)]
    assert all(article.prose for article in articles)
    left = re.compile(r"\{\{|\}\}|\[\[\w+:|''|<ref|</|&\w+;|\|")
    texts = [p.text for article in articles for p in article.prose]
    assert [text for text in texts if left.search(text)] == []
    assert {article.is_person for article in articles} == {True, False, None}
    redirects = [item.target for item in items if isinstance(item, Redirect)]
    assert len(redirects) >= 5 and {*redirects} <= {article.title for article in articles}


def test_check_finds_nothing_in_the_documents() -> None:
    checker = Checker()
    assert list(checker.check([FOLDER / "documents"])) == []
    assert {path.name: n for path, n in checker.read.items()} == {
        "train.conll": 24,
        "validation.conll": 6,
    }
