from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from corefmill.corpora.records import Token
from corefmill.rules.it import rules
from corefmill.rules.rule import Change, KeyedMention, Utterance, Written, refine, text
from tests.rules.trees import utterance

SHE_IS_SURE = """
    Lei lei PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 3 nsubj
    è essere AUX Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin 3 cop
    sicura~ sicuro ADJ Gender=Fem|Number=Sing 0 root
    . . PUNCT _ 3 punct
"""


def test_text_has_written_tokens_and_blanks() -> None:
    words = (Token("di"), Token("la"), Token("casa", space_after=False), Token("."))
    assert text(Utterance(words, (), (Written(0, 2, "della"),))) == "della casa."


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


def test_a_head_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="head 2"):
        Utterance((Token("a", head=2),))


def test_changes_are_in_order_and_json() -> None:
    _, changes = refine(utterance(SHE_IS_SURE), rules("clean"))
    assert changes == (
        Change("subject-deletion", 0, 1, "Lei", ""),
        Change("capital", 1, 2, "è", "È"),
    )
    assert json.loads(json.dumps(asdict(changes[0])))["rule"] == "subject-deletion"
    assert not changes[0].is_kept


def test_without_rules_nothing_changes() -> None:
    given = utterance(SHE_IS_SURE, [("1", 0, 1)])
    assert refine(given, ()) == (given, ())
