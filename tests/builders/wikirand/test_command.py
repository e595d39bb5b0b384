"""`build wikirand` as a user gives it, on the sample that ships with the project."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from corefmill.corpora.files import jsonl
from corefmill.corpora.records import MaskedExample
from tests.commands import command, json_result


def _sizes(directory: Path) -> Counter[tuple[int, int]]:
    return Counter(
        (len(record.sentences), len(record.meta["tokens"]))
        for split in ("train", "validation")
        for record in jsonl.read(directory / f"{split}.jsonl", MaskedExample)
    )


def test_the_control_of_the_sample_corpus(tmp_path: Path) -> None:
    common = ("--lang", "en", "--dump", "sample", "--workers", "1", "--json")
    names = command("build", "wikicrem", *common, cwd=tmp_path)
    assert names.returncode == 0, names.stderr
    control = command("build", "wikirand", *common, "--like", "out/wikicrem-en", cwd=tmp_path)
    assert control.returncode == 0, control.stderr
    expected, made = json_result(names.stdout), json_result(control.stdout)
    assert made["splits"] == expected["splits"]
    assert made["out"].endswith("out/wikirand-en")
    met = _sizes(tmp_path / "out/wikirand-en") & _sizes(tmp_path / "out/wikicrem-en")
    # The sample is small: a very long passage may have to stand in for the only one of its size.
    assert met.total() == made["counts"]["fit"]["same_size"] >= 0.95 * expected["examples"]


def test_what_is_no_corpus_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = command("build", "wikirand", "--like", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"build: {tmp_path}: no corpus is here")
    assert done.stderr.count("\n") == 1
