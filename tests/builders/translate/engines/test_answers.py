"""No blank before punctuation, but for what French writes; what Spanish opens is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from corefmill.builders.translate.engines.answers import TidyTranslator
from corefmill.builders.translate.engines.command import CommandTranslator
from corefmill.builders.translate.engines.protocol import TranslatorRequest, UnusableAnswer
from corefmill.builders.translate.engines.tables import SentenceTable


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


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("de", "Er sagte: „ Ja“ und ging .", "Er sagte: „Ja“ und ging."),
        ("de", "„Ja“ sagte er, »Nein« sie .“ Ende", "„Ja“ sagte er, »Nein« sie.“ Ende"),
        ("de", "Sie rief „Komm“ laut", "Sie rief „Komm“ laut"),
        ("it", "Disse: “ Sì” e « no»", "Disse: “Sì” e «no»"),
        ("fr", "Il dit : « Oui » .", "Il dit : « Oui »."),
        ("it", "&quot;S&igrave;&quot; &amp; no", '"Sì" & no'),
    ],
)
def test_quotation_marks_are_those_of_the_language(target: str, text: str, expected: str) -> None:
    assert TidyTranslator(Echo(target)).translate([text]) == [expected]


ENGLISH = (
    "The old man walked slowly through the town, and nobody there remembered what he was called."
)
ITALIAN = "Il vecchio camminava lentamente per la città, e nessuno ricordava più come si chiamava."


class Scripted:
    """Answers each text as it is told, and by a long Italian sentence where it is not."""

    name, source, target, fingerprint = "scripted", "en", "it", "scripted"

    def __init__(self, **answers: str) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str]) -> list[str]:
        self.asked += texts
        return [self._answers.get(text, ITALIAN) for text in texts]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("no " * 7 + "no", "repeats"),
        ("Va <unk> bene", "unknown_sign"),
        ("Va \ufffd bene", "unknown_sign"),
        (ENGLISH, "language"),
        (f"<1>{ENGLISH}</1>", "language"),
    ],
)
def test_an_answer_that_is_no_translation_is_asked_for_again_and_dropped(
    bad: str, why: str
) -> None:
    translator = Scripted(Hello=bad)
    assert TidyTranslator(translator).translate(["Hello"]) == [ITALIAN.removesuffix(".")]
    assert translator.asked == ["Hello", "Hello."]
    translator = Scripted(**{"Hello.": bad, "Hello": bad})
    with pytest.raises(UnusableAnswer) as caught:
        TidyTranslator(translator).translate(["Hello."])
    assert caught.value.why == why
    assert translator.asked == ["Hello.", "Hello"]
    assert TidyTranslator(Scripted(Hello=bad), judged=False).translate(["Hello"]) == [
        bad.strip(" ")
    ]


@pytest.mark.parametrize(
    "good",
    [
        "no no no no no no no",
        "<1>The</1> <2>Times</2>, Doctor Halvey and Ms. Odile Brandt",
        ITALIAN,
    ],
)
def test_short_and_seemly_answers_are_taken(good: str) -> None:
    translator = Scripted(Hello=good)
    assert TidyTranslator(translator).translate(["Hello"]) == [good]
    assert translator.asked == ["Hello"]


def test_what_the_text_itself_repeats_may_be_repeated() -> None:
    assert TidyTranslator(Scripted(**{"no " * 8: "no " * 8})).translate(["no " * 8])


def test_a_program_that_changes_nothing_is_not_judged_by_language() -> None:
    asked = TranslatorRequest(name="command", command="cat")
    assert TidyTranslator(CommandTranslator(asked)).translate([ENGLISH]) == [ENGLISH]


def test_a_table_is_not_asked_for_another_text(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text(f"Hello\t{ENGLISH}\n", encoding="utf-8")
    asked = TranslatorRequest(name="table", table=(table,), missing=tmp_path / "missing")
    translator = SentenceTable(asked)
    with pytest.raises(UnusableAnswer):
        TidyTranslator(translator).translate(["Hello"])
    assert translator.missing() == []
