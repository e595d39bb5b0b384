"""`python -m tests.corefmill.every_builder OUT`: a small corpus of each builder that can run here.

Sets iterate in an order of their own in each process, so that two processes tell whether the bytes
of a corpus depend on it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corefmill.builders.translate.engines.apertium import find_route, list_modes
from tests.builders.translate.conll import NEWS, TALK
from tests.commands import command
from tests.corefmill.dumps import small

NOVEL = """In those days Peter Lang often visited Sun Yat-sen, and once Peter Lang brought him one.

Sun Yat-sen told Peter about the letter, and Peter laughed.

It rained all day. Martha told Helen the whole story, but she did not believe a word of it. Gilbert
met Samuel at the station because he had missed the last train to Oxford.

Elizabeth opened the letter of her sister. Mr. Gilbert Lane smiled at it, and he put on his coat.
Mr. Lane went home. He was tired of his work.
"""


def build(name: str, folder: Path, *arguments: str | Path) -> None:
    done = command("build", name, "--workers", "1", "-q", "--out", name, *arguments, cwd=folder)
    assert done.returncode == 0, f"{name}: {done.stderr}"


def main(folder: Path) -> None:
    dump, novel, source = small(folder), folder / "novel.txt", folder / "own.conll"
    novel.write_text(NOVEL, encoding="utf-8")
    source.write_text(NEWS + TALK, encoding="utf-8")
    build("wikicrem", folder, "--text", novel)
    build("wikirand", folder, "--dump", dump, "--like", "wikicrem")
    build("wec", folder, "--dump", dump)
    build("knowref", folder, "--text", novel)
    build("chains", folder, "--text", novel)
    if find_route("en", "it", list_modes()):
        build("ontonotes-it", folder, "--source", source, "--translator", "apertium")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
