"""Every page of the hand-written samples is read and cleaned."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump

FOLDER = Path(__file__).parents[2] / "corpora" / "sample"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_page_is_read_and_cleaned(lang: str) -> None:
    path = FOLDER / f"{lang}.xml"
    items = list(ReadDump(lang)(DumpSource([path], lang).chunks(), Context(0, 0)))
    assert len(items) == path.read_text(encoding="utf-8").count("<ns>0</ns>")
    articles = [item for item in items if isinstance(item, Article)]
    assert all(article.prose for article in articles)
    left = re.compile(r"\{\{|\}\}|\[\[\w+:|''|<ref|</|&\w+;|\|")
    texts = [p.text for article in articles for p in article.prose]
    assert [text for text in texts if left.search(text)] == []
    assert {article.is_person for article in articles} == {True, False, None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_redirects_lead_to_pages(lang: str) -> None:
    path = FOLDER / f"{lang}.xml"
    items = list(ReadDump(lang)(DumpSource([path], lang).chunks(), Context(0, 0)))
    titles = {item.title for item in items if isinstance(item, Article)}
    redirects = [item for item in items if isinstance(item, Redirect)]
    assert len(redirects) >= 5 and {item.target for item in redirects} <= titles
