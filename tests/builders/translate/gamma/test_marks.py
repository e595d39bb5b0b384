"""Marks come back exactly or not at all, whatever a translator does to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.translate.gamma.marks import (
    STYLES,
    MarkedReading,
    MarkLost,
    add_marks,
    number_mentions,
    read,
)

TEXT = "The old man gave her 1 book, and Eva's dog left."
SPANS = [(0, 11), (4, 11), (17, 27), (17, 20), (33, 42), (33, 36)]
MENTIONS = number_mentions(TEXT, SPANS)
GIVEN = add_marks(TEXT, MENTIONS, STYLES[0])


def words(reading: MarkedReading | None) -> list[str]:
    """What each mention is, or why it is lost."""
    assert reading is not None
    return [
        str(span) if isinstance(span, MarkLost) else reading.text[slice(*span)]
        for span in reading.spans
    ]


def test_mentions_are_marked_in_each_other_by_numbers_that_the_text_lacks() -> None:
    assert GIVEN == (
        "<2>The <3>old man</3></2> gave <4><5>her</5> 1 book</4>, and <6><7>Eva</7>'s dog</6> left."
    )
    reading = read(GIVEN, MENTIONS)
    assert reading == MarkedReading(TEXT, tuple(SPANS))


ONE = number_mentions("He saw Eva and her dog.", [(0, 2), (7, 10), (15, 22), (15, 18)])


@pytest.mark.parametrize(
    ("translation", "text", "expected"),
    [
        ("Vide <2>Eva</2> e <3>il <4>suo</4> cane</3> <1>lui</1>.",
         "Vide Eva e il suo cane lui.", "lui Eva il suo cane|suo"),
        ("[ 1 ] Lui ［/1］ vide ( ２ ) Eva { \\ 2 } e «3»il <٤> suo </٤> cane< / 3 >.",
         "Lui vide Eva e il suo cane.", "Lui Eva il suo cane|suo"),
        ("<1>Lui</1>vide l'<2> Eva </2>, e<3>il<4>suo</4>cane</3>.",
         "Lui vide l'Eva, e il suo cane.", "Lui Eva il suo cane|suo"),
        ("<1></1> Vide <2>Eva</2> e <3> - </3> <4>suo</4> cane.",
         "Vide Eva e - suo cane.", "empty Eva empty|suo"),
        ("<1>Lui <2>vide</1> Eva</2> e <3>il <4>suo</4> cane</3>.",
         "Lui vide Eva e il suo cane.", "crossed crossed il suo cane|suo"),
        ("Lui </1>vide<1> <2>Eva</2> e <2><3>il</2> <4>suo</4> cane</3>.",
         "Lui vide Eva e il suo cane.", "crossed doubled il suo cane|suo"),
        ("<1>Lui</1> vide <2>Eva</2> e <3>il</3> <4>suo</4> cane.",
         "Lui vide Eva e il suo cane.", "Lui Eva il|moved"),
        ("<1>Lui</1> vide Eva e <3>il suo cane</3>, 9 <9>.",
         "Lui vide Eva e il suo cane, 9 <9>.", "Lui missing il suo cane|missing"),
    ],
)  # fmt: skip
def test_what_translators_do_to_marks(translation: str, text: str, expected: str) -> None:
    reading = read(translation, ONE)
    assert reading is not None
    assert reading.text == text
    first, second, third, *_ = words(reading)
    assert f"{first} {second} {third}|{words(reading)[3]}" == expected


def test_pieces_of_a_mark_in_the_text_spoil_it() -> None:
    assert read("<1>Lui</1> vide 2>Eva</2> e <3>il <4>suo</4> cane</3>.", ONE) is None


MANGLED = st.sampled_from(
    ["{mark}", "{mark}", "", "{mark}{mark}", " {mark} ", "( {inner} )", "[{inner}]", "{inner}>"]
)


@given(data=st.data())
def test_a_translator_that_mangles_marks_at_random_gives_no_wrong_span(data: st.DataObject) -> None:
    pieces, position = [], 0
    for at, letter in enumerate(GIVEN):
        if letter == "<":
            end = GIVEN.index(">", at)
            mark = data.draw(MANGLED).format(mark=GIVEN[at : end + 1], inner=GIVEN[at + 1 : end])
            digits = data.draw(st.sampled_from(["0123456789", "０１２３４５６７８９"]))
            mark = mark.translate(str.maketrans("0123456789", digits))
            pieces += GIVEN[position:at], mark
            position = end + 1
    reading = read("".join(pieces) + GIVEN[position:], MENTIONS)
    if reading is not None:
        for (start, end), span in zip(SPANS, reading.spans, strict=True):
            if not isinstance(span, MarkLost):
                found = reading.text[slice(*span)]
                assert found.replace(" ", "") == TEXT[start:end].replace(" ", "")


@pytest.mark.parametrize(
    ("translation", "text", "expected"),
    [
        ("Manda<1>mi</1> Eva.", "Mandami Eva.", "mi missing"),
        ("Manda<1>me</1><2>lo</2> ora.", "Mandamelo ora.", "me lo"),
        ("<2>Manda</2>mi <1>Eva</1>.", "Mandami Eva.", "Eva Manda"),
        ("Manda <1>mi</1> il<2>libro</2>.", "Manda mi il libro.", "mi libro"),
        ("Manda<1> mi</1> e<2>mille</2>.", "Manda mi e mille.", "mi mille"),
    ],
)
def test_an_enclitic_stays_at_its_verb(translation: str, text: str, expected: str) -> None:
    two = number_mentions("Send me it.", [(5, 7), (8, 10)])
    reading = read(translation, two, ("mi", "me", "lo"))
    assert reading is not None
    assert (reading.text, " ".join(words(reading))) == (text, expected)
