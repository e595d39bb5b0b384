from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from corefmill.builders.translate.engines import coprocess
from corefmill.builders.translate.engines.coprocess import Broken, Coprocess

LOOP = """
import sys
rest = b""
while data := sys.stdin.buffer.read1(1 << 16):
    *texts, rest = (rest + data).split(b"\\0")
    for text in texts:
        {body}
    sys.stdout.buffer.flush()
"""
UPPER = "sys.stdout.buffer.write(text.upper() + b'\\0')"


def program(body: str) -> Sequence[str]:
    return [sys.executable, "-c", LOOP.format(body=body)]


def test_answers_come_in_order_and_the_programs_stay() -> None:
    chain = Coprocess([program("sys.stdout.buffer.write(text + b'!\\0')"), program(UPPER)])
    assert list(chain.ask([b"one", b"", b"two\n"])) == [b"ONE!", b"!", b"TWO\n!"]
    assert list(chain.ask([])) == []
    assert list(chain.ask([b"three"])) == [b"THREE!"]
    chain.close()


def test_more_text_than_a_pipe_holds_does_not_block() -> None:
    texts = [b"x" * 5000] * 100
    chain = Coprocess([program(UPPER)] * 2)
    assert list(chain.ask(texts)) == [b"X" * 5000] * 100
    chain.close()


def test_a_program_that_dies_is_named_with_its_last_words() -> None:
    chain = Coprocess(
        [program(UPPER), program("sys.exit('no memory') if text == b'BAD' else " + UPPER)]
    )
    answers = chain.ask([b"good", b"bad", b"good"])
    with pytest.raises(Broken, match=r"ended with 1, 'no memory'"):
        list(answers)
    assert list(chain.ask([b"good"])) == [b"GOOD"]
    chain.close()


def test_a_program_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coprocess, "_PATIENCE", 0.1)
    chain = Coprocess([program("import time; time.sleep(60)")])
    with pytest.raises(Broken, match=r"no answer for 0\.1 seconds"):
        list(chain.ask([b"text"]))


@pytest.mark.parametrize("extra", [r"\0more\0", r"\0more"])
def test_more_answers_than_questions_are_no_answers(extra: str) -> None:
    chain = Coprocess([program(f"sys.stdout.buffer.write(text + b'{extra}')")])
    with pytest.raises(Broken, match=r"more answers|goes on after its end"):
        list(chain.ask([b"text"]))


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(Broken, match="no-such-program does not start"):
        list(Coprocess([["no-such-program"]]).ask([b"text"]))


def test_answers_left_unread_are_not_the_next_ones() -> None:
    chain = Coprocess([program(UPPER)])
    answers = chain.ask([b"one", b"two"])
    assert next(iter(answers)) == b"ONE"
    answers.close()  # type: ignore[attr-defined]
    assert list(chain.ask([b"three"])) == [b"THREE"]
    chain.close()


def test_what_a_program_says_cannot_write_on_the_terminal() -> None:
    chain = Coprocess([program(r"sys.exit('\x1b]0;OWNED\x07')")])
    with pytest.raises(Broken, match=r"ended with 1, '\\x1b\]0;OWNED\\x07'"):
        list(chain.ask([b"text"]))


def test_a_program_that_drips_or_does_not_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drip = "import time\n        while True: time.sleep(0.05); print(end='.', flush=True)"
    monkeypatch.setattr(coprocess, "_PATIENCE", 0.3)
    with pytest.raises(Broken, match=r"no answer for 0\.3 seconds"):
        list(Coprocess([program(drip)]).ask([b"text"]))
    monkeypatch.setattr(coprocess, "_PATIENCE", 30)
    monkeypatch.setattr(coprocess, "_LONGEST", 1 << 20)
    flood = "while True: sys.stdout.buffer.write(b'.' * (1 << 16))"
    with pytest.raises(Broken, match="an answer does not end"):
        list(Coprocess([program(flood)]).ask([b"text"]))


def test_programs_that_do_not_last_answer_one_text_each() -> None:
    body = "sys.stdout.buffer.write(text + b' %d\\0' % len(seen)); seen.append(text)"
    once = [sys.executable, "-c", "seen = []" + LOOP.format(body=body)]
    assert list(Coprocess([once]).ask([b"a", b"b"])) == [b"a 0", b"b 1"]
    chain = Coprocess([once], lasting=False)
    assert list(chain.ask([b"a", b"b"])) == [b"a 0", b"b 0"]
    assert not chain._running


def test_the_locale_is_one_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    monkeypatch.setenv("LANGUAGE", "xx")
    body = "import os; sys.stdout.buffer.write(os.environb[text] + b'\\0')"
    chain = Coprocess([program(body)])
    assert list(chain.ask([b"LC_ALL", b"LANGUAGE"])) == [b"C.UTF-8", b""]
    chain.close()
