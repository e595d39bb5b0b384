from __future__ import annotations

import pytest

from corefmill.builders.translate.source_side.parts import detokenise


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
    assert detokenise(tokens.split()) == text


def test_tags_tell_hyphens_quotes_and_traces() -> None:
    tokens = ["the", "boys", "'", "low", "-", "key", "0", "-", "5"]
    tags = ["DT", "NNS", "POS", "JJ", "HYPH", "NN", "-NONE-", ":", "CD"]
    assert detokenise(tokens, tags) == "the boys' low-key - 5"
    assert detokenise(["the", "'", "boys"], ["DT", "``", "NNS"]) == "the 'boys"
