"""Which pipeline is taken, and which kind a name stands for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import spacy

from corefmill.builders.nlp import choose, load, shipped, stanza_backend
from corefmill.corpora.errors import UsageError


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that spaCy says are installed, for the test to fill."""
    found: list[str] = []
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: found)
    return found


def test_ours_is_chosen_whatever_else_is_installed(installed: list[str]) -> None:
    installed += ["en_core_web_sm", "en_core_web_trf", "it_core_news_lg"]
    assert (choose("en"), choose("it")) == ("en_mini", "it_mini")


def test_where_ours_is_not_here_the_largest_installed_one_is_chosen(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "names", lambda: ["en_mini"])
    installed += ["de_core_news_sm", "en_core_web_trf", "de_core_news_lg", "de_core_news_md"]
    assert choose("de") == "de_core_news_lg"
    installed.append("de_core_news_trf")
    assert choose("de") == "de_core_news_trf"


def test_an_installed_pipeline_of_another_language_does_not_serve(installed: list[str]) -> None:
    installed.append("elm_core_news_lg")
    with pytest.raises(UsageError, match="no pipeline for language 'el'"):
        choose("el")


def test_a_language_without_any_says_what_to_install(installed: list[str]) -> None:
    assert installed == []
    with pytest.raises(UsageError, match="no pipeline for language 'xx-no-such'") as caught:
        choose("xx-no-such")
    assert "--nlp NAME|DIR" in str(caught.value)


@pytest.mark.parametrize(
    ("lang", "ways"),
    [("el", ["python -m spacy download el_core_news_sm"]), ("hi", [])],
)
def test_only_pipelines_that_there_are_are_named(
    installed: list[str], lang: str, ways: list[str]
) -> None:
    assert installed == []
    with pytest.raises(UsageError) as caught:
        choose(lang)
    assert re.findall("`([^`]* download [^`]*)`", str(caught.value)) == ways


@pytest.fixture
def stanza(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What a Stanza pipeline was asked for with."""
    asked: list[tuple[object, ...]] = []

    def pipeline(
        lang: str, package: str = "default", folder: Path | None = None, *, names: bool
    ) -> None:
        asked.append((lang, package, folder, names))

    monkeypatch.setattr("corefmill.builders.nlp.resolve.StanzaPipeline", pipeline)
    return asked


def test_stanza_is_named_with_or_without_a_package(stanza: list[tuple[object, ...]]) -> None:
    load("stanza", "it")
    load("stanza:isdt", "it", names=False)
    assert stanza == [("it", "default", None, True), ("it", "isdt", None, False)]


def test_a_folder_of_stanza_models_is_stanzas(
    tmp_path: Path, stanza: list[tuple[object, ...]]
) -> None:
    (tmp_path / stanza_backend.RESOURCES).write_text("{}")
    load(str(tmp_path), "it")
    assert stanza == [("it", "default", tmp_path, True)]


def test_stanza_needs_a_language() -> None:
    with pytest.raises(UsageError, match=r"'stanza' stands for .*name one by --lang"):
        load("stanza")


def test_any_other_name_is_spacys() -> None:
    backend = load("en_mini")
    assert backend.name == "en_mini"
    assert backend.identity.startswith(backend.version)
