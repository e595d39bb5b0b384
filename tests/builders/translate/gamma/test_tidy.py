"""No blank before punctuation, but for what French writes; what Spanish opens is opened."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from corefmill.builders.translate.gamma.tidy import TidyTranslator


class Echo:
    """Gives the texts back."""

    name = source = fingerprint = "echo"

    def __init__(self, target: str) -> None:
        self.target = target

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As they are."""
        return list(texts)


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("it", "la casa di Bruno .", "la casa di Bruno."),
        ("it", "Bruno , disse , vieni ?!", "Bruno, disse, vieni?!"),
        ("it", 'la casa ." Bruno ...', 'la casa." Bruno...'),
        ("it", "pesa .5 e ,,come", "pesa .5 e ,,come"),
        ("fr", "la maison , Bruno ? Non .", "la maison, Bruno ? Non."),
        ("es", "Es Bruno ? No !", "¿Es Bruno? ¡No!"),
        ("es", "Viene el Sr. Gil ?", "¿Viene el Sr. Gil?"),
        ("es", "Ana dijo: “ Quién es?” Ven.", "Ana dijo: “¿Quién es?” Ven."),
        ("es", "¿Es? <1>Ana</1> va!", "¿Es? ¡<1>Ana</1> va!"),
    ],
)
def test_translations_are_punctuated_as_their_language_is(
    target: str, text: str, expected: str
) -> None:
    translator = TidyTranslator(Echo(target))
    assert translator.translate([text]) == [expected]
    assert (translator.name, translator.fingerprint) == ("echo", "echo")
