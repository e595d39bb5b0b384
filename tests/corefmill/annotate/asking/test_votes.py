"""The file of a model's votes: replaced unasked only where a run has more to ask."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.annotate import judgements
from corefmill.annotate.asking import votes
from corefmill.annotate.asking.run import RaterOutcome
from corefmill.annotate.judgements import Judgement
from corefmill.corpora.errors import UsageError

VOTE = Judgement(item="a", rater="model m", person=False, question="valid", answer="yes")


def outcome(*, left: int) -> RaterOutcome:
    made = RaterOutcome(questions=2, flagged=0, votes=[VOTE], left=left)
    made.without_vote["unstable"].append(("b", "valid"))
    return made


def test_votes_are_written_with_how_they_came_about(tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    votes.write(out, outcome(left=1), {"rater": "model m"})
    assert list(judgements.read(out)) == [VOTE]
    about = json.loads(votes.beside(out).read_text("utf-8"))
    assert votes.beside(out).name == "m.asked.json" and votes.cache_beside(out).name == "m.cache"
    assert (about["rater"], about["complete"]) == ("model m", False)
    assert about["without_vote"] == {"unstable": [["b", "valid"]]}


@pytest.mark.parametrize("name", ["0.5", "qwen-0.6B", "votes.txt", ".hidden"])
def test_a_name_with_a_dot_is_kept_whole(name: str) -> None:
    out = Path("folder") / name
    assert votes.beside(out) == Path(f"folder/{name}.asked.json")
    assert votes.cache_beside(out) == Path(f"folder/{name}.cache")


@pytest.mark.parametrize("name", [".", "/", "a/.."])
def test_a_folder_is_no_place_for_votes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="this is a folder"):
        votes.make_way_for(Path(name), overwrite=False)


def test_a_run_that_has_something_left_goes_on_unasked(tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    votes.write(out, outcome(left=1), {})
    votes.make_way_for(out, overwrite=False)


@pytest.mark.parametrize("what", ["whole", "votes changed", "no account", "damaged account"])
def test_anything_else_is_replaced_only_when_told(tmp_path: Path, what: str) -> None:
    out = tmp_path / "m.jsonl"
    votes.write(out, outcome(left=what != "whole"), {})
    if what == "votes changed":
        out.write_bytes(out.read_bytes() * 2)
    elif what == "no account":
        votes.beside(out).unlink()
    elif what == "damaged account":
        votes.beside(out).write_text("[" * 100_000)
    with pytest.raises(UsageError, match="is there already"):
        votes.make_way_for(out, overwrite=False)
    votes.make_way_for(out, overwrite=True)
