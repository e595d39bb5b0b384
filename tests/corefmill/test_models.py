"""`corefmill models`: lists, scores on small files of our own, and errors of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import ROOT, command, json_result
from tests.corefmill.dumps import error_line

TREES = """# text = She saw Victor.
1\tShe\tshe\tPRON\tPRP\tCase=Nom|Gender=Fem|Number=Sing|Person=3|PronType=Prs\t2\tnsubj\t_\t_
2\tsaw\tsee\tVERB\tVBD\tMood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin\t0\troot\t_\t_
3\tVictor\tVictor\tPROPN\tNNP\tNumber=Sing\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
NAMES = "She\tO\nmet\tO\nDenise\tB-PRS\nin\tO\nLondon\tB-GPE\n.\tO\n"


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "trees.conllu"
    path.write_text(TREES, encoding="utf-8")
    return path


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.tsv"
    path.write_text(NAMES, encoding="utf-8")
    return path


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


def test_the_models_of_documents_that_ship_are_listed_with_what_they_learnt_from() -> None:
    """They once were named by no list."""
    weights = ROOT / "coref_model" / "documents" / "weights"
    listed = json_result(command("corefmill", "models", "list", "--lang", "en", "--json").stdout)
    own = {one["name"]: one for one in listed if one["kind"] == "documents"}
    assert own.keys() == {path.parent.name for path in weights.glob("*/model.toml")}
    for one in own.values():
        assert one["does"] == ["clusters"] and "CoNLL " in one["scores"]
        assert one["licence"] == "CC-BY-NC-SA-4.0", "as its LICENCE.txt has it"
    shown = command("corefmill", "models", "list", "--lang", "it").stdout
    assert not any(f"predict --model {name}" in shown for name in own)


def test_a_language_that_nobody_serves_is_no_error() -> None:
    assert "No pipeline is here for language 'qq'." in models("list", "--lang", "qq")


@pytest.mark.parametrize("more", [(), ("--gold-tokens",), ("--gold-sentences",)])
def test_trees(trees: Path, more: tuple[str, ...]) -> None:
    shown = models("evaluate", "en_mini", trees, "--details", *more)
    assert "1 texts of 1 sentences" in shown
    for line in ("Words          1.000   1.000  1.000      4       4  4", "nsubj PRON", "Gender"):
        assert line in shown
    report = json_result(models("evaluate", "en_mini", trees, "--json", *more))
    given = {(): "text", ("--gold-tokens",): "words", ("--gold-sentences",): "sentences"}
    assert report["given"] == given[more]
    assert report["scores"]["Words"] == {"precision": [4, 4], "recall": [4, 4], "f1": 1.0}
    assert report["scores"]["Lemmas"] == {"precision": [4, 4], "recall": [4, 4], "f1": 1.0}
    assert report["relations"]["nsubj"]["recall"][1] == 1


def test_what_a_pipeline_lacks_has_no_score(trees: Path) -> None:
    assert "The pipeline has no XPOS." in models("evaluate", "it_mini", trees)
    assert json_result(models("evaluate", "it_mini", trees, "--json"))["scores"]["XPOS"] is None


@pytest.mark.parametrize("more", [(), ("--gold-tokens",)])
def test_names(names: Path, more: tuple[str, ...]) -> None:
    report = json_result(models("evaluate", "en_mini", names, "--json", *more))
    assert set(report["scores"]) == {"PERSON", "LOC", "all"}
    assert report["scores"]["all"]["recall"] == [2, 2]
    assert "PERSON" in models("evaluate", "en_mini", names, "--map", "LOC=", *more)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "en_mini", "no.conllu"], "no.conllu: there is no such file or folder"),
        (["evaluate", "no_such", "NAMES"], "spaCy pipeline 'no_such' does not load"),
        (["evaluate", "en_mini", "NAMES", "--lang", "it"], "is for language 'en', not 'it'"),
        (["evaluate", "en_mini", "NAMES", "--map", "LOC"], "--map 'LOC' is not of the form"),
        (["evaluate", "en_mini", "NAMES", "--gold-sentences"], "sentence by sentence anyway"),
        (["evaluate", "en_mini", "X", "--gold-tokens", "--gold-sentences"], "one of the two"),
        (["evaluate", "stanza", "NAMES"], "name one by --lang"),
        (["evaluate", "en_mini", "BROKEN"], "broken.conllu:2: ID '3' where 2 was expected"),
        (["evaluate", "en_mini", "EMPTY"], "no line with an annotation is in it"),
        (["evaluate", "en_mini", "LATIN"], "latin.conllu:1: not UTF-8 at byte 3"),
        (["evaluate", "en_mini", "."], "cannot be opened: Is a directory"),
        (["download", "en_core_web_sm", "--lang", "en"], "python -m spacy download en_core_web"),
        (["download", "stanza"], "Missing option '--lang'"),
        (["nope"], "No such command 'nope'"),
    ],
)
def test_errors_are_one_line(tmp_path: Path, names: Path, arguments: list[str], said: str) -> None:
    first, _, rest = TREES.partition("\n2\t")
    files = {
        "NAMES": NAMES.encode(),
        "BROKEN": (first.partition("\n")[2] + "\n3\t" + rest).encode(),
        "EMPTY": b"\n",
        "LATIN": "Zo\u00eb\tO\n".encode("latin-1"),
    }
    for name, content in files.items():
        (tmp_path / f"{name.lower()}.conllu").write_bytes(content)
    given = [f"{word.lower()}.conllu" if word in files else word for word in arguments]
    assert said in error_line(command("corefmill", "models", *given, cwd=tmp_path))
