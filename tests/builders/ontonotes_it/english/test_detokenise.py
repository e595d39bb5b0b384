from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.ontonotes_it.english.detokenise import detokenise


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("He said , `` I ca n't go , '' and left .", 'He said, "I can\'t go," and left.'),
        ("The dogs ' house costs $ 5.00 , 20 % more .", "The dogs' house costs $5.00, 20% more."),
        ("it -LRB- or -LSB- not -RSB- -RRB- ;", "it (or [not]);"),
        ('" Hi , " he said , " go . "', '"Hi," he said, "go."'),
        ("“ Hi ” ‘ you", "“Hi” ‘you"),
        ("` Hi '", "'Hi'"),
        ("I 'm gon na , you Got ta , ca n’t can not", "I'm gonna, you Gotta, can’t cannot"),
        ("New York - based -- and / or US$ 3", "New York-based -- and/or US$3"),
        ("yes /. really /? -- no /-", "yes. really? -- no -"),
        ("We %pw want *T*-1 *PRO* * to *-2 go %um .", "We want to go."),
        ("1 \\/ 2 \\*", "1/2 *"),
        ("'S been", "'S been"),
    ],
)
def test_tokens_become_english(tokens: str, text: str) -> None:
    assert detokenise(tokens.split()).text == text


def test_tags_tell_hyphens_quotes_and_traces() -> None:
    tokens = ["the", "boys", "'", "low", "-", "key", "0", "-", "5"]
    tags = ["DT", "NNS", "POS", "JJ", "HYPH", "NN", "-NONE-", ":", "CD"]
    assert detokenise(tokens, tags).text == "the boys' low-key - 5"
    assert detokenise(["the", "'", "boys"], ["DT", "``", "NNS"]).text == "the 'boys"


def test_spans_give_the_words_and_nothing_for_what_is_left_out() -> None:
    found = detokenise(["*PRO*", "Do", "n't", "%um", "go", "*T*-1"])
    assert found.text == "Don't go"
    assert found.spans == ((0, 0), (0, 2), (2, 5), (6, 6), (6, 8), (8, 8))


@given(st.lists(st.text(max_size=6) | st.sampled_from(["'", '"', "``", "-", "/", "%pw", "'s"])))
def test_spans_are_in_order_and_hold_every_word(tokens: list[str]) -> None:
    found = detokenise(tokens)
    assert len(found.spans) == len(tokens)
    position = 0
    for token, (start, end) in zip(tokens, found.spans, strict=True):
        assert position <= start <= end <= len(found.text)
        assert not token.isalpha() or found.text[start:end] == token
        position = end
