"""Vectors of mentions on disk, by content: what was encoded once is not encoded again."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from corefmill.coref_model.events.windows import Context
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.records import EventMention

_log = logging.getLogger(__name__)


def key(mention: EventMention, context: Context, length: int) -> bytes:
    """What a mention's vectors depend on beside the encoder: text, span, parts and window."""
    parts = mention.parts if context == "passage" else ()
    where = f"1 {context} {length} {mention.start} {mention.end} {list(parts)} "
    return hashlib.sha256((where + mention.text).encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """The vectors of one encoder, in a folder named by its fingerprint below `folder`.

    A shard is a safetensors file of mentions, written whole or not at all and named by the SHA-256
    of its bytes: one that does not bear its name (cut short, changed) is removed with a warning,
    and its mentions are encoded anew. Processes may share a folder.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder / fingerprint[:32]
        self._fingerprint = fingerprint

    def found(self, wanted: Iterable[bytes]) -> dict[bytes, Tensor]:
        """Those of the `wanted` keys that are here, with the vectors [k, w] of their k pieces."""
        keys = set(wanted)
        found: dict[bytes, Tensor] = {}
        for shard in self._shards():
            names = [name.tobytes() for name in shard["keys"].numpy()]  # of [m, 32]
            starts = shard["starts"].tolist()  # [m + 1]
            for at, name in enumerate(names):
                if name in keys and name not in found:
                    found[name] = shard["pieces"][starts[at] : starts[at + 1]].clone()
        return found

    def add(self, vectors: Mapping[bytes, Tensor]) -> None:
        """Writes a shard of the vectors [k, w] of mentions; nothing for none."""
        if not vectors:
            return
        names = np.frombuffer(b"".join(vectors), dtype=np.uint8).reshape(-1, 32)
        lengths = torch.tensor([0, *map(len, vectors.values())])
        tensors = {
            "keys": torch.from_numpy(names.copy()),  # [m, 32]
            "starts": lengths.cumsum(0),  # [m + 1]
            "pieces": torch.cat(list(vectors.values())).contiguous(),  # [n, w]
        }
        content = save(tensors, metadata={"encoder": self._fingerprint})
        self._folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(content).hexdigest()
        write_whole(self._folder / f"{name}.safetensors", content)

    def _shards(self) -> Iterator[dict[str, Tensor]]:
        for path in sorted(self._folder.glob("*.safetensors")):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != path.stem:
                _log.warning("%s: damaged, removed; its mentions are encoded anew", path)
                path.unlink(missing_ok=True)
                continue
            yield load(content)
