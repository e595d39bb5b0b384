"""Settings: what overrides what, and how a mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model.training.config import (
    LoopSettings,
    choose_presets,
    list_presets,
    resolve,
)
from corefmill.coref_model.training.task import KINDS, load_kind
from corefmill.corpora.files.errors import DataError, UsageError
from tests.coref_model.training.toy import TABLE


def written(folder: Path, text: str) -> Path:
    path = folder / "my.toml"
    path.write_text(text)
    return path


def test_each_layer_goes_over_the_last(tmp_path: Path) -> None:
    mine = written(tmp_path, "epochs = 5\nclip = 2\n[short]\nclip = 3\n[own]\nseed = 8\n")
    assert resolve(LoopSettings, TABLE).epochs == 3
    assert resolve(LoopSettings, TABLE, presets=["short"]).epochs == 1
    both = resolve(LoopSettings, TABLE, file=mine, presets=["short", "own"])
    assert (both.epochs, both.clip, both.seed) == (5, 3.0, 8)
    last = resolve(LoopSettings, TABLE, file=mine, presets=["own"], sets=["seed=9", "clip=1"])
    assert (last.clip, last.seed) == (1.0, 9)
    assert list_presets(TABLE, mine) == ["short", "own"]


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ("epoch=3", r"--set epoch=3: no setting 'epoch', did you mean epochs\? \(there are"),
        ("epochs", r"--set 'epochs' is not of the form key=value"),
        ("epochs=0", r"--set epochs=0: epochs = 0: input should be greater than or equal to 1"),
        ("epochs=1.5", r"epochs = 1\.5: input should be a valid integer"),
        ("seed=9223372036854775808", "input should be less than or equal to 9223372036854775807"),
        ("seed=" + "9" * 5000, "seed = .*input should be a valid integer"),
        ("epochs=9999999999", "epochs = 9999999999: input should be less than or equal to"),
        ("clip=inf", "clip = Infinity: input should be"),
        ("clip=1e300", "input should be less than or equal to 1000000"),
        ("warmup=nan", "warmup = NaN: input should be"),
        ("warmup=2", r"warmup = 2: input should be less than or equal to 1"),
        ("precision=fp8", r"input should be 'auto', 'fp32' or 'bf16'"),
    ],
)
def test_a_wrong_option_is_named(sets: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        resolve(LoopSettings, TABLE, sets=[sets])


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# mine\n\nbatch = 3\n", 3, "no setting 'batch' .*there are epochs, max_steps"),
        ("epochs = 2\n[own]\nepoch = 3\n", 3, "no setting 'epoch', did you mean epochs"),
        ("epochs = 2\n[own]\n  epochs = 0\n", 3, "epochs = 0: input should be greater"),
        ("epochs = 0\n[own]\nclip = 0\n", 1, "epochs = 0: input should be greater"),
        ("epochs 2\n", 1, "not TOML: .*line 1"),
    ],
)
def test_a_wrong_key_in_a_file_is_told_with_its_line(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DataError, match=said) as error:
        resolve(LoopSettings, TABLE, file=path, presets=["own"] if "[own]" in text else [])
    assert (error.value.path, error.value.line) == (str(path), line)


def test_no_such_preset_or_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no preset 'big' \(there are short\)"):
        resolve(LoopSettings, TABLE, presets=["big"])
    with pytest.raises(DataError, match="cannot be opened"):
        resolve(LoopSettings, TABLE, file=tmp_path / "none.toml")


@pytest.mark.parametrize("table", KINDS)
def test_every_preset_of_a_task_resolves(table: str) -> None:
    for preset in list_presets(table):
        assert resolve(load_kind(table).Settings, table, presets=[preset])


def test_the_refusal_by_a_rule_of_the_task_is_told_in_its_own_words() -> None:
    said = r'--set genre=\(: genre = "\(": this is not a regular expression: '
    with pytest.raises(UsageError, match=said):
        resolve(load_kind("documents").Settings, "documents", sets=["genre=("])


def test_cpu_where_there_is_no_gpu_unless_something_else_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = tmp_path / "a.toml"
    plain.write_text("[paper]\nlr = 1.0\n")
    for gpu, expected in ((False, ["cpu"]), (True, [])):
        monkeypatch.setattr("torch.cuda.is_available", lambda gpu=gpu: gpu)
        assert choose_presets([], "masked") == expected
        assert choose_presets([], plain) == []
        assert choose_presets(["paper", "code"], "masked") == ["paper", "code"]
        assert choose_presets(["default"], "masked") == []
