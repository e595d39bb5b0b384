from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from corefmill.corpora.records import Token
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.rule import KeyedMention, Utterance, Written, text


@pytest.mark.parametrize(
    ("mentions", "written"),
    [
        ((KeyedMention("1", 1, 1),), ()),
        ((KeyedMention("1", 0, 3),), ()),
        ((), (Written(0, 1, "a"),)),
        ((), (Written(0, 3, "abc"),)),
        ((), (Written(0, 2, "ab"), Written(1, 2, "b"))),
    ],
)
def test_what_lies_outside_is_refused(
    mentions: tuple[KeyedMention, ...], written: tuple[Written, ...]
) -> None:
    with pytest.raises(ValueError, match=r"Mention|Written"):
        Utterance((Token("a"), Token("b")), mentions, written)


# del mio padre: di + il, mio, padre
WORDS = (
    *(Token("di", head=4, space_after=False), Token("il", head=4)),
    *(Token("mio", head=4), Token("padre", head=0)),
)


def given(*mentions: KeyedMention, form: str = "del") -> Utterance:
    return Utterance(WORDS, mentions, (Written(0, 2, form),))


def joined(words: Sequence[Token]) -> str | None:
    """Keeps the first word's capital, as a language's own does."""
    known = {("di", "il"): "del", ("di", "lo"): "dello", ("Di", "lo"): "Dello"}
    return known.get((words[0].form, words[-1].form))


def test_a_deletion_opens_the_written_token() -> None:
    edits = UtteranceEdits(given(KeyedMention("a", 1, 4), KeyedMention("b", 2, 3)), joined)
    edits.delete("rule", 1, 2)
    after, changes = edits.apply()
    assert text(after) == "di mio padre"
    assert after.mentions == (KeyedMention("a", 1, 3), KeyedMention("b", 1, 2))
    assert [token.head for token in after.tokens] == [3, 3, 0]
    assert (changes[0].start, changes[0].end, changes[0].before) == (1, 2, "il")


def test_a_changed_word_is_joined_anew() -> None:
    edits = UtteranceEdits(given(form="Del"), joined)
    edits.replace("rule", 1, replace(WORDS[1], form="lo"))
    assert edits.apply()[0].written == (Written(0, 2, "Dello"),)


def test_an_insertion_joins_what_stands_before() -> None:
    words = (Token("di", head=3), Token("mio", head=3), Token("padre", head=0))
    mentions = (KeyedMention("a", 1, 3), KeyedMention("b", 1, 2), KeyedMention("c", 0, 3))
    edits = UtteranceEdits(Utterance(words, mentions), joined)
    edits.insert("rule", 1, Token("il", head=3), frozenset((0,)))
    after, changes = edits.apply()
    assert text(after) == "del mio padre"
    moved = [(one.start, one.end) for one in after.mentions]
    assert moved == [(1, 4), (2, 3), (0, 4)]
    assert [token.head for token in after.tokens] == [4, 4, 4, 0]
    assert (changes[0].start, changes[0].end) == (1, 1)


def test_a_mention_alone_moves_to_the_heir() -> None:
    edits = UtteranceEdits(given(KeyedMention("a", 2, 3)), joined)
    edits.delete("rule", 2, 3)
    assert edits.apply()[0].mentions == (KeyedMention("a", 2, 3),)


@pytest.mark.parametrize(
    "mentions",
    [
        (KeyedMention("a", 2, 3), KeyedMention("b", 3, 4)),
        (KeyedMention("a", 2, 4), KeyedMention("b", 3, 4)),
        (KeyedMention("a", 2, 3), KeyedMention("a", 2, 4)),
    ],
)
def test_mentions_never_meet(mentions: tuple[KeyedMention, ...]) -> None:
    edits = UtteranceEdits(given(*mentions), joined)
    assert not edits.can_delete(2, 3)


def test_an_heir_is_not_deleted() -> None:
    edits = UtteranceEdits(given(), joined)
    edits.delete("rule", 1, 2)
    assert not edits.can_delete(2, 3)
    assert not edits.can_delete(3, 1)
