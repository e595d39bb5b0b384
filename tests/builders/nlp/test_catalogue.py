"""What is here and what can be had, from what is on disk."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from corefmill.builders.nlp import catalogue
from corefmill.builders.nlp.catalogue import offers


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "entry_points", lambda group: ())
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    return tmp_path


def test_the_shipped_pipeline_comes_first() -> None:
    first = offers("en")[0]
    assert (first.name, first.state, first.kind) == ("en_mini", "ships", "spaCy")
    assert {"sentences", "tags", "trees", "names"} <= set(first.does)
    assert first.licence == "CC BY-NC-SA 4.0"


def test_what_can_be_had_says_how() -> None:
    how = {offer.name: offer.how for offer in offers("it") if offer.state == "available"}
    assert how["it_core_news_lg"] == "python -m spacy download it_core_news_lg"
    assert how["stanza"].endswith("corefmill models download stanza --lang it")
    assert "xx_ent_wiki_sm" in how
    assert "en_core_web_sm" not in how


def test_stanza_models_that_were_downloaded_are_here(nothing_here: Path) -> None:
    (nothing_here / "resources.json").write_text(json.dumps({"it": {}, "de": {}}))
    for part in ("tokenize", "ner"):
        (nothing_here / "it" / part).mkdir(parents=True)
        (nothing_here / "it" / part / "a.pt").touch()
    (found,) = [offer for offer in offers("it") if offer.kind == "Stanza"]
    assert (found.state, found.does) == ("installed", ("sentences", "names"))
    assert [offer.state for offer in offers("de") if offer.kind == "Stanza"] == ["available"]


def test_an_installed_pipeline_is_not_offered_again(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = nothing_here / "en_core_web_sm-3.8.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: en_core_web_sm\nVersion: 3.8.0\n")
    (told / "entry_points.txt").write_text("[spacy_models]\nen_core_web_sm = en_core_web_sm\n")
    monkeypatch.syspath_prepend(nothing_here)
    monkeypatch.setattr(catalogue, "entry_points", entry_points)
    assert [o.state for o in offers("en") if o.name == "en_core_web_sm"] == ["installed"]


def test_every_language_has_one_offer_at_least_by_its_own_name() -> None:
    every = offers()
    assert len({(offer.name, offer.lang) for offer in every}) == len(every)
    assert {"af", "it", "zh-hant", "mk"} <= {offer.lang for offer in every}
