"""Folders of models that anyone may have written: what no library is shown."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import model_folder
from corefmill.corpora.files.errors import DataError


def refused(folder: Path, name: str, text: str, said: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(DataError, match=rf"^{re.escape(str(folder / name))}: .*{said}"):
        model_folder.check(folder)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"auto_map": {"AutoConfig": "evil.Config"}}, "auto_map asks for code"),
        ({"text_config": [{"auto_map": ["evil.Tokenizer", None]}]}, "auto_map asks for code"),
        ({"trust_remote_code": True}, "trust_remote_code asks for code"),
        ({"_attn_implementation": "some/kernel"}, "'some/kernel', for which code may be down"),
        ({"attn_implementation": {"": "some/kernel"}}, "for which code may be downloaded"),
        ({"transformers_weights": "adapter_model.bin"}, "names other files"),
        ({"configuration_files": ["config.4.0.0.json"]}, "names other files"),
        ({"num_hidden_layers": 10**9}, r"num_hidden_layers is 1e\+09, beyond the limit of 1,024"),
        ({"num_hidden_groups": 2000}, "num_hidden_groups is 2000, beyond the limit of 1,024"),
        ({"hidden_size": 10**12}, r"hidden_size is 1e\+12, beyond the limit of 2,147,483,647"),
        ({"num_labels": 10**7}, "num_labels is 1e"),
        ({"text_config": {"vocab_size": -(10**12)}}, "vocab_size is -1e"),
        ({"depths": [1] * 5000}, "the length of depths is 5000"),
        ({"hidden_dropout_prob": float("nan")}, "NaN is not a value of JSON"),
        ([1], "a JSON object of settings was expected"),
    ],
)
def test_a_configuration_beyond_bounds_is_refused(tmp_path: Path, config: Any, said: str) -> None:
    refused(tmp_path, "config.json", json.dumps(config), said)


def test_code_of_a_tokenizer_and_adapters_are_refused(tmp_path: Path) -> None:
    auto = json.dumps({"auto_map": {"AutoTokenizer": ["evil.Tokenizer", None]}})
    refused(tmp_path, "tokenizer_config.json", auto, "auto_map asks for code")
    refused(tmp_path, "adapter_config.json", "{}", "an adapter")


def test_what_is_no_file_or_too_large_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(DataError, match="a FIFO"):
        model_folder.check(tmp_path)
    (tmp_path / "config.json").unlink()
    with (tmp_path / "config.json").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(DataError, match="larger than 16,777,216 bytes"):
        model_folder.check(tmp_path)


def test_other_files_and_usual_numbers_are_let_through(tmp_path: Path) -> None:
    usual = {"vocab_size": 250_002, "num_hidden_layers": 48, "rope_theta": 1e6, "auto_map": None}
    usual |= {"id2label": {"0": "a"}, "_attn_implementation": "sdpa", "use_cache": True}
    (tmp_path / "config.json").write_text(json.dumps(usual))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 10**30}))
    (tmp_path / "trainer_state.json").write_text("not ours to read")
    model_folder.check(tmp_path)


def header(path: Path, entries: object, *, length: int | None = None, data: bytes = b"") -> Path:
    text = json.dumps(entries).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


def test_the_numbers_of_a_header_are_those_of_the_file_at_most(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    entries = {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {}}
    assert model_folder.count_file_parameters(header(path, entries, data=bytes(24))) == 6
    entries["a"]["shape"] = [10**9, 10**9]
    assert model_folder.count_file_parameters(header(path, entries)) == path.stat().st_size
    assert model_folder.count_parameters(tmp_path) == path.stat().st_size


@pytest.mark.parametrize("entries", [[], {"a": 1}, {"a": {}}, {"a": {"shape": ["x"]}}])
def test_a_header_that_is_none_is_refused(tmp_path: Path, entries: object) -> None:
    with pytest.raises(DataError, match="its header is broken"):
        model_folder.count_file_parameters(header(tmp_path / "a.safetensors", entries))
