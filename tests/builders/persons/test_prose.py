"""Running text in any script."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.persons import prose
from corefmill.builders.persons.prose import in_quotation, is_debris

SENTENCES = (
    *("She went home.", "ის მარტო წავიდა.", "他回家了。", "“Go!” she said."),
    *("»Geh!« sagte sie.", "„Geh!“ sagte sie.", "Sie sagte: »Geh!«"),
    *("`Go!´ she said.", "‚Geh!‘ sagte sie.", "She said, `Go!´"),
)
DEBRIS = ("she went home.", "3 of them.", "» dit-elle.", "ის წავიდა", "वह घर", "A {{b}}.")


@pytest.mark.parametrize("passage", [*SENTENCES, *DEBRIS])
def test_debris_is_no_sentence(passage: str) -> None:
    assert is_debris(passage) is (passage in DEBRIS)


@pytest.mark.parametrize(
    "text",
    [
        "He: “[Go]”, she “[Come].”",
        "Er: »[Geh]«, sie: »[Komm].«",
        "Er: „[Geh]“, sie: „[Komm].“",
        "Er: ‚[Geh]‘, sie: ›[Komm].‹",
        "‘[Go],’ he said. `[Come].´ She went.",
        "Lui : « [Va] », elle : « [Viens]. »",
        "Él: «[Ve]», ella: «[Ven].»",
        "»[Geh]!« Sie ging. »[Komm]!«",
        "»[Geh] –« bat sie, und ging. »[Komm]!«",
    ],
)
def test_what_is_quoted(text: str) -> None:
    """The words in [ ], whichever way the language has its marks."""
    plain = re.sub(r"[\[\]]", "", text)
    quoted = [word[0] for word in re.finditer(r"\w+", plain) if in_quotation(plain, word.start())]
    assert quoted == re.findall(r"\[(\w+)\]", text)


def test_a_text_is_searched_for_marks_once_however_many_places_are_asked() -> None:
    text = "“Go,” said Ann. " * 500
    prose._find_quotations.cache_clear()
    assert sum(in_quotation(text, place) for place in range(len(text))) == 500 * len("Go,”")
    assert prose._find_quotations.cache_info().misses == 1
