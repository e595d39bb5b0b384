"""The names of all files that a training writes, since only files of these names are removed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import claim_folder, refuse_file

RESUME = (
    "resume/identity.json",
    *(f"resume/{'[0-9]' * 9}/{name}" for name in ("progress.json", "state.safetensors")),
    "resume/best.safetensors",
)
"""What is there until a training is over."""

_ENCODER = (
    *(f"encoder/{name}" for name in ("config.json", "model.safetensors", "chat_template.jinja")),
    *(f"encoder/{name}.json" for name in ("tokenizer", "tokenizer_config", "special_tokens_map")),
    *(f"encoder/{name}" for name in ("vocab.txt", "vocab.json", "merges.txt", "added_tokens.json")),
    *(f"encoder/{name}" for name in ("spiece.model", "sentencepiece.bpe.model")),
)

# The file that marks a training as finished, or as unfinished, is removed first.
COREF = (
    *("model.toml", *RESUME, "model.safetensors", *_ENCODER),
    *("README.md", "log.csv", "curves.png"),
)
"""Files that `train coref` writes below --out, as patterns."""


def names(written: Iterable[str]) -> frozenset[str]:
    """The files and folders that lie in --out itself."""
    return frozenset(pattern.partition("/")[0] for pattern in written)


def check(out: Path, written: Iterable[str]) -> list[str]:
    """Those of the names that are in `out`; raises `UsageError` where there is anything else."""
    if not out.exists():
        return []
    refuse_file(out)
    there = {path.name for path in out.iterdir() if not path.name.startswith(".")}
    if strange := sorted(there - names(written)):
        raise UsageError(
            f"something else is here: {strange[0]}", path=out, remedy="--out names another folder"
        )
    return sorted(there)


def claim(out: Path, written: Iterable[str], *, overwrite: bool = False) -> None:
    """Marks `out` as a training's; raises `UsageError` where it holds what no training made."""
    claim_folder(out, names(written), overwrite=overwrite)


def remove(folder: Path, written: Iterable[str]) -> None:
    """Removes those files and their temporaries, and then the folders that held nothing else.

    A folder that is a link is somebody's own, as is what lies in it.
    """
    for pattern in written:
        above, slash, name = pattern.rpartition("/")
        drafts = sorted(folder.glob(f"{above}{slash}.{name}*.tmp"))
        for path in (*sorted(folder.glob(pattern)), *drafts):
            within = [folder / one for one in path.relative_to(folder).parents[:-1]]
            if any(one.is_symlink() for one in within):
                continue
            if path.is_symlink() or path.is_file():
                path.unlink()
                for one in within:
                    if any(one.iterdir()):
                        break
                    one.rmdir()
