"""`corefmill evaluate`: tables, answers, protocols, and what it refuses."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.corpora.formats import gap
from tests.commands import called, json_result
from tests.corefmill import trained

pytest.importorskip("torch", reason="needs the extra train")

Evaluate = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and a model of it."""
    folder = tmp_path_factory.mktemp("made")
    trained.folder(folder / "names", trained.examples(8), trained.examples(4))
    trained.model(folder / "names", folder / "model")
    return folder


@pytest.fixture
def masked(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model in a copy of the folder, from where the test runs."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path, dirs_exist_ok=True))
    return tmp_path / "model"


@pytest.fixture
def evaluate(masked: Path) -> Evaluate:
    """Runs the command with the model: its exit code, output and errors."""
    return lambda *line: called("corefmill", "evaluate", "--model", masked, *line)


def test_a_table_states_model_data_split_and_size(masked: Path, evaluate: Evaluate) -> None:
    code, said, _ = evaluate("--corpus", "names")
    assert code == 0
    assert said.startswith(f"Model {masked}: encoder tiny, trained on names, seed 0.")
    *_, row, _, signed = said.splitlines()
    assert row.split()[:2] == ["names", "validation"] and row.split()[-1] == "4"
    assert signed.startswith("Signature of names, given candidates: evaluation|metrics:accuracy|")
    assert "Signature" not in evaluate("--corpus", "names", "--quiet")[1]


def test_a_signature_is_of_what_is_judged_and_how(masked: Path, evaluate: Evaluate) -> None:
    """Another model, folder or name of a file says nothing; records, seed and split do."""

    def signed(*more: str | Path, corpus: str = "names") -> str:
        code, said, _ = evaluate("--corpus", corpus, *more, "--json")
        told = json.loads(said)
        assert code == 0 and "signature" not in told["result"]["rows"][0]
        return str(told["signature"])

    first = signed()
    assert "|examples:4|bootstrap:2000|seed:0|key:" in first
    trained.folder(Path("copy"), trained.examples(8), trained.examples(4))
    Path("elsewhere.jsonl").write_bytes(Path("names/dev.jsonl").read_bytes())
    assert signed(corpus="copy") == first == signed(corpus="elsewhere.jsonl")
    trained.folder(Path("other"), trained.examples(8), trained.examples(5))
    others = [signed("--seed", "1"), signed("--split", "train"), signed(corpus="other")]
    assert len({first, *others}) == 4


def test_json_and_answers(masked: Path, evaluate: Evaluate) -> None:
    code, said, error = evaluate("--corpus", "names", "--json", "--answers", "a.csv")
    assert (code, error) == (0, "")
    told = json_result(said)
    assert (told["encoder"], told["rows"][0]["n"]) == ("tiny", 4)
    with Path("a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["e0", "e1", "e2", "e3"]
    right = sum(int(row["correct"]) for row in rows)
    assert told["rows"][0]["score"] == pytest.approx(25 * right)


def test_gap_with_names_that_a_pipeline_finds(masked: Path, evaluate: Evaluate) -> None:
    head = "\t".join(gap.HEADER)
    text = "Anna Smith wrote to Mary Jones when she was in London."
    row = ["v-1", text, "she", "36", "Anna Smith", "0", "TRUE", "Mary Jones", "20", "FALSE"]
    url = "http://en.wikipedia.org/wiki/Anna"
    lines = [head, "\t".join([*row, url])]
    Path("gap-validation.tsv").write_text("".join(line + "\n" for line in lines))
    code, said, _ = evaluate(
        *("--corpus", "gap-validation.tsv", "--markdown"),
        *("--candidates", "found", "--nlp", "en_mini"),
    )
    assert code == 0
    assert "| gold candidates |" in said and "| names found |" in said


def test_documents_and_events_have_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trained.folder(tmp_path / "docs", trained.documents(3), trained.documents(2))
    trained.folder(tmp_path / "events", trained.mentions(16), trained.mentions(8))
    for name in ("docs", "events"):
        model = trained.model(tmp_path / name, tmp_path / f"{name}-model")
        line = ("evaluate", "--model", model, "--corpus", name, "--json")
        code, said, _ = called("corefmill", *line)
        assert code == 0
        found = {(row["metric"], row["protocol"], row["by"]) for row in json_result(said)["rows"]}
        assert any(metric == "CoNLL F1" for metric, *_ in found)
        if name == "events":
            assert any(by == "same head lemma, en_mini 0.2.0" for *_, by in found)
        else:
            assert all("singletons dropped" in protocol for _, protocol, _ in found)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--corpus", "names", "--split", "test"], "names has no test split"),
        (["--corpus", "docs"], "docs holds documents, and the model is for masked examples"),
    ],
)
def test_refusals(evaluate: Evaluate, arguments: list[str], says: str) -> None:
    trained.folder(Path("docs"), trained.documents(2), trained.documents(1))
    code, said, error = evaluate(*arguments)
    assert (code, said) == (2, "") and says in error and error.count("\n") <= 2


def test_what_fails_costs_no_other_corpus_its_result(masked: Path, evaluate: Evaluate) -> None:
    good = Path("names/dev.jsonl").read_text()
    Path("broken.jsonl").write_text(good + "{}\n")
    Path("after.jsonl").write_text(good)
    arguments = ["--corpus", "names,broken.jsonl,after.jsonl"]
    code, said, error = evaluate(*arguments, "--answers", "a.csv")
    assert code == 2 and said.count("the model ") == 2
    assert "broken.jsonl failed: " in error and "1 of 3 corpora failed: broken.jsonl" in error
    with Path("a.csv").open() as file:
        assert {row["corpus"] for row in csv.DictReader(file)} == {"names", "after"}
    code, said, _ = evaluate(*arguments, "--json")
    told = json.loads(said)
    assert code == 2 and list(told["result"]["failed"]) == ["broken.jsonl"]
    assert {row["corpus"] for row in told["result"]["rows"]} == {"names", "after"}
