"""The wikitext cleaner on arbitrary and on hostile markup."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wiki.markup import CleanPage, MarkupSettings, clean
from corefmill.builders.wiki.markup.records import ALL
from tests.waiting import processor_seconds

SETTINGS = MarkupSettings("en")

MARKUP = [
    *("{{", "}}", "{", "}", "{{{", "}}}", "{|", "|}", "|-", "|", "[[", "]]", "[", "]", "''"),
    *("'''", "'''''", "'", "<ref>", "</ref>", "<ref/>", "<ref", ">", "<", "/>", "<!--", "-->"),
    *("<br>", "<b>", "</b>", "<div>", "<table>", "</table>", "<li>", "<math>", "</math>"),
    *("<poem>", "</poem>", "<blockquote>", "</blockquote>", "<gallery>", "</gallery>", "<h2>"),
    *("</h2>", "----", "File:", "Category:", "de:", ":", "#", "_", "%", "%41", "(", ")", ";"),
    *("__NOTOC__", "{{lang|fr|", "{{convert|1|to|2|km}}", "{{x}}", "{{!}}", "{{cn}}"),
    *("{{nowrap|", "a", "B", "é", "𝒳", "word", "1", "=", "&", "[http://e ", "\n", "\n\n", "\n* "),
    *("\n: ", "\n== ", " ==\n", "\n ", " ", "  ", "\t", "\xa0", "\r\n", ", ", ". ", " two"),
    *("\x01", "\x02", "\x03"),
]
VERBATIM = ["&nbsp;", "&amp;", "&lt;", "&#91;", "&#x27;", "&#1;", "&shy;", "<nowiki>", "</nowiki>"]


def pages(tokens: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(tokens), max_size=60).map("".join)


def check_spans(page: CleanPage) -> None:
    for number, paragraph in enumerate(page.paragraphs):
        text = paragraph.text
        assert paragraph.index == number
        assert text and text == text.strip(" ") and "  " not in text
        assert not any(sign in text for sign in (*ALL, "\n", "\t", "\xa0", "\xad"))
        assert paragraph.lost >= 0
        spans = [(link.start, link.end) for link in paragraph.links]
        for group in (spans, paragraph.bold, paragraph.italic):
            position = 0
            for start, end in group:
                assert position <= start < end <= len(text)
                position = end
        for link in paragraph.links:
            assert text[link.start : link.end].strip(" ") == text[link.start : link.end]
            assert link.target == link.target.strip() and "_" not in link.target
            assert link.target or link.section


@settings(max_examples=100, deadline=None)
@given(pages(MARKUP + VERBATIM))
def test_no_page_breaks_the_cleaner(wikitext: str) -> None:
    check_spans(clean(wikitext, SETTINGS))


@settings(max_examples=100, deadline=None)
@given(pages(MARKUP))
def test_no_markup_is_left(wikitext: str) -> None:
    for paragraph in clean(wikitext, SETTINGS).paragraphs:
        for sign in ("{{", "}}", "[[", "]]", "'''"):
            assert sign not in paragraph.text


words = st.text(alphabet="abcdé𝒳 ", min_size=1).map(str.strip).filter(bool)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(words, st.sampled_from(["", "[", "b", "i"])), min_size=1))
def test_what_is_marked_is_what_is_found(parts: list[tuple[str, str]]) -> None:
    """Build a paragraph from known parts: text and spans come back as they were put in."""
    forms = {"": "{}", "[": "[[T|{}]]", "b": "'''{}'''", "i": "''{}''"}
    parts = [(" ".join(part.split()), form) for part, form in parts]
    (found,) = clean("x " + " ".join(forms[f].format(p) for p, f in parts), SETTINGS).paragraphs
    assert found.text == "x " + " ".join(part for part, _ in parts)

    def cut(spans: list[tuple[int, int]]) -> list[str]:
        return [found.text[start:end] for start, end in spans]

    anchors = [(link.start, link.end) for link in found.links]
    assert cut(anchors) == [part for part, form in parts if form == "["]
    assert cut(found.bold) == [part for part, form in parts if form == "b"]
    assert cut(found.italic) == [part for part, form in parts if form == "i"]


HOSTILE = [
    *("{{{{[[[[", "{{", "}}", "{{a}}", "{{{a|", "{{a|{{b}}", "{{lang|fr|", "{{lang|fr|a}}", "{|\n"),
    *("[[", "]]", "[[a]]", "[[a|", "[[a|b]", "[[File:", "[[File:a|", "[[a#_", "[http://a ", "[ ]"),
    *("'''''", "''", "'''a ", "l'''a ", "a ''b\n", "<ref>", "<ref ", "<ref/>", "</ref>", "<ref"),
    *(
        "<!--",
        "<!-- -->\n",
        "<nowiki>",
        "<nowiki>[[",
        "<math>",
        "<",
        "<b",
        "<div ",
        "<br>",
        "<table>",
    ),
    *("&", "&amp;", "&#", " ", "\n", "\n ", "\n|}", "\n{|", "\n* a", "\n==", "= ", "__", "__A"),
    *(" ,", "({{x}},", "( {{x}} ", "({{x}}", "<blockquote>", "<li>", "\t", "-", "%", "\x01 "),
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_time_grows_with_length_alone(hostile: str) -> None:
    """The time of 200,000 characters is far below a second; with their square it is minutes."""
    with processor_seconds(4):
        clean((hostile * 200_000)[:200_000], SETTINGS)
