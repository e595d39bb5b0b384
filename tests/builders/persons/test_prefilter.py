"""The prefilter leaves out nothing that can give an example, and little else passes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.persons.drafts import drafts, nearest_drafts
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.prefilter import cut_at_borders, windows
from corefmill.builders.persons.table import load
from corefmill.corpora.records import Span
from tests.builders.wikicrem.passages import analysed

ENGLISH = load("en")

# By script: names of which none has all its words in another, and what stands between them (two
# names with nothing but capitals between are one run, a known limit).
SCRIPTS: dict[str, tuple[list[str], list[str]]] = {
    "latin": (
        ["Ann", "Élise Noé", "Jean-Luc", "O’Neil", "Łucja", "d’Artagnan", "ʿAlī", "E\u0301va"],
        [
            "met",
            "and",
            ",",
            "in 1950",
            "'s hat of",
            "or Capt.",
            "at St.",
            ", U.S. of",
            "--",
            "; Then he",
        ],
    ),
    "english": (
        ["Ann", "Mr. Day", "J. R. Fay", "_Eve_", "Will May", "McCoy", "Bob Jr."],
        [
            "; I saw",
            "(late)",
            "“old”",
            "but",
            ", Prof.",
            "or Mrs.",
            "and Dr. of",
            "...",
            "the King of",
        ],
    ),
    "greek": (["Άννα", "Γιώργος", "Ὅμηρος"], ["είδε", "και", ",", "τον", ", Μετά το"]),
    "cyrillic": (["Анна", "Борис Ёлкин", "Юра"], ["встретила", "и", ",", "г.", "; Потом он"]),
    "arabic": (["أحمد", "عمر علي", "زيد"], ["التقى", "مع", "،", "(Cairo)", "ثم"]),
    "hebrew": (["דוד", "שרה", "יוסף"], ["פגש", "את", ",", "(A)", "אז"]),
    "georgian": (["ანა", "გიორგი", "ნინო"], ["და", "ნახა", ",", "NATO"]),
    "devanagari": (["जॉन", "मैरी", "राम"], ["ने", "को", ",", "USA"]),
}

Text = tuple[str, list[Name], list[Span]]


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """A paragraph, its names and its true sentences, each of which ends in a word of two signs
    or more."""
    names, words = SCRIPTS[draw(st.sampled_from(sorted(SCRIPTS)))]
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


@settings(max_examples=40, deadline=None)
@given(texts())
def test_every_example_lies_inside_one_window(drawn: Text) -> None:
    text, names, sentences = drawn
    found = windows(text, ENGLISH.no_names, ENGLISH.titles)
    for group in drafts(sentences, names):
        for draft in group:
            start, end = draft.span
            assert any(s <= start and end <= e for s, e in found), (draft, found)


@settings(max_examples=40, deadline=None)
@given(texts(), st.integers(1, 4))
def test_every_example_of_clean_mode_lies_inside_one_window(drawn: Text, most: int) -> None:
    text, names, sentences = drawn
    found = windows(text, ENGLISH.no_names, ENGLISH.titles, most=most)
    for group in nearest_drafts(sentences, names, most):
        for draft in group:
            start, end = draft.span
            assert any(s <= start and end <= e for s, e in found), (draft, found)


@pytest.mark.parametrize(
    "line",
    [
        "Ann met Bob in the mill. Then Ann left.",
        "Ann met Bob in the mill before Ann left.",
        "Άννα και Βάσος. Μετά η Άννα έφυγε.",
        "أحمد مع عمر. ثم أحمد.",
        "王さんは李さんに会った。",
        "สมชายพบมาลี",
    ],
)
def test_a_paragraph_with_a_repeated_name_is_read(line: str) -> None:
    assert windows(line, ENGLISH.no_names) == [(0, len(line))]


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "it rained and it rained and it rained.",
        "Ann met Bob. Then Cyd left Dot in Ely.",
        "Ann left. Then Ann came. Ann left again.",  # nobody else
        "Ann left. Ann met Bob.",  # nobody else before
        "The mill and The river and The bridge.",  # words that are no names
        "Ann met Bob in the mill. Then it rained. It was late when Ann left.",  # too far
        "أحمد مع عمر. ثم زيد.",
    ],
)
def test_a_paragraph_without_an_example_is_not_read(line: str) -> None:
    assert windows(line, ENGLISH.no_names) == []


def test_only_the_two_sentences_around_a_repetition_are_read() -> None:
    text = "It rained that day. Ann met Bob there. Then Ann left them. It was late then."
    assert [text[s:e] for s, e in windows(text, ENGLISH.no_names)] == [
        "Ann met Bob there. Then Ann left them. "
    ]


def test_arabic_with_a_latin_word_is_read_by_all_its_words() -> None:
    """One Latin letter made the Arabic paragraph one with capitals, and so without names."""
    assert windows("أحمد مع عمر في القاهرة (Cairo). ثم أحمد.", frozenset())
    assert windows("أحمد مع عمر في القاهرة (Cairo). ثم زيد.", frozenset()) == []


@pytest.mark.parametrize("name", ["ʿAlī", "E\u0301mile", "_Ann_", "É\u0301mile"])
def test_a_name_behind_or_with_a_sign_is_a_name(name: str) -> None:
    """Signs of transliteration and emphasis, and accents of their own, hid the capital."""
    assert windows(f"{name} met Bob in town. Then {name} left.", frozenset())
    assert windows(f"{name} met Bob in town. Then Cyd left.", frozenset()) == []


def test_a_titles_full_stop_ends_no_sentence() -> None:
    """ "Capt." and "Prof." cut their sentences in two."""
    line = "Ann met Bob in town. Then Capt. Cyd and (Prof. Ann) left."
    assert windows(line, ENGLISH.no_names, ENGLISH.titles) == [(0, len(line))]
    analysis = analysed("Ann met Bob. | Then Capt. Cyd and (Prof. Ann) left.")
    assert cut_at_borders(analysis, ENGLISH.titles) == list(analysis.sentences)


@pytest.mark.parametrize(
    "piece",
    ["A", "Aa ", "Aa Bb ", "A-", "Ann ", ".", "aaa. ", "aaa. A", "aaa.'", "aaa.' ", "'", " ", "أ "],
)
def test_many_signs_without_end_are_read_once(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    found = windows(text, ENGLISH.no_names, ENGLISH.titles)
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


@pytest.mark.parametrize(
    "line",
    [
        "Dr. Ann left.",  # two letters
        "Ann met J. Bob of the U.S. Navy.",
        "Ann left at 5. Bob stayed.",  # one digit
        "Ann said nothing. and left.",  # lower case follows
        "Ann met them.Bob left.",  # no blank
    ],
)
def test_other_full_stops_cut_nothing(line: str) -> None:
    analysis = analysed(line)
    assert cut_at_borders(analysis) == [(0, len(line))]
