"""`corefmill annotate report` and `chains` as a user gives them."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.annotate import judgements
from tests.commands import command, json_result
from tests.corefmill.annotate.test_summary import said
from tests.corefmill.dumps import error_line

PEOPLE = "yyyyyyyyyynnynyyyyyy" * 3
MORE = "yyyyny" * 20

CHAINS = """#begin document (a); part 000
a 0 0 Ann - - - - - - - (0)
a 0 1 met - - - - - - - -
a 0 2 Eve - - - - - - - (1)
a 0 3 and - - - - - - - -
a 0 4 her - - - - - - - {}

#end document
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """people.jsonl, of three; good.jsonl and bad.jsonl, of a model each; odd.jsonl of odd names."""
    folder = tmp_path_factory.mktemp("judged")
    contrary = PEOPLE.translate(str.maketrans("yn", "ny"))
    people = [one for name in ("ada", "bob", "cy") for one in said(name, PEOPLE)]
    made = {
        "people": people,
        "good": said("m", PEOPLE + MORE, person=False),
        "bad": said("b", contrary + MORE, person=False),
        "odd": [replace(one, rater="|*x*", question="va`lid") for one in people],
    }
    for name, own in made.items():
        judgements.write(folder / f"{name}.jsonl", own)
    for name, cluster in (("one", "(1)"), ("two", "(0)")):
        (folder / f"{name}.conll").write_text(CHAINS.format(cluster))
    return folder


def annotate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return command("corefmill", "annotate", *words, cwd=folder)


def test_a_report_of_people_and_a_model(folder: Path) -> None:
    done = annotate(folder, "report", "people.jsonl", "good.jsonl", "--bootstrap", "20")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "# What the raters said\n\n## valid\n\n180 items, 360 answers, by 3 people and 1 model;"
        " a person takes 29.5 s an item (median); 2026-11-20 to 2026-11-23\n"
    )
    assert "| yes | 85.0% (73.9-91.9) |" in done.stdout and "| ada | person |" in done.stdout
    assert "| passed |" in done.stdout and "| 1.00 won |" in done.stdout
    done = annotate(folder, "report", "people.jsonl", "good.jsonl", "--bootstrap", "20", "--json")
    (question,) = json_result(done.stdout)["questions"]
    assert question["question"] == "valid" and question["people"] == 3
    assert question["with_models"][0]["votes"] == 120


def test_odd_names_are_shown_and_do_nothing(folder: Path) -> None:
    done = annotate(folder, "report", "odd.jsonl", "--bootstrap", "20")
    assert done.returncode == 0
    assert r"\|\*x\*" in done.stdout and r"## va\`lid" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report", "good.jsonl"), "only models answered the question 'valid'"),
        (("report", "one.conll"), "one.conll:1: not a Judgement"),
        (("chains", "one.conll", "one.conll"), "agreement needs two files or more"),
        (("chains", "one.conll", "people.jsonl"), "people.jsonl"),
    ],
)
def test_what_cannot_be_reported_is_one_line(
    folder: Path, words: tuple[str, ...], message: str
) -> None:
    done = annotate(folder, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert message in error_line(done)


def test_models_alone_are_reported_as_models_if_asked_for(folder: Path) -> None:
    done = annotate(folder, "report", "good.jsonl", "bad.jsonl", "--models", "--bootstrap", "20")
    assert (done.returncode, done.stderr) == (0, "")
    assert "by 0 people and 2 models" in done.stdout and "by people\n" not in done.stdout


def test_chains_of_two_raters(folder: Path) -> None:
    done = annotate(folder, "chains", "one.conll", "two.conll")
    assert (done.returncode, done.stderr) == (0, "")
    # {Ann} {Eve her} against {Ann her} {Eve}. Ann and Eve are 1 - 1/2 * 2/3 apart, her clusters
    # 1 - 1/3 * 1/3: 40/9 over ordered pairs. Of 6 values the 36 ordered pairs are 202/9 apart, so
    # alpha is 1 - 5 * 40/9 / (202/9) = 1/101. Of one document there is no interval.
    told = json_result(annotate(folder, "chains", "one.conll", "two.conll", "--json").stdout)
    assert told["alpha"]["low"] is None
    assert told["pairs"][0]["raters"] == ["one.conll", "two.conll"]
    assert told["alpha"]["value"] == pytest.approx(1 / 101)
    assert f"{told['alpha']['value']:.3f}" in done.stdout and "CoNLL F1" in done.stdout
