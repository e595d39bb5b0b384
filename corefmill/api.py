"""Build a corpus, train a model and find either from Python, by the commands' own code."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from corefmill.cli.command import Group
    from corefmill.coref_model.prediction.predictor import Predictor
    from corefmill.corpora.find import FoundCorpus

Option: TypeAlias = str | float | bool | PathLike[str] | Sequence[str] | None
"""The value of an option: True for a switch, several values for one that is repeatable."""


def find(
    name: str | PathLike[str], *, data_dir: str | PathLike[str] = "data", lang: str | None = None
) -> FoundCorpus:
    """Find the corpus of a name or path: its files by split, its format and kind.

    Args:
        name: A file or folder; a corpus that `build` made in `out/`; a corpus of the catalogue
        below
            `data_dir`; or a sample of corefmill, such as ontonotes.
        data_dir: Folder with corpora of the catalogue.
        lang: The language, if the corpus does not name it.

    Raises:
        UsageError: There is no such corpus; the message says how to get it.
        DataError: Its files cannot be read.
    """
    from corefmill.corpora.find import find_corpus

    return find_corpus(fspath(name), data_dir=Path(data_dir), lang=lang)


def build(
    corpus: str, *, out: str | PathLike[str], quiet: bool = True, **options: Option
) -> FoundCorpus:
    """Build a corpus as the command `build` does, and return it.

    Args:
        corpus: wikicrem, wikirand, knowref, wec or ontonotes-it.
        out: Folder of the corpus, not a URL. A finished corpus of the same input and options stays
            unchanged; a stopped build resumes.
        quiet: Print nothing but errors.
        options: The command's options, `-` written as `_`: `lang="en", dump="sample", limit=100`;
            `executor="slurm"` or `"ray"` builds on a cluster, and returns when it is done.

    Raises:
        UsageError: An option or its value is wrong, or a package is missing.
        DataError: The input cannot be read, is cut off, or holds no example.
    """
    from corefmill.cli.main import BUILD
    from corefmill.corpora.files.errors import UsageError
    from corefmill.corpora.files.remote import url_of

    if (url := url_of(Path(out))) is not None:
        raise UsageError(
            "out is a URL, and build returns a corpus in a local folder",
            path=url,
            remedy=f"`build {corpus} --out {url}` uploads a corpus",
        )
    _call_by_name(BUILD, corpus, {**options, "out": out, "quiet": quiet})
    return find(out)


def train(
    corpus: str | PathLike[str] | Sequence[str],
    *,
    out: str | PathLike[str],
    quiet: bool = True,
    **options: Option,
) -> Predictor:
    """Train a coreference model as the command `train coref` does, and load it.

    Args:
        corpus: Name, file or folder of a corpus, or several of one kind.
        out: Folder of the model. A finished model of the same options stays unchanged; a stopped
            training resumes.
        quiet: Print nothing but errors.
        options: The command's options, `-` written as `_`: `encoder="minilm"`; `set` takes
            single settings, `set=["epochs=3"]`.

    Raises:
        UsageError: An option or its value is wrong, or a package is missing.
        DataError: The corpus cannot be read or has nothing to learn from.
    """
    from corefmill.cli.main import TRAIN
    from corefmill.coref_model import load

    names = corpus if isinstance(corpus, str | PathLike) else ",".join(corpus)
    _call_by_name(TRAIN, "coref", {"corpus": names, **options, "out": out, "quiet": quiet})
    return load(out)


def _call_by_name(group: Group, name: str, options: Mapping[str, Option]) -> None:
    """Call a command of a group by name; raise an error instead of ending the process."""
    import click

    from corefmill.cli.command import Command, call_command
    from corefmill.cli.printing import begin
    from corefmill.cli.shell import name_extra
    from corefmill.corpora.files.errors import UsageError

    if name not in group.entries:
        raise UsageError(
            f"no command {name!r} of {group.name}", remedy=f"there are {', '.join(group.entries)}"
        )
    begin(f"{group.name} {name}", ["--quiet"] * bool(options.get("quiet")))
    # Worker processes import the main module. A script without `if __name__ == "__main__"` would
    # build in each of them; so the main module is hidden until the end.
    program, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        command = group.load(name)
        assert isinstance(command, Command)
        call_command(command, options)
    except click.UsageError as error:
        raise UsageError(error.format_message()) from None
    except ModuleNotFoundError as error:
        raise name_extra(error) or error from None
    finally:
        sys.modules["__main__"] = program
        begin(name, ())
