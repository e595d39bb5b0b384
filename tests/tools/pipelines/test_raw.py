"""Where sentences begin in raw text, and which paragraphs of a dump are taken."""

from dataclasses import replace

import pytest

from tools.pipelines import clean, raw
from tools.pipelines.sources import Sample

WORDS = clean.word_tables("en")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Victor wrote to Elizabeth. She did not answer.", 2),
        ("Mr. Darcy met J. R. Smith of St. Ives.", 1),
        ("He joined the U.S. Army. It was 1917.", 2),
        ("It ended in 2002. Kabyle is spoken there.", 2),
        ('"Go away." He left.', 2),
        ("Why? Nobody knew! (Not even Ann.) So it went.", 4),
        ("an e.g. in lower case. yes, one sentence", 1),
    ],
)
def test_sentences_of_running_text(text: str, count: int) -> None:
    cut = raw.sentences(text, WORDS)
    assert (len(cut), " ".join(cut)) == (count, text)


def test_speech_that_may_go_on_leaves_the_starts_untold() -> None:
    for text, starts in (("He left. Ann wept.", (0, 9)), ('"Go!" Ann said. He left.', ())):
        told = raw.with_starts(replace(Sample(text), starts=()), WORDS)
        assert told.starts == starts
