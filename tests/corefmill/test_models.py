"""`corefmill models`: lists, and errors of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import ROOT, command, json_result
from tests.corefmill.dumps import error_line


def models(*arguments: str | Path) -> str:
    done = command("corefmill", "models", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_alone_it_lists_what_is_here_and_what_can_be_had() -> None:
    shown = models()
    assert shown == models("list")
    here, _, more = shown.partition("To be had")
    assert "en_mini" in here
    assert "de_core_news_sm" in more
    assert max(map(len, shown.splitlines()[:-3])) <= 120


def test_the_list_of_a_language_says_how_and_comes_as_json_too() -> None:
    assert "python -m spacy download it_core_news_sm" in models("list", "--lang", "it")
    found = json_result(models("list", "--lang", "en", "--json"))
    assert {"name": "en_mini", "state": "ships"}.items() <= found[0].items()


def test_the_trained_models_that_ship_are_listed_with_what_they_learnt_from() -> None:
    """They once were named by no list."""
    does = {"documents": (["clusters"], "conll "), "pointer": (["answers"], "accuracy ")}
    listed = json_result(command("corefmill", "models", "list", "--lang", "en", "--json").stdout)
    own = {one["name"]: one for one in listed if one["kind"] in does}
    ship = (ROOT / "coref_model").glob("*/weights/*/model.toml")
    assert own.keys() == {path.parent.name for path in ship} == {"en_coref", "en_pointer"}
    for one in own.values():
        what, metric = does[one["kind"]]
        assert one["does"] == what and metric in one["scores"]
        assert one["licence"] == "CC-BY-NC-SA-4.0", "as its LICENCE.txt has it"
    shown = command("corefmill", "models", "list", "--lang", "it").stdout
    assert not any(f"predict --model {name}" in shown for name in own)


def test_a_language_that_nobody_serves_is_no_error() -> None:
    assert "No pipeline is here for language 'qq'." in models("list", "--lang", "qq")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["download", "en_core_web_sm", "--lang", "en"], "python -m spacy download en_core_web"),
        (["download", "stanza"], "Missing option '--lang'"),
        (["nope"], "No such command 'nope'"),
    ],
)
def test_errors_are_one_line(arguments: list[str], said: str) -> None:
    assert said in error_line(command("corefmill", "models", *arguments))
