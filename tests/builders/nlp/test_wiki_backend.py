"""Words and sentences by rules, in any language."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp import load, of_wiki
from corefmill.corpora.files.errors import UsageError


@pytest.mark.parametrize(
    ("lang", "text", "count"),
    [
        ("ro", "A venit ieri. Apoi a plecat.", 2),
        ("ro", "I. L. Vesk a venit pe 3. Mai. Apoi a plecat!", 2),
        ("ro", "El a venit (v. planșa) ieri.", 1),
        ("ka", "ის მოვიდა. მერე წავიდა.", 2),
        ("he", "הוא בא. אחר כך הלך.", 2),
        ("hi", "वह आया। फिर वह गया।", 2),
        ("ja", "彼は来た。そして行った。", 2),
        ("hy", "Նա եկավ։ Հետո գնաց։", 2),
        ("xx-none", "Vesk. Dorn.", 2),
    ],
)
def test_sentences(lang: str, text: str, count: int) -> None:
    (found,) = of_wiki("wiki", lang).full([text])
    assert len(found.sentences) == count
    assert not (found.entities or found.upos or found.head)
    assert "".join(text[a:b] for a, b in found.tokens) == text.replace(" ", "")


def test_it_says_what_it_cannot_do() -> None:
    backend = of_wiki("wiki", "ro")
    assert backend.does == ("sentences",)
    assert "without a model" in backend.version


def test_a_text_without_a_wiki_is_refused() -> None:
    with pytest.raises(UsageError, match="reads no other text") as caught:
        load("wiki", "ro")
    assert "build wikicrem" in str(caught.value)
