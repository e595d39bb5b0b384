from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.translate.engines import apertium, argos
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import anchor, resolve
from corefmill.corpora.files.errors import UsageError
from tests.builders.translate.engines.fakes import fake


def test_without_any_the_two_commands_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(argos, "is_installed", lambda: False)
    monkeypatch.setattr(apertium, "list_modes", lambda folder=None: [])
    with pytest.raises(UsageError) as caught:
        resolve(TranslatorRequest())
    assert apertium.INSTALL in str(caught.value)
    assert argos.INSTALL in str(caught.value)
    with pytest.raises(UsageError, match="no translator from 'en' to 'el'"):
        resolve(TranslatorRequest(target="el"))


def test_the_best_that_is_installed_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch)
    monkeypatch.setenv("APERTIUM_DATADIR", str(tmp_path))
    monkeypatch.setattr(argos, "find", lambda source, target: None)
    asked = TranslatorRequest(cache=tmp_path)
    assert resolve(asked).name == "apertium eng-ita"

    def refuse(source: str, target: str) -> None:
        raise UsageError("no home")

    monkeypatch.setattr(argos, "find", refuse)
    assert resolve(asked).name == "apertium eng-ita"


@pytest.mark.thorough
def test_argos_goes_before_apertium(
    argos_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zipfile

    from argostranslate import settings

    with zipfile.ZipFile(argos_file) as file:
        file.extractall(tmp_path)
    monkeypatch.setattr(settings, "package_dirs", [tmp_path])
    found = resolve(TranslatorRequest(cache=tmp_path))
    assert found.name == "argos translate-en_it-1_0"
    assert found.translate(["la casa"]) == found.translate(["la casa"])
    assert (tmp_path / "translations.sqlite3").is_file()


def test_the_device_is_found_before_tasks_start(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    asked = anchor(TranslatorRequest(name="transformers", model="m"))
    assert (asked.device, asked.model) == (("cuda", "fp16"), "m")


@pytest.mark.parametrize(
    ("name", "model", "message"),
    [
        ("google", None, "no translator 'google'.*argos, apertium, transformers"),
        ("transformers", None, "transformers needs --model"),
        (None, "x", "--model has no effect without --translator"),
    ],
)
def test_options_that_do_not_fit(name: str | None, model: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(TranslatorRequest(name=name, model=model))


def test_the_path_of_a_model_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "opus").mkdir()
    for name in ("apertium", None):
        asked = anchor(TranslatorRequest(name=name, model="opus"))
        assert asked.model == str(tmp_path / "opus")
    assert anchor(TranslatorRequest(name="argos")).model is None
    assert anchor(TranslatorRequest(name="openai", model="opus")).model == "opus"
    with pytest.raises(UsageError, match="'argoz', did you mean argos"):
        anchor(TranslatorRequest(name="argoz", model="opus"))
