"""Translations made elsewhere: the user's tables, and every sentence of the sample."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.engines import apertium, argos
from corefmill.builders.translate.engines.protocol import NotAnswered, TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.engines.tables import (
    SampleTable,
    SentenceTable,
    languages,
    rows,
)
from corefmill.builders.translate.source_side.selection import to_part
from corefmill.builders.translate.source_side.source import find_files, sample
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.translate.engines.test_purity import MADE, check


def table(tmp_path: Path, *contents: str) -> TranslatorRequest:
    paths = []
    for number, content in enumerate(contents):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_bytes(content.encode("utf-8", "surrogateescape"))
    return TranslatorRequest(name="table", table=tuple(paths), missing=tmp_path / "missing")


def test_texts_and_translations_with_a_tab_between(tmp_path: Path) -> None:
    first = "the cat\til gatto\r\n\nthe dog\t\n a  b \tc d\n{x}\t{y}\n"
    second = "the dog\til cane\nlater\t\nthe cat\til gatto\n"
    made = resolve(table(tmp_path, first, second))
    assert made.translate(["the cat", "", "the dog", "a b"]) == ["il gatto", "", "il cane", "c d"]
    assert made.translate(["{x}"]) == ["{y}"]
    assert made.name == "table 0.txt 1.txt"
    other = resolve(table(tmp_path, second + "a b\tc d\n{x}\t{y}\n"))
    assert other.fingerprint == made.fingerprint
    check(SentenceTable(table(tmp_path, "".join(f"{one}\tx\n" for one in MADE if one))))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_every_line_end_ends_a_row(end: str, tmp_path: Path) -> None:
    made = resolve(table(tmp_path, f"a\tA{end}b\tB{end}"))
    assert made.translate(["a", "b"]) == ["A", "B"]


def test_what_lacks_is_noted_once_by_all_processes(tmp_path: Path) -> None:
    asked = table(tmp_path, "a\tA\n")
    made = resolve(asked)
    assert SentenceTable(asked).translate(["a"]) == ["A"]
    assert SentenceTable(asked).missing() == []
    for _ in range(2):
        first, second, third = made.translate(["è", "a", "c"])
        assert isinstance(first, NotAnswered) and "no table has a translation of 'è'" in str(first)
        assert second == "A" and isinstance(third, NotAnswered)
    child = os.fork()
    if child == 0:
        made.translate(["d", "c"])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert SentenceTable(asked).missing() == ["c", "d", "è"]
    made.translate(["from the next document"])
    found = ["c", "d", "from the next document", "è"]
    assert SentenceTable(asked).missing() == found
    (path, *_) = sorted((tmp_path / "missing").rglob("*-*"))
    path.write_bytes(path.read_bytes() + b'\n"cut o')  # by a kill
    assert SentenceTable(asked).missing() == found
    more = table(tmp_path, "a\tA\nc\tC\n")
    assert SentenceTable(more).missing() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tA\nb\tB\na\tÀ\n", "txt:3: 'a' has another translation in line 1 "),
        ("a\n", "txt:1: 1 cells in the line instead of a text"),
        ("a\tb\tc\n", "txt:1: 3 cells"),
        ("\tA\n", "txt:1: a translation without its text"),
        ("a\t" + "A" * (1 << 20) + "\n", "txt:1: a line of over 1 MiB"),
    ],
)
def test_a_table_that_cannot_be_read(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        resolve(table(tmp_path, content))


def test_tables_that_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"1\.txt:1: .* in line 2 of .*0\.txt"):
        resolve(table(tmp_path, "b\tB\na\tA\n", "a\tÀ\n"))
    with pytest.raises(DataError, match=r"none\.tsv: "):
        resolve(TranslatorRequest(name="table", table=(tmp_path / "none.tsv",)))
    with pytest.raises(UsageError, match="openai takes no --table"):
        resolve(TranslatorRequest(name="openai", table=(tmp_path,), url="x", model="y"))


_MARK = re.compile(r"\{(\d+)[:?]|\}")


@pytest.mark.parametrize("lang", languages())
def test_every_sentence_is_translated_with_all_its_mentions(lang: str) -> None:
    table = SampleTable(TranslatorRequest(target=lang))
    parts = [
        to_part(document, file.split, Context(0, 0), nested=True)
        for file in find_files(sample(), "en")
        for _, document in file.form.read(file.path, "en")
    ]
    utterances = [utterance for part in parts for utterance in part.utterances]
    known = {_MARK.sub("", text): (text, translation) for text, translation in rows(lang)}
    assert known.keys() == {utterance.text for utterance in utterances}
    assert all(table.translate([utterance.text for utterance in utterances]))
    for utterance in utterances:
        for template in known[utterance.text]:
            numbers = sorted(int(found[1]) for found in _MARK.finditer(template) if found[1])
            assert numbers == list(range(1, len(utterance.mentions) + 1))


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("it", "I gave Siena to <1><2>my</2> neighbour</1>.",
         "Ho dato Siena <1>alla <2>mia</2> vicina</1>."),
        ("it", "<1>I</1> gave it to my neighbour.", "<1>Io</1> ho dato quella alla mia vicina."),
        ("it", "Then knock on Verona's door, and ask for Siena.",
         "Allora bussa alla porta di Verona e chiedi Siena."),
        ("it", "Marco and Luca were told at noon.",
         "Marco e Luca sono stati informati a mezzogiorno."),
        ("it", "Carla has sold [1]Rita's boat[/1].", "Carla ha venduto [1]la barca di Rita[/1]."),
        ("it", "the workers", "gli operai"),
        ("es", "The doctor can see <3>you</3> at four.",
         "El doctor <3>le</3> puede recibir a las cuatro."),
        ("es", "Bruno and Luca saw <1>it</1>.", None),
    ],
)  # fmt: skip
def test_marks_and_placeholders_come_back(lang: str, text: str, expected: str | None) -> None:
    table = SampleTable(TranslatorRequest(target=lang))
    (found,) = table.translate([text])
    if expected is None:
        assert "not a sentence of the sample" in str(found)
    else:
        assert found == expected


def test_it_is_taken_for_the_sample_alone_and_where_nothing_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(argos, "is_installed", lambda: False)
    monkeypatch.setattr(apertium, "list_modes", lambda folder=None: [])
    assert isinstance(resolve(TranslatorRequest(sample=True)), SampleTable)
    assert isinstance(resolve(TranslatorRequest(sample=True, target="es")), SampleTable)
    with pytest.raises(UsageError, match="no translator from 'en' to 'fr'"):
        resolve(TranslatorRequest(sample=True, target="fr"))
    with pytest.raises(UsageError, match="transformers, openai, command, table"):
        resolve(TranslatorRequest())
    with pytest.raises(UsageError, match="not translated from 'en' to 'fr'"):
        resolve(TranslatorRequest(name="sample", target="fr"))
