"""What README.md and the pages of docs/ promise is there."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from corefmill.cli.command import Group
from corefmill.cli.main import COREFMILL
from tests.commands import ROOT, command
from tests.corefmill.dumps import CORPUS, small

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES).replace("\\\n", " ")
OTHERS = {"--index-url", "--local-dir", "--strict"}
OTHERS |= {"--include_path", "--log_samples", "--model_args", "--output_path", "--tasks"}
"""Options of other programs, and of a shell's completion, that the pages name."""
COMMANDS = COREFMILL.load_all()


def _commands() -> list[list[str]]:
    """The words of every line of code that begins with one of our commands."""
    ours = "(?:build|train|corefmill)"
    indented = re.findall(rf"^ {{4}}({ours} .*)$", TEXT, re.MULTILINE)
    indented += re.findall(rf"^(?: {{4}})?\$ (?:.* \| )?({ours} .*)$", TEXT, re.MULTILINE)
    indented += re.findall(rf"^\| `({ours} .*?)` \|", TEXT, re.MULTILINE)
    fenced = "".join(re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    lines = indented + re.findall(r"^((?:build|train|corefmill) .*)$", fenced, re.MULTILINE)
    alone = (re.split(r" \| | 2>> ", line)[0] for line in lines)
    words = [shlex.split(line, comments=True) for line in alone]
    return [own for own in words if not own[1].startswith("--")]  # of a shell's completion


def test_every_command_parses() -> None:
    assert len(_commands()) >= 50
    for words in _commands():
        name, *arguments = words[1:] if words[0] == "corefmill" else words
        command = COMMANDS[name]
        if isinstance(command, Group) and arguments and arguments[0] in command.entries:
            name, *arguments = arguments
            command = command.load(name)
        command.make_context(name, arguments)


def test_every_option_exists() -> None:
    options = {
        flag
        for group in COMMANDS.values()
        for sub in (group.load_all().values() if isinstance(group, Group) else [group])
        for parameter in sub.params
        for flag in (*parameter.opts, "--help")
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", TEXT))
    assert len(named) > 5
    assert named <= options | OTHERS


def test_the_files_and_the_example_are_what_a_build_gives(tmp_path: Path) -> None:
    done = command("build", "wikicrem", "--dump", small(tmp_path), "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs/building.md").read_text(encoding="utf-8")
    listed = re.findall(r"^ {6}([\w.*]+)  +\S", page, re.MULTILINE)
    found = {path.name for path in (tmp_path / "out/wikicrem-en").iterdir()}
    assert found == {*CORPUS, ".corefmill"}
    for name in found:
        assert name in listed or name.replace("validation", "train") in listed
    for name in listed:
        assert name in (*found, "validation.*")
    assert "[MASK]" in _shown(0, tmp_path)


def test_the_model_is_used_as_the_example_does(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    assert _shown(1, tmp_path).startswith("(")


def _shown(which: int, folder: Path) -> str:
    """What the README's example of that number prints."""
    blocks = re.findall(r"(?:^ {4}>>> .*\n)+", README, re.MULTILINE)
    lines = re.findall(r">>> (.*)", blocks[which])
    code = "\n".join([*lines[:-1], f"print({lines[-1]})"])
    with chdir(folder), redirect_stdout(StringIO()) as said:
        exec(code, {})
    return said.getvalue()
