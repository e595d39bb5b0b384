"""Every sentence of the sample is translated, with whatever stands for its mentions."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.engines import apertium, argos
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.engines.sample_table import SampleTable, languages, rows
from corefmill.builders.translate.source_side.alpha import to_part
from corefmill.builders.translate.source_side.source import find_files, sample
from corefmill.corpora.errors import DataError, UsageError

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
        ("it", "The clinic", "la clinica"),
        ("it", "", ""),
        ("es", "Ring Verona bell twice.", "Toca el timbre de Verona dos veces."),
        ("es", "The doctor can see <3>you</3> at four.",
         "El doctor <3>le</3> puede recibir a las cuatro."),
        ("es", "Bruno and Luca saw <1>it</1>.", None),
    ],
)  # fmt: skip
def test_marks_and_placeholders_come_back(lang: str, text: str, expected: str | None) -> None:
    table = SampleTable(TranslatorRequest(target=lang))
    if expected is None:
        with pytest.raises(DataError, match="not a sentence of the sample"):
            table.translate([text])
    else:
        assert table.translate([text]) == [expected]


def test_it_is_taken_for_the_sample_alone_and_where_nothing_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(argos, "is_installed", lambda: False)
    monkeypatch.setattr(apertium, "modes", lambda folder=None: [])
    assert isinstance(resolve(TranslatorRequest(sample=True)), SampleTable)
    assert isinstance(resolve(TranslatorRequest(sample=True, target="es")), SampleTable)
    with pytest.raises(UsageError, match="no translator from 'en' to 'fr'"):
        resolve(TranslatorRequest(sample=True, target="fr"))
    with pytest.raises(UsageError, match="transformers, openai, http, command, table"):
        resolve(TranslatorRequest())
    with pytest.raises(UsageError, match="not translated from 'en' to 'fr'"):
        resolve(TranslatorRequest(name="sample", target="fr"))
