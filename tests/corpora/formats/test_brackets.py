"""Mentions as brackets: what is read, what is made, and what is neither."""

from __future__ import annotations

import pytest

from corefmill.corpora.formats.brackets import BracketError, Named, make, mark_mentions, parse
from corefmill.corpora.records import Document, Mention, Sentence, Token


@pytest.mark.parametrize(
    ("cells", "mentions"),
    [
        (["-", "(1)", "-"], [("1", 1, 2)]),
        (["(1", "-", "1)"], [("1", 0, 3)]),
        # a b c of {a b c} and {a} in one entity: the inner bracket closes first
        (["(1|(1)", "-", "1)"], [("1", 0, 1), ("1", 0, 3)]),
        (["(1|(1", "1)", "1)"], [("1", 0, 3), ("1", 0, 2)]),
        # two entities may cross
        (["(1", "(2|1)", "2)"], [("1", 0, 2), ("2", 1, 3)]),
        # without a bar, and in another order
        (["(1(2)", "1)"], [("2", 0, 1), ("1", 0, 2)]),
        (["(2)|(1", "1)"], [("2", 0, 1), ("1", 0, 2)]),
        # what opens in a cell does so before anything closes, as the reference scorer has it
        (["(1", "1)|(1", "1)"], [("1", 0, 3), ("1", 1, 2)]),
        # a span that is named twice is read
        (["(1)|(2)", "(3)|(3)"], [("1", 0, 1), ("2", 0, 1), ("3", 1, 2), ("3", 1, 2)]),
        (["(e5", "e5)"], [("e5", 0, 2)]),
        (["_", "", "*", "-"], []),
    ],
)
def test_reads(cells: list[str], mentions: list[Named]) -> None:
    assert parse(cells) == mentions


@pytest.mark.parametrize(
    ("cells", "message", "place"),
    [
        (["-", "1)"], r"1\) closes a mention that is not open", 1),
        (["(1", "2)"], r"2\) closes a mention that is not open", 1),
        (["-", "(1", "-"], r"\(1 is not closed in its sentence", 1),
        (["-", "1"], "'1' is not a bracket", 1),
        (["(1|"], "is not a bracket", 0),
        (["(1)||(2)"], "is not a bracket", 0),
        (["()"], "is not a bracket", 0),
        (["((1)"], "is not a bracket", 0),
        (["(1)x"], "is not a bracket", 0),
    ],
)
def test_refuses(cells: list[str], message: str, place: int) -> None:
    with pytest.raises(BracketError, match=message) as caught:
        parse(cells)
    assert caught.value.start == place


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ([("1", 0, 2), ("2", 0, 2)], r"\[0, 2\) is named twice"),
        ([("1", 0, 2), ("1", 0, 2)], r"\[0, 2\) is named twice"),
        ([("1", 0, 2), ("1", 1, 3)], r"\[1, 3\) crosses another mention of its entity"),
        ([("1", 0, 4), ("1", 0, 2), ("1", 1, 3)], r"\[1, 3\) crosses"),
    ],
)
def test_makes_no_brackets_that_would_be_read_as_others(
    mentions: list[Named], message: str
) -> None:
    with pytest.raises(BracketError, match=message):
        make(mentions, 4)


def test_a_sentence_in_brackets_nests_and_meets() -> None:
    sentences = tuple(
        Sentence(tuple(map(Token, text.split()))) for text in ("the dog of Ann", "she sleeps")
    )
    ann = (Mention(0, 3, 4), Mention(1, 0, 1))
    document = Document("d", 0, "en", sentences, (ann, (Mention(0, 0, 4), Mention(0, 0, 2))))
    assert mark_mentions(document, 0) == "[[the dog]1 of [Ann]0]1"
    assert mark_mentions(document, 1) == "[she]0 sleeps"
