"""The search: every place of the grid once, best first, and no place twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked.search import RESULTS, TABLE, Grid, GridResult, drawn, search
from corefmill.coref_model.masked.task import MaskedSettings
from corefmill.coref_model.training import owned
from corefmill.coref_model.training.config import resolve
from corefmill.corpora.errors import UsageError
from tests.coref_model.masked.passages import PASSAGES

GRID = Grid(lr=(0.01, 0.001), alpha=(5.0,), beta=(0.1, 0.4))
SETTINGS = resolve(MaskedSettings, "masked", sets=["encoder=tiny", "lora=0"])
SPLITS = {"train": PASSAGES, "validation": PASSAGES}


class Loads:
    """Gives encoders and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> Encoder:
        self.count += 1
        return load("tiny")


def run(out: Path, loads: Loads, grid: Grid = GRID, sample: int = 3) -> list[GridResult]:
    return search(
        loads, SETTINGS, SPLITS, grid, out, sample=sample, identity={"corpus": "a"}, quiet=True
    )


def test_each_place_is_tried_once_and_the_best_comes_first(tmp_path: Path) -> None:
    loads = Loads()
    first = run(tmp_path, loads, Grid(lr=(0.01,), alpha=(5.0,), beta=(0.1, 0.4)))
    found = run(tmp_path, loads)
    assert loads.count == 4  # the two that were there are not tried again
    assert set(first) <= set(found)
    assert {(one.lr, one.alpha, one.beta) for one in found} == {
        (0.01, 5.0, 0.1),
        (0.01, 5.0, 0.4),
        (0.001, 5.0, 0.1),
        (0.001, 5.0, 0.4),
    }
    assert [one.accuracy for one in found] == sorted((x.accuracy for x in found), reverse=True)
    assert len(json.loads((tmp_path / RESULTS).read_text())["tried"]) == 4
    assert (tmp_path / TABLE).read_text().count("\n") == 6
    assert not list(tmp_path.glob("runs/*/resume"))


def test_a_search_on_another_sample_is_refused(tmp_path: Path) -> None:
    run(tmp_path, Loads(), Grid(lr=(0.01,), alpha=(5.0,), beta=(0.1,)))
    with pytest.raises(UsageError, match="a search with other settings or data is here"):
        run(tmp_path, Loads(), sample=2)


def test_a_grid_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="alpha of the grid"):
        Grid(alpha=())


def test_the_sample_is_drawn_evenly_and_the_same_for_a_seed() -> None:
    counts = [0] * 10
    for seed in range(2000):
        for number in drawn(range(10), 3, seed):
            counts[number] += 1
    assert all(abs(count - 600) < 100 for count in counts)  # 600 +- 5 deviations
    assert drawn(range(10), 3, 1) == drawn(range(10), 3, 1)
    assert drawn(range(2), 3, 1) == [0, 1]


@pytest.mark.parametrize("at", ["progress.json", "search.json", "search.md"])
def test_a_search_that_was_killed_goes_on_to_the_same_table(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(tmp_path / "whole", Loads())
    replace_file = Path.replace

    def killed(path: Path, target: Path) -> Path:
        if target.name == at:
            raise KeyboardInterrupt
        return replace_file(path, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", killed)
        run(tmp_path / "killed", Loads())
    again = run(tmp_path / "killed", Loads())
    assert [replace(one, seconds=0.0) for one in again] == [
        replace(one, seconds=0.0) for one in whole
    ]
    assert not list((tmp_path / "killed").glob("runs/*/resume"))


def test_what_is_no_search_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "search.md").write_text("mine")
    (tmp_path / "notes").touch()
    with pytest.raises(UsageError, match="something else is here: notes"):
        run(tmp_path, Loads())
    (tmp_path / "notes").unlink()
    with pytest.raises(UsageError, match=r"search\.md is here, and no search\.json"):
        run(tmp_path, Loads())
    (tmp_path / RESULTS).write_text('{"settings": {}, "tried": [{"lr": []}]}')
    with pytest.raises(UsageError, match="did not make are here"):
        run(tmp_path, Loads())
    owned.claim(tmp_path, owned.SEARCH, overwrite=True)
    with pytest.raises(UsageError, match="no search of ours"):
        run(tmp_path, Loads())
    assert (tmp_path / "search.md").read_text() == "mine"
