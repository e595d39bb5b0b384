"""Words in several variants, behaviour switches, breaks, and tags of extensions."""

import pytest

from corefmill.builders.wiki.markup import MarkupSettings, Paragraph, clean
from tests.waiting import processor_seconds


def only(wikitext: str, lang: str) -> Paragraph:
    (paragraph,) = clean(wikitext, MarkupSettings(lang)).paragraphs
    return paragraph


@pytest.mark.parametrize(
    ("lang", "wikitext", "shown", "lost"),
    [
        ("zh", "在-{zh-hans:信息;zh-hant:資訊}-里", "在信息里", 0),
        ("zh", "在-{zh-hant:資訊;zh-hans:信息;}-里", "在信息里", 0),
        ("zh", "在-{ zh-tw : 資訊 ;\n zh-hk : 信息 }-里", "在資訊里", 0),
        ("zh", "在-{zh-CN:a; zh-TW:b}-里", "在a里", 0),
        ("zh", "在-{A|zh-cn:a;zh-tw:b}-里", "在a里", 0),
        ("zh", "在-{T;A|zh-cn:a;zh-tw:b}-里", "在a里", 0),
        ("zh", "在-{zh-hans;zh-hant|乾}-里", "在乾里", 0),
        ("zh", "在-{R|zh:a}-里", "在zh:a里", 0),
        ("zh", "在-{a:b;c}-里", "在a:b;c里", 0),
        ("zh", "在-{}-里", "在里", 0),
        ("zh", "在-{zh-hans:;zh-hant:b}-里", "在里", 0),
        ("zh", "-{H|zh-cn:a;zh-tw:b}-\n-{T|zh-cn:a;zh-tw:b}-\n在里", "在里", 0),
        ("zh", "x -{-|zh-cn:a;zh-tw:b}- y -{+|zh-cn:a}- z", "x y z", 0),
        ("zh", "在-{D|zh-cn:a;zh-tw:b}-里-{N|zh-tw}-边", "在里边", 2),
        ("zh", "在-{b=>zh-cn:a; c=>zh-tw:b}-里", "在a里", 0),
        ("zh", "在-{zh-cn:-{zh-tw:x;zh-cn:y}-a;zh-tw:b}-里", "在ya里", 0),
        ("zh", "在-{[[a|b]]}-里", "在b里", 0),
        ("zh", "[[-{zh-cn:a;zh-tw:b}-|-{zh-tw:b;zh-cn:c}-]]里", "c里", 0),
        ("zh", "在-{zh-cn:{{lang|en|a;b}};zh-tw:c}-里", "在a;b里", 0),
        ("zh", "{{lang|zh|-{A|zh-cn:a;zh-tw:b}-}}里", "a里", 0),
        ("zh", "在-{{lang|en|a}}里-{{{lang|en|b}}}-边", "在-a里b边", 0),
        ("zh", "在-{zh-cn:{{x}};zh-tw:b}-里", "在里", 1),
        ("zh", "<nowiki>-{a}-</nowiki><!-- -{ -->在", "-{a}-在", 0),
        ("zh", "在-{里", "在里", 1),
        ("sr", "у-{sr-el:a; sr-ec:б}-", "уб", 0),
        ("kk", "-{kk-arab:ب;kk-cyrl:б}-", "б", 0),
        ("uz", "-{uz-cyrl:б;uz-latn:b}-", "b", 0),
        ("iu", "-{ike-latn:a;ike-cans:ᐊ}-", "ᐊ", 0),
        ("ku", "-{ku-arab:ب;ku-latn:b}-", "b", 0),
        ("gan", "-{gan-hant:資;gan-hans:资}-", "资", 0),
        ("crh", "-{crh-cyrl:б;crh-latn:b}-", "b", 0),
        # Elsewhere it is no markup, but chemistry.
        ("en", "N-{4-[a]}-b", "N-{4-[a]}-b", 0),
    ],
)
def test_one_of_the_variants_stays(lang: str, wikitext: str, shown: str, lost: int) -> None:
    found = only(wikitext, lang)
    assert (found.text, len(found.lost)) == (shown, lost)


@pytest.mark.parametrize("hostile", ["-{", "}-", "-{a", "-{;", "-{=>", "-{A|zh-cn:a;=>", "-{{"])
def test_time_grows_with_length_alone(hostile: str) -> None:
    with processor_seconds(4):
        clean((hostile * 200_000)[:200_000] + "}-" * 50_000, MarkupSettings("zh"))


@pytest.mark.parametrize(
    "switch",
    [
        *("__NOTOC__", "__NO_TOC__", "__KEIN_INHALTSVERZEICHNIS__", "__SIN_TDC__"),
        *(
            "__БЕЗ_СОДЕРЖАНИЯ__",
            "__目次非表示__",
            "＿＿目次非表示＿＿",
            "__목차숨김__",
            "__无目录__",
        ),
        *("__ללא_תוכן_עניינים__", "__لا_فهرس__", "__بی‌فهرست__", "__विषयसूची_नहीं__", "__სარჩევი__"),
        *("__İÇİNDEKİLERYOK__", "__NOTOC____NOEDITSECTION__"),
    ],
)
def test_a_switch_leaves_nothing(switch: str) -> None:
    for wikitext in ("{} One two.", "{}\nOne two.", "One {} two.", "One two.{}", "One{} two."):
        found = only(wikitext.format(switch), "en")
        assert (found.text, found.kind, found.lost) == ("One two.", "prose", [])
    assert only(f"{switch.lower()}\n\nOne.", "en").text == "One."


@pytest.mark.parametrize("words", ["a __init__ b", "a ______ b", "__12__ b", "a__b c__d"])
def test_other_underscores_stay(words: str) -> None:
    assert only(words, "en").text == words


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("one</br>two</BR >three", "one two three"),
        ("one<br/ >two<br\\>three<br.>four<\\br>five", "one two three four five"),
        ("one<br clear=all/>two<BR\t/>three", "one two three"),
        ("one <section>two [[three]]</section>.", "one two three."),
        ('<section begin="x" />one<section end=x/> two', "one two"),
        ("one <foo>two ''three''</foo>.", "one two three."),
        ("one <foo a='b' c=\"d&e\">two</FOO >.", "one two."),
        ("one <foo-bar:x/> two<foo />.", "one two."),
        ("<langconvert>one</langconvert> <scherzo>two</scherzo>", "one two"),
        ("one<wbr>two <wbr/>three", "onetwo three"),
        ("if x<y and z>w, <3 or <x>", "if x<y and z>w, <3 or <x>"),
        ("a<y [[c]] ''d''>e", "a<y c d>e"),
    ],
)
def test_tags(wikitext: str, shown: str) -> None:
    found = only(wikitext, "en")
    assert (found.text, found.lost) == (shown, [])
