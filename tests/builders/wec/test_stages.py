"""The stages name filters that there are, and the first of them cleans no page in vain."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.wec.filters import surface, syntax
from corefmill.builders.wec.options import SURFACE, SYNTAX
from corefmill.builders.wec.stages import ReadLinkingPages
from corefmill.builders.wiki.articles import DumpSource
from tests.builders.wec.small import known
from tests.builders.wiki.dump.dump_writer import dump, page


def test_the_names_of_filters_are_those_of_functions() -> None:
    assert all(callable(getattr(surface, name)) for name in SURFACE)
    assert all(callable(getattr(syntax, name)) for name in SYNTAX)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("After the [[2002 Vesk floods]].", True),
        ("After [[Great_Vesk&nbsp;flood#Rain|it]].", True),
        ("After [[%32002 Vesk flo\u00adods |it]].", True),
        ("After [[:2002 Vesk floods<!-- so -->|it]].", True),
        ("In {{quote|[[File:a.jpg|thumb|[[2002 Vesk floods]]]]}}.", True),
        ("After [[Vesk]] and [[#Rain]] and [[File:2002 Vesk floods]] and 2002 Vesk floods.", False),
    ],
)
def test_pages_with_a_link_to_an_event_are_read(tmp_path: Path, text: str, is_read: bool) -> None:
    both = [page("A", text), page("User:B", text, extra="<ns>2</ns>")]
    (tmp_path / "small.xml").write_bytes(dump(both))
    stage = ReadLinkingPages("en", known(tmp_path))
    chunks = DumpSource([tmp_path / "small.xml"], "en").chunks()
    context = Context(0, 0)
    assert [article.title for article in stage(chunks, context)] == ["A"] * is_read
    assert context.counts["pages_cleaned"] == is_read
