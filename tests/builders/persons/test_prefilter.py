"""The prefilter leaves out nothing that can give an example, and little else passes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.persons.drafts import draft_by_paper, draft_nearest
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.prefilter import cut_at_borders, find_windows
from corefmill.builders.persons.table import load
from corefmill.corpora.records import Span
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import analysed

ENGLISH = load("en")

# By script: names of which none has all its words in another, and what stands between them (two
# names with nothing but capitals between are one run, a known limit).
SCRIPTS = {
    "latin": (
        "Ann|Élise Noé|Jean-Luc|O’Neil|Łucja|d’Artagnan|ʿAlī|E\u0301va",
        "met|and|,|in 1950|'s hat of|or Capt.|at St.|, U.S. of|--|; Then he",
    ),
    "english": (
        "Ann|Mr. Day|J. R. Fay|_Eve_|Will May|McCoy|Bob Jr.",
        "; I saw|(late)|“old”|but|, Prof.|or Mrs.|and Dr. of|...|the King of",
    ),
    "greek": ("Άννα|Γιώργος|Ὅμηρος", "είδε|και|,|τον|, Μετά το"),
    "cyrillic": ("Анна|Борис Ёлкин|Юра", "встретила|и|,|г.|; Потом он"),
    "arabic": ("أحمد|عمر علي|زيد", "التقى|مع|،|(Cairo)|ثم"),
    "hebrew": ("דוד|שרה|יוסף", "פגש|את|,|(A)|אז"),
    "georgian": ("ანა|გიორგი|ნინო", "და|ნახა|,|NATO"),
    "devanagari": ("जॉन|मैरी|राम", "ने|को|,|USA"),
}

Text = tuple[str, list[Name], list[Span]]


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """A paragraph, its names and its true sentences, each of which ends in a word of two signs
    or more."""
    names, words = (part.split("|") for part in SCRIPTS[draw(st.sampled_from(sorted(SCRIPTS)))])
    few = draw(st.lists(st.sampled_from(names), min_size=2, max_size=3, unique=True))
    text, found, sentences = "", [], []
    for _ in range(draw(st.integers(1, 4))):
        start = len(text)
        text += draw(st.sampled_from(["", "“", '"', "Now ", "now "]))
        for _ in range(draw(st.integers(1, 4))):
            name = draw(st.sampled_from(few))
            found.append(Name(len(text), len(text) + len(name), name))
            text += f"{name} {draw(st.sampled_from(words))} "
        text += draw(st.sampled_from(["went.", "went!", "went?”", "went.)", 'went."', "1950."]))
        sentences.append((start, len(text)))
        text += draw(st.sampled_from([" ", "  ", "\n"]))
    return text, found, sentences


@settings(max_examples=60, deadline=None)
@given(texts(), st.integers(1, 4))
def test_every_example_lies_inside_one_window(drawn: Text, most: int) -> None:
    text, names, sentences = drawn
    words = ENGLISH.no_names, ENGLISH.titles
    of_paper = draft_by_paper(sentences, names), find_windows(text, *words)
    of_clean = draft_nearest(sentences, names, most), find_windows(text, *words, most=most)
    for groups, found in (of_paper, of_clean):
        for start, end in (draft.span for group in groups for draft in group):
            assert any(s <= start and end <= e for s, e in found), (start, end, found)


@pytest.mark.parametrize(
    ("line", "read"),
    rows("""
        Ann met Bob in the mill. Then Ann left.  yes
        Ann met Bob in the mill before Ann left.  yes
        Άννα και Βάσος. Μετά η Άννα έφυγε.  yes
        أحمد مع عمر. ثم أحمد.  yes
        王さんは李さんに会った。  yes
        สมชายพบมาลี  yes
        ''  no
        it rained and it rained and it rained.  no
        Ann met Bob. Then Cyd left Dot in Ely.  no
        # Nobody else, or nobody else before.
        Ann left. Then Ann came. Ann left again.  no
        Ann left. Ann met Bob.  no
        # Words that are no names.
        The mill and The river and The bridge.  no
        # Too far.
        Ann met Bob in the mill. Then it rained. It was late when Ann left.  no
        أحمد مع عمر. ثم زيد.  no
        # One Latin letter made the Arabic paragraph one with capitals, and so without names.
        أحمد مع عمر في القاهرة (Cairo). ثم أحمد.  yes
        أحمد مع عمر في القاهرة (Cairo). ثم زيد.  no
    """),
)
def test_a_paragraph_with_a_repeated_name_is_read(line: str, read: bool) -> None:
    assert find_windows(line, ENGLISH.no_names) == [(0, len(line))] * read


def test_only_the_two_sentences_around_a_repetition_are_read() -> None:
    text = "It rained that day. Ann met Bob there. Then Ann left them. It was late then."
    assert [text[s:e] for s, e in find_windows(text, ENGLISH.no_names)] == [
        "Ann met Bob there. Then Ann left them. "
    ]


@pytest.mark.parametrize("name", ["ʿAlī", "E\u0301mile", "_Ann_", "É\u0301mile"])
def test_a_name_behind_or_with_a_sign_is_a_name(name: str) -> None:
    """Signs of transliteration and emphasis, and accents of their own, hid the capital."""
    assert find_windows(f"{name} met Bob in town. Then {name} left.", frozenset())
    assert find_windows(f"{name} met Bob in town. Then Cyd left.", frozenset()) == []


def test_a_titles_full_stop_ends_no_sentence() -> None:
    """ "Capt." and "Prof." cut their sentences in two."""
    line = "Ann met Bob in town. Then Capt. Cyd and (Prof. Ann) left."
    assert find_windows(line, ENGLISH.no_names, ENGLISH.titles) == [(0, len(line))]
    analysis = analysed("Ann met Bob. | Then Capt. Cyd and (Prof. Ann) left.")
    assert cut_at_borders(analysis, ENGLISH.titles) == list(analysis.sentences)


@pytest.mark.parametrize(
    "piece",
    ["A", "Aa ", "Aa Bb ", "A-", "Ann ", ".", "aaa. ", "aaa. A", "aaa.'", "aaa.' ", "'", " ", "أ "],
)
def test_many_signs_without_end_are_read_once(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    found = find_windows(text, ENGLISH.no_names, ENGLISH.titles)
    assert all(0 <= start < end <= len(text) for start, end in found)


def test_sentences_are_cut_again_at_plain_full_stops() -> None:
    analysis = analysed("It rained, said Anna. Bob left in 1950! “Who?” It was Cyd. | Dot came.")
    assert [analysis.text[s:e] for s, e in cut_at_borders(analysis)] == [
        "It rained, said Anna.",
        "Bob left in 1950!",
        "“Who?” It was Cyd.",
        "Dot came.",
    ]
    assert cut_at_borders(analysed("")) == []


@pytest.mark.parametrize(
    "line",
    [
        # No two letters, one digit, lower case follows, or no blank: no border.
        "Dr. Ann left.",
        "Ann met J. Bob of the U.S. Navy.",
        "Ann left at 5. Bob stayed.",
        "Ann said nothing. and left.",
        "Ann met them.Bob left.",
        "Elle est née. / Il le sait.",
        "»Das ist gut.« / »Warum?« / Er ging.",
        "Habló. / —Vamos. / Juan vino.",
        "« Il viendra. » / Jean se tut.",
        "Il viendra ! / Jean se tut.",
        "Tak mówią. / „Chodź.” / Ona wyszła.",
    ],
)
def test_sentences_end_behind_any_small_letter_and_mark(line: str) -> None:
    analysis = analysed(line.replace("/ ", ""))
    assert [analysis.text[s:e] for s, e in cut_at_borders(analysis)] == line.split(" / ")
