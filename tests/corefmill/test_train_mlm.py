"""`train mlm` and `train search` as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import jsonl
from tests.commands import command, json_result
from tests.coref_model.masked.passages import PASSAGES
from tests.corefmill.dumps import error_line
from tests.corefmill.trained import called

TINY = ("--encoder", "tiny", "--set", "length=16", "--set", "batch_pieces=64")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text").mkdir()
    for name in "ab":
        words = "An ox was at it. He had his ox. They said it is not so. " * 4
        (tmp_path / "text" / f"{name}.txt").write_text(words)
    return tmp_path / "text"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for split in ("train", "validation"):
        (folder / f"{split}.jsonl").write_bytes(
            b"".join(jsonl.dumps(one) + b"\n" for one in PASSAGES)
        )
    return folder


def test_mlm_makes_a_head_once(text: Path, tmp_path: Path) -> None:
    given = ("mlm", "--text", text, *TINY, "--lora", "2", "--out", "head", "--json")
    made = command("train", *given, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    result = json_result(made.stdout)
    assert (result["documents"], result["out"]) == (2, "head")
    assert result["scores"]["pieces"] > 0
    left = {path.name for path in (tmp_path / "head").iterdir() if path.name[0] != "."}
    assert left == {"README.md", "curves.png", "head.safetensors", "head.toml", "log.csv"}
    card = (tmp_path / "head/README.md").read_text("utf-8")
    assert "train mlm --text text " in card and str(tmp_path) not in card
    assert error_line(command("train", *given, cwd=tmp_path)) == (
        "head: a head is here (--overwrite replaces it, --out names another folder)"
    )
    assert command("train", *given, "--overwrite", cwd=tmp_path).returncode == 0


def test_search_tries_the_grid(corpus: Path, tmp_path: Path) -> None:
    given = ("--encoder", "tiny", "--set", "lora=0", "--lr", "0.01,0.001", "--beta", "0.2")
    made = command("train", "search", "--corpus", corpus, *given, "--alpha", "5", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "2 settings of the grid" in made.stdout.splitlines()[0]
    assert made.stdout.count("| 5 | 0.2 |") == 2
    assert (tmp_path / "out" / "search" / "corpus-tiny" / "search.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("search --corpus corpus --lr x", "--lr 'x' is no list of numbers"),
        ("search --corpus corpus --alpha 5,5", "alpha of the grid is [5.0, 5.0]"),
        ("search --corpus corpus --beta nan", "beta of the grid is [nan]"),
        ("search --corpus corpus --lr 1e300", "lr of the grid is [1e+300]"),
        ("mlm --text text --lora 99999999", "should be less than or equal to 4096"),
        ("mlm --text text --lora 1 --set lora=2", "--lora and --set lora=2 exclude each other"),
        ("mlm --text nothing.txt", "nothing.txt: no text here"),
        ("mlm --text text --encoder nowhere", "no encoder 'nowhere'"),
        ("mlm --text text --set mask=0.2", "no setting 'mask', did you mean masked?"),
    ],
)
def test_what_does_not_fit_is_one_line(
    text: Path,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, error = called("train", arguments.split(), capsys)
    assert (code, out) == (2, "") and error.count("\n") == 1
    assert said in error
