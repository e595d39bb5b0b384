"""Model folders: each file of a model, an encoder and a training damaged, absent or a trap."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.attacks.attack import REFUSED, Attack, Conditions, Place, Result, Setup, line
from tests.attacks.seeds import STEPS
from tests.attacks.slots import TEXT, S

Damage = Callable[[Path], object]


def _rewritten(change: Callable[[bytes], bytes]) -> Damage:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _replaced(content: bytes) -> Damage:
    return lambda path: path.write_bytes(content)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _linked(target: str) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return damage


def _header(header: object, length: int | None = None) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + bytes(64)


_TENSOR = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}

ANY: dict[str, Damage] = {
    "gone": lambda path: path.unlink(),
    "empty": _replaced(b""),
    "folder": _folder,
    "fifo": _fifo,
    "zero": _linked("/dev/zero"),
    "dangling": _linked("nowhere"),
    "cut": _rewritten(lambda whole: whole[: len(whole) // 2]),
    "nul": _rewritten(lambda whole: bytes(len(whole))),
    "not-utf-8": _rewritten(lambda whole: b"\xff\xfe" + whole),
    "flipped": _rewritten(lambda whole: whole[:50] + bytes([whole[50] ^ 255]) + whole[51:]),
    "pickle": _replaced(b"\x80\x04cos\nsystem\n(S'touch PWNED'\ntR."),
    "html": _replaced(b"<!DOCTYPE html><html>404</html>"),
    "nested": _replaced(b"[" * 100_000),
    "nested-objects": _replaced(b'{"a":' * 50_000),
    "nested-toml": _replaced(b"a=" + b"[" * 20_000),
    "list": _replaced(b"[]"),
    "object": _replaced(b"{}"),
    "null": _replaced(b"null"),
    "escape": _replaced(b'{"model_type": "\x1b]0;OWNED\x07", "a\x9b": 1}'),
    "huge-number": _rewritten(lambda whole: whole.replace(b"1", b"9" * 5000)),
}

CONFIGS: dict[str, object] = {
    "layers": {"num_hidden_layers": 10**9},
    "width": {"hidden_size": 2 * 10**9},
    "width-odd": {"hidden_size": 33},
    "width-negative": {"hidden_size": -32},
    "width-word": {"hidden_size": "wide"},
    "vocabulary": {"vocab_size": 10**12},
    "vocabulary-none": {"vocab_size": 0},
    "positions": {"max_position_embeddings": 10**12},
    "positions-none": {"max_position_embeddings": 0},
    "heads-none": {"num_attention_heads": 0},
    "inner": {"intermediate_size": 10**13},
    "model-type": {"model_type": "nothing"},
    "model-type-path": {"model_type": "../../x"},
    "model-type-list": {"model_type": [1]},
    "model-type-escape": {"model_type": "\x1b]0;OWNED\x07\u202e"},
    "no-model-type": {"model_type": None},
    "activation": {"hidden_act": "__import__"},
    "auto-map": {
        "auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"},
        "model_type": "evil",
    },
    "auto-map-bert": {"auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}},
    "auto-map-hub": {"auto_map": {"AutoModel": "x/y--evil.Evil"}, "model_type": "evil"},
    "tokenizer-auto-map": {"auto_map": {"AutoTokenizer": ["evil.Evil", None]}},
    "quantised": {"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": True}},
    "attention": {"attn_implementation": "evil/kernel", "_attn_implementation": "evil/kernel"},
    "dtype": {"torch_dtype": "os.system"},
    "name": {"_name_or_path": "/etc/hostname"},
    "gpt": {"model_type": "gpt2"},
    "padding": {"pad_token_id": 10**9},
    "classifier": {"architectures": ["Evil"]},
    "nan": {"hidden_dropout_prob": "NaN", "layer_norm_eps": "inf"},
}

WEIGHTS: dict[str, bytes] = {
    "header-long": struct.pack("<Q", 2**63) + b"{}",
    "header-64": struct.pack("<Q", 2**64 - 1) + b"{}",
    "header-100mb": struct.pack("<Q", 10**8) + b"{" * 100,
    "header-none": struct.pack("<Q", 0),
    "header-list": _header([1]),
    "header-nested": struct.pack("<Q", 100_000) + b"[" * 100_000,
    "no-tensors": _header({}),
    "offsets-out": _header({"a": {**_TENSOR, "data_offsets": [0, 10**12]}}),
    "offsets-back": _header({"a": {**_TENSOR, "data_offsets": [16, 0]}}),
    "offsets-overlap": _header({"a": _TENSOR, "b": _TENSOR}),
    "shape-huge": _header({"a": {**_TENSOR, "shape": [2**62, 8]}}),
    "shape-negative": _header({"a": {**_TENSOR, "shape": [-4]}}),
    "dtype": _header({"a": {**_TENSOR, "dtype": "PICKLE"}}),
    "name-escape": _header({"\x1b]0;OWNED\x07": _TENSOR}),
    "many": _header({f"t{n}": {**_TENSOR, "shape": [0], "data_offsets": [0, 0]} for n in range(9)}),
}

_SAYS_YES = Conditions(stdin=b"y\n" * 20)
EVIL = "open('PWNED', 'w').write('x')\nclass Evil: pass\n"


def _copy(which: str, file: str, damage: Damage) -> Setup:
    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / which, place.at / "it")
        damage(place.at / "it" / file)

    return setup


def _config(change: object) -> Damage:
    def damage(path: Path) -> None:
        read = json.loads(path.read_text())
        path.write_text(json.dumps({**read, **change}))  # type: ignore[dict-item]
        (path.parent / "evil.py").write_text(EVIL)

    return damage


def _not_run(place: Place, result: Result) -> str:
    return "code of a model folder was run" if any(place.base.rglob("PWNED")) else ""


USES = {
    "evaluate": ("model-masked", f"corefmill evaluate --model it --corpus {S}/masked"),
    "predict": ("model-documents", f"corefmill predict {TEXT} --model it --out out.jsonl"),
    "init": ("model-masked", f"train coref --corpus {S}/masked {STEPS} --init-from it --out out"),
    "encoder": (
        "encoder",
        f"train coref --corpus {S}/masked --encoder it --set max_steps=1 -q --out out",
    ),
}
FILES = {
    "model-masked": (
        *("model.toml", "model.safetensors", "encoder/config.json", "encoder/tokenizer.json"),
        *("encoder/tokenizer_config.json", "log.csv"),
    ),
    "model-documents": ("model.toml", "model.safetensors", "encoder/tokenizer.json"),
    "encoder": ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"),
}


def damaged() -> Iterator[Attack]:
    """Every file of a model with every damage."""
    for use, (which, command) in USES.items():
        for file in FILES[which]:
            for name, damage in ANY.items():
                if use == "init" and name in ("nested-objects", "list", "null", "html"):
                    continue
                yield Attack(
                    group="model files",
                    name=f"{use}/{file}/{name}",
                    argv=line(command),
                    setup=_copy(which, file, damage),
                    after=_not_run,
                )


def configurations() -> Iterator[Attack]:
    """Networks that cannot be, and folders that want to run code, whoever says yes."""
    for name, change in CONFIGS.items():
        for file in ("config.json", "tokenizer_config.json"):
            if file != "config.json" and not name.startswith(("auto-map", "tokenizer")):
                continue
            yield Attack(
                group="model files",
                name=f"encoder/{file}/{name}",
                argv=line(USES["encoder"][1]),
                setup=_copy("encoder", file, _config(change)),
                after=_not_run,
                conditions=_SAYS_YES,
            )
        yield Attack(
            group="model files",
            name=f"evaluate/config.json/{name}",
            argv=line(USES["evaluate"][1]),
            setup=_copy("model-masked", "encoder/config.json", _config(change)),
            after=_not_run,
            conditions=_SAYS_YES,
        )
    for name, content in WEIGHTS.items():
        for use, file in (("encoder", "model.safetensors"), ("evaluate", "model.safetensors")):
            which, command = USES[use]
            yield Attack(
                group="model files",
                name=f"{use}/weights/{name}",
                argv=line(command),
                setup=_copy(which, file, _replaced(content)),
                codes=REFUSED,
            )


def stopped() -> Iterator[Attack]:
    """Folders of trainings that were stopped, and then damaged, go on or are refused."""
    command = f"train coref --corpus {S}/masked {STEPS} --out out"
    for name, damage in ANY.items():
        for file in ("model.toml", "model.safetensors", "log.csv"):
            yield Attack(
                group="resume & concurrency",
                name=f"train/{file}/{name}",
                argv=line(command),
                setup=_finished(file, damage),
            )


def _finished(file: str, damage: Damage) -> Setup:
    def setup(place: Place) -> None:
        shutil.copytree(place.seeds / "model-masked", place.at / "out")
        damage(place.at / "out" / file)

    return setup


def attacks() -> Iterator[Attack]:
    """All of this module."""
    yield from damaged()
    yield from configurations()
    yield from stopped()
