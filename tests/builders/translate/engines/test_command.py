from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translate.engines.cache import Cached
from corefmill.builders.translate.engines.command import CommandTranslator
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import anchored, resolve
from corefmill.corpora.errors import DataError, UsageError
from tests.builders.translate.engines.test_purity import MADE, check

LOOP = """
import sys, time
{first}
for number, line in enumerate(sys.stdin):
    text = line.rstrip("\\n")
    {body}
    print(text.upper(), flush=True)
"""

# Which of them it is hangs on what a pipe holds when it is read.
EXTRA = "more answers than questions|it answers one text with|goes on after its end|said more"


def program(folder: Path, body: str = "pass", first: str = "", **more: Any) -> TranslatorRequest:
    path = folder / "a program.py"
    path.write_text(LOOP.format(body=body, first=first), "utf-8")
    told = {"timeout": 30.0, **more}
    return TranslatorRequest(
        name="command", command=shlex.join([sys.executable, "-S", str(path)]), **told
    )


def test_a_line_in_and_a_line_out(tmp_path: Path) -> None:
    made = resolve(program(tmp_path))
    check(made, MADE)
    assert made.translate(["è qui", " a\nb ", ""]) == ["È QUI", "A B", ""]
    assert made.name == f"command {Path(sys.executable).name}"


def test_what_changes_the_program_changes_what_is_kept(tmp_path: Path) -> None:
    first = resolve(program(tmp_path)).fingerprint
    assert resolve(program(tmp_path)).fingerprint == first
    assert resolve(program(tmp_path, "text += '!'")).fingerprint != first
    other = program(tmp_path)
    more = TranslatorRequest(name="command", command=f"{other.command} --beam 4")
    assert resolve(more).fingerprint != first


def test_one_bad_text_does_not_take_the_others_along(tmp_path: Path) -> None:
    asked = program(tmp_path, "text == 'bad' and sys.exit('no such word')")
    made = Cached(CommandTranslator(asked), tmp_path / "cache")
    with pytest.raises(DataError, match=r"fails on 'bad': .* ended with 1, 'no such word'"):
        made.translate(["a", "bad", "b"])
    assert made.translate(["a", "b"]) == ["A", "B"]


@pytest.mark.parametrize(
    ("body", "first", "message"),
    [
        ("time.sleep(60)", "", r"fails on 'dog': no answer for 0\.3 seconds \(it must answer each"),
        ("sys.exit('dead')", "", "fails on 'dog': .* ended with 1, 'dead'"),
        ("break", "", "fails on 'dog': it ended"),
        ("text = ''", "", "fails on 'dog': it answers an empty line"),
        ("", "print('Loading')", EXTRA),
        ("print(number)", "", EXTRA),
        ("if number: break", "", "fails on 'dog': it ended"),
    ],
)
def test_a_program_that_is_of_no_use_is_one_line(
    body: str, first: str, message: str, tmp_path: Path
) -> None:
    slow = {"timeout": 0.3} if "sleep" in body else {}
    made = CommandTranslator(program(tmp_path, body or "pass", first, **slow))
    with pytest.raises(UsageError, match=message) as caught:
        made.translate(["dog", "cat"])
    assert len(str(caught.value).splitlines()) == 1


def test_more_lines_than_texts_are_found_out(tmp_path: Path) -> None:
    made = CommandTranslator(program(tmp_path, "text == 'd' and print('by the way', flush=True)"))
    assert made.translate(["a", "b"]) == ["A", "B"]
    found = dict(made.answers(["c", "d", "e"]))
    assert (found["c"], found["e"]) == ("C", "E")
    assert re.search(EXTRA, str(found["d"]))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "names no program"),
        ("'", "cannot be read: No closing quotation"),
        ("nothing-of-that-name x", "no program 'nothing-of-that-name'"),
    ],
)
def test_no_such_program(command: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(TranslatorRequest(name="command", command=command))


def test_files_of_the_command_have_their_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my mt.py").touch()
    asked = anchored(TranslatorRequest(name="command", command="python 'my mt.py' --fast"))
    assert asked.command == shlex.join(["python", str(tmp_path / "my mt.py"), "--fast"])
