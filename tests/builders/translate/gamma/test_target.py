"""Words of a translation as the chain wants them."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp.backend import make_tokens
from corefmill.builders.translate.gamma.target import split_enclitics
from corefmill.corpora.records import Span
from corefmill.rules import documents, rule
from tests.builders.translate.trees import analysis

SEND = analysis("Ora/ora/ADV/2/advmod mandamelo//NOUN/0/root tu//PRON/2/nsubj", "Ora mandamelo tu")


@pytest.mark.parametrize(
    ("places", "lang", "expected"),
    [
        ([(9, 11), (11, 13)], "it", "Ora manda me lo tu"), ([(9, 11)], "it", "Ora manda me lo tu"),
        ([(11, 13)], "it", "Ora mandame lo tu"), ([(8, 11)], "it", "Ora mandamelo tu"),
        ([(4, 13), (14, 16)], "it", "Ora mandamelo tu"), ([(11, 13)], "xx", "Ora mandamelo tu"),
    ],
)  # fmt: skip
def test_enclitics_that_the_pipeline_did_not_see_are_words_of_a_written_token(
    places: list[Span], lang: str, expected: str
) -> None:
    words, spans = split_enclitics(SEND.text, make_tokens(SEND), SEND.words, places, lang)
    whole, _ = documents.from_text(SEND.text, words, spans)
    assert " ".join(token.form for token in whole.tokens) == expected
    assert rule.text(whole) == SEND.text
    last = len(whole.tokens)
    assert [token.head for token in whole.tokens] == [2, 0, *[2] * (last - 2)]
