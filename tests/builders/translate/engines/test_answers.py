"""Answers kept on disk, and answers that are tidied or refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from corefmill.builders.translate.engines import answers
from corefmill.builders.translate.engines.answers import FILE, Cached, TidyTranslator
from corefmill.builders.translate.engines.protocol import TranslatorRequest, UnusableAnswer
from corefmill.builders.translate.engines.tables import SentenceTable
from corefmill.corpora.files.errors import DataError, UsageError


class Upper:
    """Keeps the texts that it is asked for, and dies at `bad`."""

    name, source, fingerprint = "upper", "en", "upper 1"

    def __init__(self, answer: Callable[[str], str] = str.upper, target: str = "it") -> None:
        self._answer, self.target = answer, target
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str]) -> list[str]:
        if "bad" in texts:
            raise DataError("dead")
        self.asked += texts
        return [self._answer(text) for text in texts]


def scripted(**answers: str) -> Upper:
    """Answers each text as it is told, and by a long Italian sentence where it is not."""
    return Upper(lambda text: answers.get(text, ITALIAN))


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    first = Upper()
    translator = Cached(first, tmp_path / "cache")
    assert translator.translate(["a", "b", "a", ""]) == ["A", "B", "A", ""]
    assert first.asked == ["a", "b"]
    second = Upper()
    again = Cached(second, tmp_path / "cache")
    assert again.translate(["b", "c", "a\ud800"]) == ["B", "C", "A"]
    assert second.asked == ["c"]
    assert (again.name, again.fingerprint) == ("upper", "upper 1")
    assert translator.translate([]) == []


def test_a_text_that_fails_does_not_take_the_others_along(tmp_path: Path) -> None:
    texts = [str(number) for number in range(200)]
    first = Upper()
    *made, bad = Cached(first, tmp_path).translate([*texts, "bad"])
    assert made == texts
    assert isinstance(bad, DataError)
    second = Upper()
    again = Cached(second, tmp_path)
    assert again.translate(texts) == texts
    assert second.asked == []
    again.translate(["bad", "bad"])
    again.translate(["a", "bad"])
    assert [again.count_unanswered(), again.count_unanswered()] == [1, 0]


def test_a_fork_opens_the_file_anew(tmp_path: Path) -> None:
    translator = Cached(Upper(), tmp_path)
    translator.translate(["a"])
    child = os.fork()
    if child == 0:
        os._exit(0 if translator.translate(["b"]) == ["B"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    other = Upper()
    assert Cached(other, tmp_path).translate(["a", "b"]) == ["A", "B"]
    assert other.asked == []


def test_translations_of_another_method_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(answers, "_METHOD", 1)
        Cached(Upper(), tmp_path).translate(["a"])
    second = Upper()
    Cached(second, tmp_path).translate(["a"])
    assert second.asked == ["a"]


def one_line(caught: pytest.ExceptionInfo[UsageError], path: Path) -> None:
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value).splitlines()) == 1


def test_what_stands_in_the_files_place_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "cache"
    file.write_text("mine")
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    (tmp_path / FILE).write_bytes(b"no database" * 500)
    for folder, place, message in (
        (tmp_path, tmp_path / FILE, r"file is not a database.*delete the file"),
        (file, file, "the cache's folder is a file"),
        (file / "below", file / "below" / FILE, "Not a directory"),
        (tmp_path / "folder", tmp_path / "folder" / FILE, "unable to open database file"),
    ):
        with pytest.raises(UsageError, match=message) as caught:
            Cached(Upper(), folder).translate(["a"])
        one_line(caught, place)
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    "table", ["CREATE TABLE mails (text)", "CREATE TABLE translations (text, translation)"]
)
def test_a_database_of_somebody_elses_is_left_alone(table: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as base:
        base.execute(table)
    base.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(UsageError, match="other contents than translations") as caught:
        Cached(Upper(), tmp_path)
    one_line(caught, tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_runs_at_once_lose_nothing_and_one_may_be_killed(tmp_path: Path) -> None:
    texts = [str(number) for number in range(640)]
    children = []
    for turn in range(4):
        child = os.fork()
        if child == 0:
            own = texts[turn * 160 :] + texts[: turn * 160]
            made = Cached(Upper(), tmp_path).translate(own)
            os._exit(0 if made == own else 1)
        children.append(child)
    time.sleep(0.05)
    os.kill(children[0], signal.SIGKILL)
    assert [os.waitpid(child, 0)[1] for child in children[1:]] == [0, 0, 0]
    os.waitpid(children[0], 0)
    after = Upper()
    assert Cached(after, tmp_path).translate(texts) == texts
    assert after.asked == []


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("it", "la casa di Bruno .", "la casa di Bruno."),
        ("it", "Bruno , disse , vieni ?!", "Bruno, disse, vieni?!"),
        ("it", "pesa .5 e ,,come", "pesa .5 e ,,come"),
        ("fr", "la maison , Bruno ? Non .", "la maison, Bruno ? Non."),
        ("es", "Es Bruno ? No !", "¿Es Bruno? ¡No!"),
        ("es", "Viene el Sr. Gil ?", "¿Viene el Sr. Gil?"),
        ("es", "Ana dijo: “ Quién es?” Ven.", "Ana dijo: “¿Quién es?” Ven."),
        ("es", "¿Es? <1>Ana</1> va!", "¿Es? ¡<1>Ana</1> va!"),
        ("de", "Er sagte: „ Ja“ und ging .", "Er sagte: „Ja“ und ging."),
        ("de", "„Ja“ sagte er, »Nein« sie .“ Ende", "„Ja“ sagte er, »Nein« sie.“ Ende"),
        ("it", "Disse: “ Sì” e « no»", "Disse: “Sì” e «no»"),
        ("fr", "Il dit : « Oui » .", "Il dit : « Oui »."),
    ],
)
def test_translations_are_punctuated_as_their_language_is(
    target: str, text: str, expected: str
) -> None:
    translator = TidyTranslator(Upper(str, target))
    assert translator.translate([text]) == [expected]
    assert (translator.name, translator.fingerprint) == ("upper", "upper 1")


ENGLISH = (
    "The old man walked slowly through the town, and nobody there remembered what he was called."
)
ITALIAN = "Il vecchio camminava lentamente per la città, e nessuno ricordava più come si chiamava."


@pytest.mark.parametrize(
    ("bad", "why"),
    [("no " * 7 + "no", "repeats"), ("Va <unk> bene", "unknown_sign"), (ENGLISH, "language")],
)
def test_an_answer_that_is_no_translation_is_asked_for_again_and_dropped(
    bad: str, why: str
) -> None:
    translator = scripted(Hello=bad)
    assert TidyTranslator(translator).translate(["Hello"]) == [ITALIAN.removesuffix(".")]
    assert translator.asked == ["Hello", "Hello."]
    translator = scripted(**{"Hello.": bad, "Hello": bad})
    (refused,) = TidyTranslator(translator).translate(["Hello."])
    assert isinstance(refused, UnusableAnswer)
    assert refused.why == why
    assert translator.asked == ["Hello.", "Hello"]
    unjudged = TidyTranslator(scripted(Hello=bad), judged=False)
    assert unjudged.translate(["Hello"]) == [bad.strip(" ")]


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("“Yes” & no", "&quot;S&igrave;&quot; &amp; no", '"Sì" & no'),
        ("the friend", "l&apos;amico", "l'amico"),
        ("the friend", "l&#39;amico", "l'amico"),
        ("the friend", "l&#x27;amico", "l'amico"),
        ("the friend", "l &# 39 ;amico", "l 'amico"),
        ("the friend", "l&amp;apos;amico", "l'amico"),
        ("Come!", "&Quot;Vieni!& quot ;", '"Vieni!"'),
        ("<1>Ann</1> left", "&lt;1&gt;Ann&lt;/1&gt; partì", "<1>Ann</1> partì"),
        ("two words", "due&nbsp;parole&#10;qui", "due parole qui"),
        (
            "Write &quot; twice",
            "Scrivi &quot; due volte, l&apos;altro",
            "Scrivi &quot; due volte, l'altro",
        ),
        ("AT&amp;T and R&D; no", "AT&amp;T e R&D; no", "AT&amp;T e R&D; no"),
        ("the sign &lt;", "il segno &amp;lt;", "il segno &lt;"),
        ("a & b", "a &notit; b &copy c", "a &notit; b &copy c"),
        ("nothing", "&#0;&#1114112;niente", "\ufffd\ufffdniente"),
    ],
)
@pytest.mark.parametrize("corrected", [True, False])
def test_entities_that_the_text_does_not_have_are_undone(
    text: str, answer: str, expected: str, corrected: bool
) -> None:
    made = TidyTranslator(scripted(**{text: answer}), judged=False, corrected=corrected)
    assert made.translate([text]) == [expected]


NAMES = "<1>The</1> <2>Times</2>, Doctor Halvey and Ms. Odile Brandt"


@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("long", ["molto " * 2000, "[1]" * 6000, "x" * 1_100_000, "y" * 531])
def test_an_answer_far_longer_than_its_text_is_dropped(long: str, judged: bool) -> None:
    translator = scripted(**{"Hello.": long, "Hello": long})
    (refused,) = TidyTranslator(translator, judged=judged).translate(["Hello."])
    assert isinstance(refused, UnusableAnswer)
    assert refused.why == "too_long"
    assert len(str(refused)) < 200
    assert (
        TidyTranslator(scripted(Hello="y" * 525), judged=False).translate(["Hello"])[0] == "y" * 525
    )


@pytest.mark.parametrize("good", ["no no no no no no no", NAMES, ITALIAN])
def test_short_and_seemly_answers_are_taken(good: str) -> None:
    translator = scripted(Hello=good)
    assert TidyTranslator(translator).translate(["Hello"]) == [good]
    assert translator.asked == ["Hello"]


def test_a_table_is_not_asked_for_another_text(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text(f"Hello\t{ENGLISH}\n", encoding="utf-8")
    asked = TranslatorRequest(name="table", table=(table,), missing=tmp_path / "missing")
    translator = SentenceTable(asked)
    (refused,) = TidyTranslator(translator).translate(["Hello"])
    assert isinstance(refused, UnusableAnswer)
    assert translator.missing() == []


def test_a_translator_that_fails_on_everything_is_given_up(tmp_path: Path) -> None:
    class Broken(Upper):
        def translate(self, texts: Sequence[str]) -> list[str]:
            raise DataError("no answer", remedy="mend it")

    with pytest.raises(
        UsageError, match=r"upper failed on several texts in a row: no answer \(mend it\)"
    ):
        Cached(Broken(), tmp_path).translate(["a", "b", "c", "d", "e", "f"])
