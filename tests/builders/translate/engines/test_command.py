"""Programs as translators, alone and in chains."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translate.engines import command
from corefmill.builders.translate.engines.answers import Cached
from corefmill.builders.translate.engines.command import Broken, CommandTranslator, Coprocess
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import anchor, resolve
from corefmill.corpora.files.errors import UsageError
from tests.builders.translate.engines.test_purity import MADE, check

ANSWERS = """
import sys
rest = b""
while data := sys.stdin.buffer.read1(1 << 16):
    *texts, rest = (rest + data).split(b"\\0")
    for text in texts:
        {body}
    sys.stdout.buffer.flush()
"""
UPPER = "sys.stdout.buffer.write(text.upper() + b'\\0')"


def answering(body: str) -> Sequence[str]:
    return [sys.executable, "-c", ANSWERS.format(body=body)]


def test_answers_come_in_order_and_the_programs_stay() -> None:
    chain = Coprocess([answering("sys.stdout.buffer.write(text + b'!\\0')"), answering(UPPER)])
    assert list(chain.ask([b"one", b"", b"two\n"])) == [b"ONE!", b"!", b"TWO\n!"]
    assert list(chain.ask([])) == []
    assert list(chain.ask([b"x" * 5000] * 100)) == [b"X" * 5000 + b"!"] * 100  # more than a pipe's
    chain.close()


def test_a_chain_goes_on_after_a_program_that_dies() -> None:
    chain = Coprocess([answering(UPPER), answering("text == b'BAD' and sys.exit('ill');" + UPPER)])
    with pytest.raises(Broken, match="ended with 1, 'ill'"):
        list(chain.ask([b"good", b"bad", b"good"]))
    assert list(chain.ask([b"good"])) == [b"GOOD"]
    chain.close()


@pytest.mark.parametrize("extra", [r"\0more\0", r"\0more"])
def test_more_answers_than_questions_are_no_answers(extra: str) -> None:
    chain = Coprocess([answering(f"sys.stdout.buffer.write(text + b'{extra}')")])
    with pytest.raises(Broken, match=r"more answers|more after its last"):
        list(chain.ask([b"text"]))


def test_answers_left_unread_are_not_the_next_ones() -> None:
    chain = Coprocess([answering(UPPER)])
    answers = chain.ask([b"one", b"two"])
    assert next(iter(answers)) == b"ONE"
    answers.close()  # type: ignore[attr-defined]
    assert list(chain.ask([b"three"])) == [b"THREE"]
    chain.close()


def test_a_program_that_drips_or_does_not_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drip = "import time\n        while True: time.sleep(0.05); print(end='.', flush=True)"
    monkeypatch.setattr(command, "_PATIENCE", 0.3)
    with pytest.raises(Broken, match=r"no answer for 0\.3 seconds"):
        list(Coprocess([answering(drip)]).ask([b"text"]))
    monkeypatch.setattr(command, "_PATIENCE", 30)
    monkeypatch.setattr(command, "_LONGEST_ANSWER", 1 << 20)
    flood = "while True: sys.stdout.buffer.write(b'.' * (1 << 16))"
    with pytest.raises(Broken, match="an answer does not end"):
        list(Coprocess([answering(flood)]).ask([b"text"]))


def test_programs_that_do_not_last_answer_one_text_each() -> None:
    body = "sys.stdout.buffer.write(text + b' %d\\0' % len(seen)); seen.append(text)"
    once = [sys.executable, "-c", "seen = []" + ANSWERS.format(body=body)]
    assert list(Coprocess([once]).ask([b"a", b"b"])) == [b"a 0", b"b 1"]
    chain = Coprocess([once], lasting=False)
    assert list(chain.ask([b"a", b"b"])) == [b"a 0", b"b 0"]
    assert not chain._running


LOOP = """
import sys, time
{first}
for number, line in enumerate(sys.stdin):
    text = line.rstrip("\\n")
    {body}
    print(text.upper(), flush=True)
"""

# Which of them it is hangs on what a pipe holds when it is read.
EXTRA = "more answers than|answers the same text with|more after its last|an answer to no text"


def program(folder: Path, body: str = "pass", first: str = "", **more: Any) -> TranslatorRequest:
    path = folder / "a program.py"
    path.write_text(LOOP.format(body=body, first=first), "utf-8")
    told = {"name": "command", "timeout": 30.0, "cache": folder / "cache", **more}
    return TranslatorRequest(command=shlex.join([sys.executable, "-S", str(path)]), **told)


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
    more = replace(other, command=f"{other.command} --beam 4")
    assert resolve(more).fingerprint != first


def test_one_bad_text_does_not_take_the_others_along(tmp_path: Path) -> None:
    asked = program(tmp_path, "text == 'bad' and sys.exit('no such word')")
    made = Cached(CommandTranslator(asked), tmp_path / "cache")
    a, bad, b = made.translate(["a", "bad", "b"])
    assert (a, b) == ("A", "B")
    assert re.search("fails on 'bad': .* ended with 1, 'no such word'", str(bad))


@pytest.mark.parametrize(
    ("body", "first", "message"),
    [
        (
            "time.sleep(60)",
            "",
            r"fails on 'dog': no answer for 0\.3 seconds \(the program must answer each",
        ),
        ("sys.exit('dead')", "", "fails on 'dog': .* ended with 1, 'dead'"),
        ("", "print('Loading')", EXTRA),
        ("if number: break", "", "fails on 'dog': the program ended"),
    ],
)
def test_a_program_that_is_of_no_use_is_one_line(
    body: str, first: str, message: str, tmp_path: Path
) -> None:
    slow = {"timeout": 0.3} if "sleep" in body else {}
    made = CommandTranslator(program(tmp_path, body or "pass", first, **slow))
    with pytest.raises(UsageError, match=message) as caught:
        list(made.answers(["dog", "cat"]))
    assert len(str(caught.value).splitlines()) == 1


def test_more_lines_than_texts_are_found_out(tmp_path: Path) -> None:
    made = CommandTranslator(program(tmp_path, "text == 'd' and print('by the way', flush=True)"))
    assert list(made.answers(["a", "b"])) == [("a", "A"), ("b", "B")]
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
    asked = anchor(TranslatorRequest(name="command", command="python 'my mt.py' --fast"))
    assert asked.command == shlex.join(["python", str(tmp_path / "my mt.py"), "--fast"])
