from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.builders.translate.english.source import sample
from corefmill.builders.translate.weights import weigher
from corefmill.builders.translate.weights.calibration import Calibration
from corefmill.builders.translate.weights.evidence import ToWeigh
from corefmill.builders.translate.weights.weigher import Weigher, WeighingOptions
from corefmill.builders.translation.cache import Cached
from corefmill.builders.translation.protocol import Translator
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.corpora import jsonl, sentence_weights
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import conll2012, corefud, ontocorefit
from corefmill.corpora.records import Document
from tests.builders.translate import running
from tests.builders.translate.double import WordForWord
from tests.rules.trees import utterance

GIVEN = [
    ToWeigh("The dog sees.", ("The", "dog", "sees", "."), utterance(f"{form} x X _ 0 root"), 1)
    for form in ("cane", "broken")
]
TABLE = Calibration(
    source="en", target="it", method="placeholders", translator="word for word",
    readings=9, right=3, auc=0.8, low=0.7, high=0.9, intercept=6.0, coefficients={"length": -2.5},
)  # fmt: skip


class Telling(WordForWord):
    """Knows all words but one of each text."""

    def unknown(self, texts: Sequence[str]) -> list[int]:
        return [1 for _ in texts]


class Back(WordForWord):
    """Gives back what is not broken."""

    def translate(self, texts: Sequence[str]) -> list[str]:
        if "broken" in texts:
            raise DataError("broken")
        return ["The dog sees." for _ in texts]


def weigher_of(options: WeighingOptions, translator: Translator) -> Weigher:
    return Weigher(options, translator, "placeholders")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TABLE.lines(), encoding="utf-8")
    return path


def test_what_the_translator_does_not_know_is_asked_behind_a_cache(tmp_path: Path) -> None:
    for translator in (Telling(), Cached(Telling(), tmp_path)):
        found = weigher_of(WeighingOptions(), translator)(GIVEN)
        assert [one.evidence.unknown for one in found] == [1 / 4, 1 / 4]
    assert weigher_of(WeighingOptions(), WordForWord())(GIVEN)[0].evidence.unknown is None


def test_a_translation_back_that_fails_is_like_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(asked: TranslatorRequest) -> Translator:
        return Back()

    monkeypatch.setattr(weigher, "resolve", resolve)
    asked = WeighingOptions(back=TranslatorRequest(name="back", source="it", target="en"))
    found = weigher_of(asked, WordForWord())(GIVEN)
    assert [one.evidence.back for one in found] == [1.0, 0.0]


def test_no_least_weight_without_a_calibration(table: Path) -> None:
    with pytest.raises(UsageError, match="no weights are calibrated for word for word"):
        weigher_of(WeighingOptions(least=0.5), WordForWord())
    found_table = weigher_of(WeighingOptions(least=0.5, table=table), WordForWord())
    assert found_table.calibrations == (TABLE,)
    found = weigher_of(WeighingOptions(), WordForWord())(GIVEN)
    assert [one.weight for one in found] == [None, None]


def test_a_corpus_with_weights(table: Path, tmp_path: Path) -> None:
    weighing = WeighingOptions(table=table, least=0.85)
    options = replace(running.OPTIONS, weighing=weighing)
    running.build(sample() / "validation.conll", tmp_path / "out", options=options)
    documents = list(jsonl.read(tmp_path / "out" / "validation.jsonl", Document))
    weights = [
        one["weight"]
        for document in documents
        for one in document.meta["ontocorefit"]["utterances"].values()
    ]
    assert weights
    assert min(weights) >= 0.85
    assert all(document.sentences for document in documents)
    rejects = json.loads((tmp_path / "out" / "rejects.json").read_text())
    assert rejects["delta utterances"]["weight"] > 0
    assert rejects["delta parts"]["no_utterances"] == 6 - len(documents) > 0
    # In OntoCorefIT's JSON as in CoNLL-U, and the reader of each gives them again.
    again = [one for _, one in ontocorefit.read(tmp_path / "out" / "validation.json", "it")]
    assert [
        one["weight"]
        for document in again
        for one in document.meta["ontocorefit"]["utterances"].values()
    ] == weights
    written = tmp_path / "out.conllu"
    corefud.write(written, documents)
    lines = written.read_text(encoding="utf-8").splitlines()
    assert [float(s.split()[-1]) for s in lines if s.startswith("# weight = ")] == weights
    assert sum(s.startswith("# sent_id = ") for s in lines) == len(weights)
    for read in (again, [one for _, one in corefud.read(written, "it")], documents):
        assert [w for one in read for w in sentence_weights.of(one) or ()] == weights
    for _, one in conll2012.read(tmp_path / "out" / "validation.conll", "it"):
        assert sentence_weights.of(one) == tuple(weights.pop(0) for _ in one.sentences), (
            "CoNLL-2012 has them, too"
        )
    assert not weights
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "calibrated on 9 readings (AUC 0.80, 0.70 to 0.90); left out below 0.85" in card
