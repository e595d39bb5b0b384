"""Check a model's folder in Hugging Face form before any library is given it.

By its configuration alone a folder can ask a library to run code of its own, or to make a network
that no memory holds. So its files are looked at here first, with nothing but Python's own readers.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError

_LARGEST_JSON = 16 << 20
_LARGEST_TOKENIZER = 512 << 20
_LARGEST_HEADER = 100_000_000
"""What safetensors itself takes at most."""

_LARGEST = 2**31 - 1
_MOST_LAYERS = 1024
_MOST_LABELS = 65_536
_LONGEST_LIST = 4096
_REPEATED = re.compile(r"layer|group|block|depth|stage|expert|repeat")
"""Settings by which a network's parts are made one after the other."""

_READ = (
    "config.json",
    "generation_config.json",
    "model.safetensors.index.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "processor_config.json",
    "preprocessor_config.json",
)
"""The small files that transformers reads where it loads a network or a tokenizer."""

_TOKENIZER = ("tokenizer.json", "vocab.json")
"""What the tokenizers' own library reads, which bounds its depth."""

_BESIDE = 1 << 24
"""Numbers that a network may have beside those of its file: a pooler, tables that it computes."""

_CODE = ("auto_map", "custom_pipelines", "trust_remote_code")
_ELSEWHERE = ("configuration_files", "transformers_weights")
"""Settings that name other files than those which are looked at."""

_PLAIN_ATTENTION = ("eager", "sdpa", None)


def check(folder: Path) -> None:
    """Raise `DataError` where a file in a model's folder names code, or numbers beyond bounds."""
    if (folder / "adapter_config.json").exists():
        raise DataError(
            "the folder holds an adapter, not a whole model",
            path=folder / "adapter_config.json",
            remedy="merge the adapter into its model, and save the model with save_pretrained",
        )
    for name in _TOKENIZER:
        if (folder / name).exists():
            disk.require_file(folder / name, _LARGEST_TOKENIZER)
    for path in (folder / name for name in _READ):
        if not path.exists():
            continue
        try:
            found = disk.read_json(path, _LARGEST_JSON)
        except DataError as error:
            raise DataError(f"cannot be read: {error.message}", path=path) from None
        if not isinstance(found, dict):
            raise DataError("cannot be read: a JSON object of settings was expected", path=path)
        # Every setting at any depth; an entry of a list goes by the key of the list.
        left: list[tuple[str, Any]] = [("", found)]
        while left:
            key, value = left.pop()
            _check_code(path, key, value)
            if path.name == "config.json":
                _check_number(path, key, value)
            if isinstance(value, dict):
                left += [(str(inner), one) for inner, one in value.items()]
            elif isinstance(value, list):
                left += [(key, one) for one in value]


def check_size(folder: Path, wanted: int, held: int) -> None:
    """Raise `DataError` where weights of `held` numbers do not fill a network of `wanted`."""
    if wanted > 2 * held + _BESIDE:
        raise DataError(
            f"the configuration describes a network of {wanted:,} parameters, but the files hold"
            f" {held:,}",
            path=folder,
            remedy="copy the whole folder again",
        )


def count_parameters(folder: Path) -> int:
    """Count the parameters in a folder's safetensors files, by their headers."""
    return sum(count_file_parameters(path) for path in sorted(folder.glob("*.safetensors")))


def count_file_parameters(path: Path) -> int:
    """Count the parameters in a safetensors file. Raises `DataError` for a broken header.

    A header that promises more than the file holds is not believed.
    """
    disk.require_file(path)
    whole = path.stat().st_size
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(_LARGEST_HEADER, whole - 8):
                raise DataError("cannot be read as safetensors: the file is cut off", path=path)
            header = json.loads(file.read(length))
        shapes = [entry["shape"] for name, entry in header.items() if name != "__metadata__"]
        found = sum(math.prod(shape) for shape in shapes)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        raise DataError("cannot be read as safetensors: its header is broken", path=path) from None
    return int(min(found, whole))  # the smallest number takes a byte


def _check_code(path: Path, key: str, value: Any) -> None:
    """Raise `DataError` for a setting that asks for code or for unchecked files."""
    if key in _CODE and value:
        raise DataError(
            f"{key} asks for code that comes with the model, which is never run",
            path=path,
            remedy="remove it if transformers has a class for the model, else use another model",
        )
    if key in _ELSEWHERE and value:
        raise DataError(f"{key} names other files", path=path, remedy=f"remove {key}")
    if key.endswith("_implementation"):
        for one in value.values() if isinstance(value, dict) else [value]:
            if one not in _PLAIN_ATTENTION:
                raise DataError(
                    f"{key} is {str(one)[:40]!r}, for which code may be downloaded",
                    path=path,
                    remedy=f"remove {key}",
                )


def _check_number(path: Path, key: str, value: Any) -> None:
    """Raise `DataError` for a number, or a list's length, beyond the bound of its setting."""
    most = _LARGEST
    if isinstance(value, list):
        value, most, key = len(value), _LONGEST_LIST, f"the length of {key}"
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return
    elif _REPEATED.search(key):
        most = _MOST_LAYERS
    elif "label" in key:
        most = _MOST_LABELS
    if not abs(value) <= most:
        raise DataError(f"{key} is {value:.4g}, beyond the limit of {most:,}", path=path)
