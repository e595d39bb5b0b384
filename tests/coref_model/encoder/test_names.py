"""Encoders are found by name, and are refused in one line."""

from __future__ import annotations

import io
import json
import shutil
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from corefmill import coref_model
from corefmill.coref_model.encoder import names
from corefmill.coref_model.encoder.names import load, load_without_weights
from corefmill.coref_model.encoder.tensors import save
from corefmill.corpora.files.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Any connection fails the test, and the cache of Hugging Face is empty."""

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))


def change_json(path: Path, **change: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def test_minilm_is_the_installed_package() -> None:
    minilm = load()
    assert (minilm.name, minilm.width, minilm.window) == ("minilm", 384, 512)
    assert len(minilm.word_embeddings) == 30522
    assert minilm.frozen


def test_tiny_is_the_same_for_a_seed_and_leaves_the_generator_alone() -> None:
    state = torch.random.get_rng_state()
    assert load("tiny").fingerprint == load("tiny").fingerprint != load("tiny", seed=1).fingerprint
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_trained_model_lends_its_encoder_by_name_or_folder() -> None:
    learnt = coref_model.load().encoder
    for name in (coref_model.SMALL, str(names.find_model(coref_model.SMALL))):
        lent = load(name)
        assert lent.frozen and lent.name == name
        assert torch.equal(lent.word_embeddings, learnt.word_embeddings)
    assert lent.fingerprint == load(coref_model.SMALL).fingerprint != load().fingerprint


def test_a_model_whose_encoder_learnt_nothing_lends_none(tmp_path: Path) -> None:
    (tmp_path / "model.toml").touch()
    save({"scorer.weight": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(UsageError, match=r"learnt nothing of its own.*name the encoder"):
        load(str(tmp_path))


def test_a_folder_without_weights_or_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no config\.json"):
        load(str(tmp_path))
    load("tiny").save(tmp_path, weights=False)
    with pytest.raises(DataError, match=r"no model\.safetensors"):
        load(str(tmp_path))
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(DataError, match=r"pickled.*save_pretrained"):
        load(str(tmp_path))


def test_broken_files_are_refused_in_one_line(tmp_path: Path) -> None:
    load("tiny").save(tmp_path / "whole")
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        broken = tmp_path / name
        shutil.copytree(tmp_path / "whole", broken)
        (broken / name).write_bytes(b"{ not this")
        with pytest.raises(
            DataError, match=r"cannot be loaded as an encoder|cannot be read"
        ) as raised:
            load(str(broken))
        assert str(raised.value).startswith((f"{broken}: cannot be loaded ", f"{broken / name}: "))
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "offline"), [("no-such/encoder", "1"), ("minlm", ""), ("../nowhere", ""), ("", "")]
)
def test_an_unknown_name_is_one_clear_error(
    name: str, offline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    with pytest.raises(UsageError, match="neither a folder nor in the local Hugging Face cache"):
        load(name)


def test_a_name_in_the_local_cache_is_found(tmp_path: Path) -> None:
    cached = tmp_path / "cache" / "models--some--tiny"
    whole = load("tiny")
    whole.save(cached / "snapshots" / "abc")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc")
    assert load("some/tiny").fingerprint == whole.fingerprint


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_code_of_a_folder_is_never_run_and_nobody_is_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("tiny").save(tmp_path)
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    classes = {"AutoConfig": "evil.C", "AutoModel": "evil.M", "AutoTokenizer": ["evil.T", None]}
    change_json(tmp_path / name, model_type="mine", auto_map=classes)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("somebody was asked"))
    for read in (lambda: load(str(tmp_path)), lambda: load_without_weights(tmp_path, "it", 50_000)):
        with pytest.raises(DataError, match="auto_map asks for code"):
            read()
    # Were it let through, transformers would still run nothing.
    monkeypatch.setattr(names.model_folder, "check", lambda _: None)
    with suppress(DataError):
        load(str(tmp_path))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": 3}, "lack 16 of the network's tensors"),
        ({"hidden_size": 10**9}, "describes a network of 9,0"),
        ({"vocab_size": 2 * 10**9}, "describes a network of 64,0"),
        ({"max_position_embeddings": 2 * 10**9}, "describes a network of 68,0"),
        ({"intermediate_size": 10**9}, "describes a network of"),
        ({"vocab_size": 100}, r"has the shape \[200, 32\], where config.json says \[100, 32\]"),
        ({"hidden_size": -32}, "cannot be loaded as an encoder"),
        ({"num_attention_heads": 0}, "cannot be loaded as an encoder"),
        ({"layer_norm_eps": "x"}, "cannot be loaded as an encoder"),
        ({"model_type": "nothing"}, "cannot be loaded as an encoder"),
        ({"model_type": "marian"}, "weights lack 349 of"),
    ],
)
def test_a_configuration_that_is_not_of_the_weights_is_one_line(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    load("tiny").save(tmp_path)
    change_json(tmp_path / "config.json", **change)
    with pytest.raises(DataError, match=said) as raised:
        load(str(tmp_path))
    assert "\n" not in str(raised.value)
    if "network of" in said:
        with pytest.raises(DataError, match=said):
            load_without_weights(tmp_path, "it", 50_000)


def test_a_tokenizer_of_more_pieces_than_the_network_reads_is_refused(tmp_path: Path) -> None:
    load("tiny").save(tmp_path)
    model = json.loads((tmp_path / "tokenizer.json").read_text())["model"]
    model["vocab"]["zebra"] = 5000
    change_json(tmp_path / "tokenizer.json", model=model)
    with pytest.raises(DataError, match="has a piece 5000, but the network only 200"):
        load(str(tmp_path))
