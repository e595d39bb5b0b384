"""The wikitext cleaner, one test a rule."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wiki.markup import CleanPage, MarkupSettings, Paragraph, clean
from corefmill.builders.wiki.markup.records import ALL
from tests.waiting import processor_seconds

ENGLISH = MarkupSettings("en", other_prefixes=frozenset({"Portal talk"}))
ITALIAN = MarkupSettings(
    "it",
    file_prefixes=frozenset({"Immagine"}),
    category_prefixes=frozenset({"Categoria"}),
    link_trail="[a-zàèéìòù]+",
)


def page(wikitext: str, wiki: MarkupSettings = ENGLISH) -> CleanPage:
    return clean(wikitext, wiki)


def only(wikitext: str, wiki: MarkupSettings = ENGLISH) -> Paragraph:
    (paragraph,) = page(wikitext, wiki).paragraphs
    return paragraph


def text(wikitext: str, wiki: MarkupSettings = ENGLISH) -> str:
    return only(wikitext, wiki).text


def links(wikitext: str, wiki: MarkupSettings = ENGLISH) -> list[tuple[str, str, str | None]]:
    found = only(wikitext, wiki)
    return [(found.text[a.start : a.end], a.target, a.section) for a in found.links]


def shapes(wikitext: str) -> str:
    """The kinds and texts of a page's paragraphs: "heading A / prose One."."""
    return " / ".join(f"{one.kind} {one.text}" for one in page(wikitext).paragraphs)


# Links


@pytest.mark.parametrize(
    ("wikitext", "anchor", "target", "section"),
    [
        ("[[Oslo|the capital]]", "the capital", "Oslo", None),
        ("[[dog|hound]]s", "hounds", "dog", None),
        ("[[New_York__City|city]]", "city", "New York City", None),
        ("[[ Oslo | a city ]]", "a city", "Oslo", None),
        ("[[Oslo#History|past]]", "past", "Oslo", "History"),
        ("[[Oslo#The_past]]", "Oslo#The_past", "Oslo", "The past"),
        ("[[#Fire|below]]", "below", "", "Fire"),
        ("[[AT&amp;T|phone firm]]", "phone firm", "AT&T", None),
        ("[[Caf%C3%A9|bar]]", "bar", "Café", None),
        ("[[Rome|''the'' city]]", "the city", "Rome", None),
        ("[[L'Aquila]]", "L'Aquila", "L'Aquila", None),
        ("[[Rome|x [the city] y]]", "x [the city] y", "Rome", None),
        ("[[Rome|a<br />b]]", "a b", "Rome", None),
        ("[[Star Trek: Picard]]", "Star Trek: Picard", "Star Trek: Picard", None),
        ("[[Mercury (planet)|]]", "Mercury", "Mercury (planet)", None),
        ("[[Paris, Texas|]]s", "Pariss", "Paris, Texas", None),
        ("[[a|b|c]]", "b|c", "a", None),
    ],
)
def test_link(wikitext: str, anchor: str, target: str, section: str | None) -> None:
    assert links(f"See {wikitext} now.") == [(anchor, target, section)]
    assert text(f"See {wikitext} now.") == f"See {anchor} now."


def test_the_blank_that_an_anchor_begins_with_is_no_part_of_it() -> None:
    assert links("See[[Oslo| a city]] now.") == [("a city", "Oslo", None)]
    assert text("See[[Oslo| a city]] now.") == "See a city now."


def test_trail_is_the_language_s_own() -> None:
    assert links("la [[citta|città]]à.", ITALIAN) == [("cittàà", "citta", None)]
    assert links("le [[caf]]és") == [("caf", "caf", None)]


def test_links_elsewhere_leave_words_but_no_link() -> None:
    elsewhere = (
        "[[:de:Berlin|there]], [[:Category:Dogs]], [[Help:Contents|help]], [[Media:a.ogg|b]]"
    )
    assert text(f"See {elsewhere}.") == "See there, Category:Dogs, help, b."
    assert links(f"See {elsewhere}.") == []


@pytest.mark.parametrize(
    "wikitext",
    [
        "One.\n\n[[de:Eins]]\n[[fr:Un]]\n\nTwo b.",
        # A file goes with nested captions, an unclosed one to the end of its line.
        "[[File:a.jpg|thumb|A [[dog|good dog]] and [[File:b.png]] {{x}} [http://e.org e]]]One."
        "\n\nTwo b.",
        "One.\n[[File:a.jpg|thumb|a [[b]] [[File:c.jpg|d\n\nTwo [[b]].",
    ],
)
def test_links_that_leave_nothing(wikitext: str) -> None:
    assert shapes(wikitext) == "prose One. / prose Two b."


def test_categories() -> None:
    found = page("Uno.\n[[Categoria:Nati_nel 1900| Rossi]]\n[[category:X]]", ITALIAN)
    assert found.categories == ["Nati nel 1900", "X"]
    assert [paragraph.text for paragraph in found.paragraphs] == ["Uno."]


# Emphasis


@pytest.mark.parametrize(
    ("wikitext", "shown", "bold", "italic"),
    [
        ("x ''y'' z", "x y z", [], ["y"]),
        ("x '''''y''''' z", "x y z", ["y"], ["y"]),
        ("x '''''y''' w'' z", "x y w z", ["y"], ["y w"]),
        ("x '''y''w''''' z", "x yw z", ["yw"], ["w"]),
        ("l'''amore'' di", "l'amore di", [], ["amore"]),
        ("d''''amore''' di", "d'amore di", ["amore"], []),
        ("x ''''''y''''' z", "x 'y z", ["y"], ["y"]),
        ("x ''y\nz", "x y z", [], ["y"]),
        ("x <i>y</i> <b>z</b>", "x y z", ["z"], ["y"]),
        ("dogs' '' x", "dogs' x", [], ["x"]),
    ],
)
def test_emphasis(wikitext: str, shown: str, bold: list[str], italic: list[str]) -> None:
    found = only(wikitext)
    assert found.text == shown
    assert [found.text[start:end] for start, end in found.bold] == bold
    assert [found.text[start:end].strip() for start, end in found.italic] == italic


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        # External links
        ("a [http://e.org/x the site] b", "a the site b"),
        ("a [http://e.org/x] b", "a b"),
        ("a [//e.org ''the'' [[site]]] b", "a the site b"),
        ("a ([http://e.org]) b", "a b"),
        ("a [sic] b", "a [sic] b"),
        # Entities and verbatim text
        ("a&nbsp;b", "a b"),
        ("1&ndash;2", "1–2"),
        ("1&#x2013;2", "1–2"),
        ("A&amp;B", "A&B"),
        ("A&amp;nbsp;B", "A&nbsp;B"),
        ("A & B; C", "A & B; C"),
        ("a &unheard; b", "a &unheard; b"),
        ("co&shy;op", "coop"),
        ("a &lt;ref&gt; b", "a <ref> b"),
        ("a<nowiki>[[b]] ''c'' {{d}} * &amp;</nowiki>", "a[[b]] ''c'' {{d}} * &"),
        ("[[dog]]<nowiki/>s", "dogs"),
        ("H<sub>2</sub>O, 10<sup>6</sup>", "H2O, 106"),
        ("a<br>b<br />c</ br>d", "a b c d"),
        ("a\x85b\u2028c", "a b c"),
        ("<ref>x</ref> a", "a"),
        ("<div class=x> a", "a"),
        ("---- a\nb", "a b"),
        ("if x<y and z>w", "if x<y and z>w"),
        ("one __NOTOC__ two", "one two"),
        ("a __b__ c", "a __b__ c"),
        ("One\n<!-- x -->\ntwo", "One two"),
        # Templates that show words
        ("the {{lang|fr|''mot''}} is", "the mot is"),
        ("the {{lang|fr|{{nowrap|a b}}}} is", "the a b is"),
        ("({{lang-de|Wort}})", "(German: Wort)"),
        ("{{nihongo|Tokyo Tower|東京タワー|x}} is", "Tokyo Tower (東京タワー, x) is"),
        ("{{convert|5|km|mi}} off", "5 kilometres (3.1 mi) off"),
        ("{{convert|5|to|10|km}} off", "5 to 10 kilometres (3.1 to 6.2 mi) off"),
        ("{{As of|2004|5}}, it", "As of May 2004, it"),
        ("one{{snd}}two", "one – two"),
        ("''Anne''{{'}}s hat", "Anne's hat"),
        ("a {{formatnum:1234}} b", "a 1,234 b"),
        ("a {{nowrap|1=x=y}} b", "a x=y b"),
        ("by {{w|Ann Lee|Ann}}, {{W|Eve}} and {{w|Bo|}}.", "by Ann, Eve and Bo."),
        ("[[a{{!}}b]] c", "b c"),
    ],
)
def test_words_that_are_shown(wikitext: str, shown: str) -> None:
    found = only(wikitext)
    assert (found.text, found.lost) == (shown, [])


# What goes


@pytest.mark.parametrize(
    "cut",
    [
        *("<ref>a {{b}} [[c]]\n\nd</ref>", "<ref name=x />", "<!-- a\n\n{{b -->"),
        *("{{cn|date=May 2010}}", "{{sfn|A|2000|p={{x}} }}"),
    ],
)
def test_notes_leave_nothing(cut: str) -> None:
    found = only(f"One{cut} two {cut}, three{cut}.")
    assert found.text == "One two, three."
    assert not found.lost


@pytest.mark.parametrize(
    "cut",
    [
        "{{Infobox a\n| b = {{c|{{d}}}}\n| e = <!-- }} -->\n}}",
        "{| class=x\n| a\n|-\n{|\n| b\n|}\n| c\n|}",
        *(":{|\n| a\n|}", "<table><tr><td>a</td></tr></table>", "<pre>\n[[\n</pre>"),
        *("<gallery>\nFile:a.jpg|b\n</gallery>", "<math>a\n_b</math>", "{{{parameter|a}}}"),
        *("<syntaxhighlight lang=c>\nx\n\n</syntaxhighlight>", "__TOC__", "| left of a row"),
        *("|}", "----", "<!-- a -->"),
    ],
)
def test_blocks_leave_nothing(cut: str) -> None:
    assert shapes(f"One.\n\n{cut}\n\nTwo.") == "prose One. / prose Two."


def test_text_after_a_box_begins_a_paragraph() -> None:
    found = only("{{Infobox a\n| b = c\n}}'''One''' is.")
    assert (found.text, found.bold, found.lost) == ("One is.", [(0, 3)], [])


def test_an_unclosed_table_reaches_to_the_next_heading() -> None:
    wikitext = "One.\n{|\n| a\n\nb\n== H ==\nTwo."
    assert shapes(wikitext) == "prose One. / heading H / prose Two."


def test_template_names() -> None:
    wikitext = "{{Infobox <!-- x -->\n film\n| a = {{b}}\n}}{{ Stub_a }}<ref>{{c}}</ref>{{{d}}}"
    assert page(wikitext).templates == ["Infobox film", "Stub a"]


def test_templates_by_language() -> None:
    assert text("a 170 {{m s.l.m.}} e", ITALIAN) == "a 170 m s.l.m. e"
    assert text("a 170 {{m s.l.m.}} e", ENGLISH) == "a 170 e"
    french = "le {{date-|1 janvier 1995}} il fit {{tmp|2|°C}} à {{unité|30 km}} de là"
    assert text(french, MarkupSettings("fr")) == "le 1 janvier 1995 il fit 2 °C à 30 km de là"


@pytest.mark.parametrize(
    ("wikitext", "shown", "lost"),
    [
        ("a {{x}} b", "a b", 1),
        ("a {{x}}, b", "a, b", 1),
        ("a, {{x}}, b", "a, b", 1),
        ("a ({{x}}) b", "a b", 1),
        ("a ({{x}}, {{y}}; b) c", "a (b) c", 2),
        ("a (b, {{x}}) c", "a (b) c", 1),
        ("a ((({{x}}))) b", "a b", 1),
        ("a {{x}}.", "a.", 1),
        ("{{x}} is b", "is b", 1),
        ("a <math>x</math> b", "a b", 1),
        ("a{{x}} b", "a b", 1),
        ("a – {{x}}", "a –", 1),
        ("{{lang|fr}} a", "a", 1),
        ("One {{two {{small|three}} four", "One two three four", 1),  # never closed
        ("One <ref name=a>two", "One two", 1),
        ("One <ref>two<ref>three</ref> four", "One four", 1),
    ],
)
def test_repairs_around_a_cut(wikitext: str, shown: str, lost: int) -> None:
    found = only(wikitext)
    assert (found.text, len(found.lost)) == (shown, lost)


# Blocks


def test_paragraphs_know_where_they_begin_in_the_clean_text_a_paragraph_a_line() -> None:
    found = page("''a'' b\n\n* c d\n== H ==\ne f").paragraphs
    clean_text = "\n".join(paragraph.text for paragraph in found)
    assert len(found) == 4
    for paragraph in found:
        start, end = paragraph.place(0, len(paragraph.text))
        assert clean_text[start:end] == paragraph.text


def test_kinds() -> None:
    wikitext = "a\n== H ==\n* b\n## c\n;d\n:e\n:*f\n g\n''h''.\n\ni\n=== K ===<!-- x -->\nj"
    assert shapes(wikitext) == (
        "prose a / heading H / list b / list c / list d / indent e / list f / indent g / indent h."
        " / prose i / heading K / prose j"
    )
    quote = "a:\n{{quote|b\n\nc|Ann Lee}}\nd"
    assert shapes(quote) == "prose a: / quote b / quote c / quote — Ann Lee / prose d"
    html = "a<div class=x>b</div><ul><li>c</li><li>d</ul><h2>H</h2>e<br><br>f"
    assert shapes(html) == ("prose a / prose b / list c / list d / heading H / prose e / prose f")


@pytest.mark.parametrize(
    "pointer",
    [
        "{{see details}} [[Vesk fleet]] and [[Vesk blockade]]",
        "''Main article: [[Vesk fleet]]''",
        "''See also [[Vesk fleet]]''.",
    ],
)
def test_a_line_that_points_elsewhere_is_no_part_of_the_paragraph_below(pointer: str) -> None:
    first, second = page(f"{pointer}\nIn May he [[leave|left]].").paragraphs
    assert (first.kind, second.kind, second.text) == ("indent", "prose", "In May he left.")


@pytest.mark.parametrize(
    "wikitext",
    [
        "[[Vesk]] is a town.\nIt grew.",
        "''[[Vesk]]'' is a play.\nIt is old.",
        "[[Vesk]], [[Derrin]] and [[Orrin]]\nwere burnt.",
        "The town\nof [[Vesk]]",
    ],
)
def test_a_line_of_a_sentence_stays_with_the_next(wikitext: str) -> None:
    assert only(wikitext).kind == "prose"


# Arbitrary and hostile markup


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
WIKIS = [ENGLISH, *map(MarkupSettings, ("de", "el", "es", "fr", "it", "nl", "pl", "pt", "ru"))]
NAMES = sorted({name.replace("*", "fr") for wiki in WIKIS for name in wiki.templates})
NUMBERS = [
    *("", ",", "-", "−", "+", ".", "0", "-0", "2", "-3", "1,5", ".5", "1e9", "٣", "²", "½", "a"),
    *("1" + "0" * 400, "-" + "9" * 15, "0.000000001"),
]
UNITS = ["km", "ft", "in", "C", "F", "acre", "to"]
ARGUMENTS = [
    *("=", "0=a", "٣=a", "1=", "9" * 300 + "=a", "e=3", "label=none", "adj=mid", "-long"),
    *("abbr=off", "order=flip", "disp=or", "sigfig=9", *NUMBERS, *UNITS),
]
MEASURES = [["convert|", "formatnum:", "val|"], NUMBERS, UNITS]


def templates(arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, values: f"{{{{{name}{'|' * (name[-1] != ':')}{'|'.join(values)}}}}}",
        st.sampled_from(NAMES) | st.builds("{}{}|{}".format, *map(st.sampled_from, MEASURES)),
        st.lists(arguments, max_size=4),
    )


TEMPLATES = templates(st.recursive(st.sampled_from(ARGUMENTS), templates))
VERBATIM = ["&nbsp;", "&amp;", "&lt;", "&#91;", "&#x27;", "&#1;", "&shy;", "<nowiki>", "</nowiki>"]


def wikitexts(tokens: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(tokens, max_size=60).map("".join)


def check_spans(page: CleanPage) -> None:
    for number, paragraph in enumerate(page.paragraphs):
        text = paragraph.text
        assert paragraph.index == number
        assert text and text == text.strip(" ") and "  " not in text
        assert not any(sign in text for sign in (*ALL, "\n", "\t", "\xa0", "\xad"))
        assert paragraph.lost == sorted(paragraph.lost)
        assert all(0 <= place <= len(text) for place in paragraph.lost)
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
@given(
    wikitexts(st.sampled_from(MARKUP + VERBATIM) | TEMPLATES),
    st.just(ENGLISH) | st.sampled_from(WIKIS),
)
def test_no_page_breaks_the_cleaner(wikitext: str, wiki: MarkupSettings) -> None:
    check_spans(clean(wikitext, wiki))


@settings(max_examples=100, deadline=None)
@given(wikitexts(st.sampled_from(MARKUP)))
def test_no_markup_is_left(wikitext: str) -> None:
    for paragraph in clean(wikitext, ENGLISH).paragraphs:
        for sign in ("{{", "}}", "[[", "]]", "'''"):
            assert sign not in paragraph.text


words = st.text(alphabet="abcdé𝒳 ", min_size=1).map(str.strip).filter(bool)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(words, st.sampled_from(["", "[", "b", "i"])), min_size=1))
def test_what_is_marked_is_what_is_found(parts: list[tuple[str, str]]) -> None:
    """Build a paragraph from known parts: text and spans come back as they were put in."""
    forms = {"": "{}", "[": "[[T|{}]]", "b": "'''{}'''", "i": "''{}''"}
    parts = [(" ".join(part.split()), form) for part, form in parts]
    (found,) = clean("x " + " ".join(forms[f].format(p) for p, f in parts), ENGLISH).paragraphs
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
    *("<!--", "<!-- -->\n", "<nowiki>", "<nowiki>[[", "<math>", "<", "<b", "<div ", "<br>"),
    "<table>",
    *("&", "&amp;", "&#", " ", "\n", "\n ", "\n|}", "\n{|", "\n* a", "\n==", "= ", "__", "__A"),
    *(" ,", "({{x}},", "( {{x}} ", "({{x}}", "<blockquote>", "<li>", "\t", "-", "%", "\x01 "),
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_time_grows_with_length_alone(hostile: str) -> None:
    """The time of 200,000 characters is far below a second; with their square it is minutes."""
    with processor_seconds(4):
        clean((hostile * 200_000)[:200_000], ENGLISH)
