"""What every translator promises: a translation depends on its text alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corefmill.builders.translate.engines import argos
from corefmill.builders.translate.engines.apertium import Apertium
from corefmill.builders.translate.engines.argos import Argos
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.builders.translate.engines.transformer import TransformerTranslator
from corefmill.corpora.files.errors import DataError
from tests.builders.translate.engines.fakes import fake, program

MADE = [
    "Let me know.",
    "These areas of interest are called Geofences.",
    "The chicken should not suffer so much.",
    "We do not want to mess it up.",
    "Some qwertz was here and another came late.",
    "The blorb of the frim is so small.",
    "We were so late that nobody saw us.",
    "It is his house, and her dog is in it.",
    "The old man saw a xyzzyx near the river",
    "",
    "One of the zorbs is under the table. What he knows is no secret.",
    "Le[t] m^e k$now; @him/#her <b>so</b> ~ much",
]
"""Those who were late changed what Apertium made of areas of interest, and of what we want."""


def check(translator: Translator, texts: Sequence[str] = MADE) -> None:
    """The same translations in two orders, in batches of two sizes, and one by one."""
    found = translator.translate(texts)
    assert translator.translate(texts[::-1])[::-1] == found
    turned = [*texts[5:], *texts[:5]]
    for size in (1, 3):
        made = [
            line
            for first in range(0, len(turned), size)
            for line in translator.translate(turned[first : first + size])
        ]
        assert made == [*found[5:], *found[:5]]


def test_apertium(apertium: Apertium) -> None:
    check(apertium)


def test_a_program_that_does_not_forget_is_started_for_each_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch)
    # Which text of this process it is goes into what it says.
    program(tmp_path, "apertium-tagger", "text = b'%d ' % number + text")
    mode = tmp_path / "modes" / "eng-ita.mode"
    mode.write_text("lt-proc 'a b.bin' | apertium-tagger -g 'a b.bin' | apertium-pretransfer")
    translator = Apertium(model=tmp_path)
    assert translator.translate(["a dog", "dogs"]) == ["1 a cane", "1 canes"]
    check(translator, MADE[:3])
    # One that is known to forget runs on, which is what such a test would see.
    mode.write_text("lt-proc 'a b.bin' | apertium-tagger -gx 'a b.bin'")
    stateful = Apertium(model=tmp_path)
    with pytest.raises(AssertionError):
        check(stateful, MADE[:3])
    translator.close()
    stateful.close()


@pytest.mark.parametrize("times", [1, 2])
def test_an_accident_is_not_a_texts_fate(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that dies once and is well after that, as when memory is short, loses nothing."""
    count = tmp_path / "count"
    body = (
        f"count = open({str(count)!r}, 'a+'); count.write('x'); count.flush(); count.seek(0)\n"
        f"        if len(count.read()) <= {times}: sys.exit(1)"
    )
    translator = Apertium(model=fake(tmp_path, monkeypatch, body))
    if times == 1:
        assert translator.translate(["the dog"]) == ["the cane"]
    else:
        with pytest.raises(DataError, match="apertium fails on 'the dog'"):
            translator.translate(["the dog"])
    translator.close()


class _Neighbours:
    """A network whose answer to a text depends on how long the longest of its batch is."""

    def __init__(self, *args: object, **options: object) -> None:
        pass

    def translate_batch(self, texts: list[list[str]], **options: Any) -> list[SimpleNamespace]:
        found, size = [], options["max_batch_size"]
        for first in range(0, len(texts), size):
            batch = texts[first : first + size]
            found += [f"{text[0]} {max(len(one[0]) for one in batch)}" for text in batch]
        return [SimpleNamespace(hypotheses=[[text]]) for text in found]


class _Shapes(TransformerTranslator):
    """One whose answer to a text depends on the shape of the batch that the text is in."""

    def _generate(self, texts: Sequence[Sequence[int]], width: int, rows: int) -> list[list[int]]:
        assert len(texts) <= rows
        return [[*text[1:-1], width % 30 + 4, rows % 30 + 4] for text in texts]


def test_a_transformer_is_given_shapes_that_each_text_decides(nllb_folder: Path) -> None:
    check(_Shapes(str(nllb_folder), batch_tokens=64))


def test_argos_gives_a_text_no_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.bin").write_bytes(b"weights")
    tokenizer = SimpleNamespace(encode=lambda text: [text], decode="".join)
    package = SimpleNamespace(package_path=tmp_path, target_prefix="", tokenizer=tokenizer)
    threads = {"inter_threads": 1, "intra_threads": 0}
    sizes = {"compute_type": "auto", "batch_size": 32, "beam_size": 4}
    settings = SimpleNamespace(device="cpu", **threads, **sizes)
    monkeypatch.setattr(argos, "is_installed", lambda: True)
    monkeypatch.setattr(argos, "_open_package", lambda *asked: package)
    monkeypatch.setattr(argos, "_load_settings", lambda: settings)
    monkeypatch.setitem(sys.modules, "ctranslate2", SimpleNamespace(Translator=_Neighbours))
    check(Argos())


def test_transformers(marian_folder: Path) -> None:
    check(TransformerTranslator(str(marian_folder), batch_tokens=48), MADE[1:5])


@pytest.mark.thorough
def test_argos(argos_file: Path, tmp_path: Path) -> None:
    check(Argos(model=argos_file, cache=tmp_path))
