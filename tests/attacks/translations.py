"""Translations that are hostile: what a program answers, and what a table of the user's has."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from tests.attacks.attack import Attack, Place, Setup, line
from tests.attacks.injections import STRINGS
from tests.attacks.slots import TRANSLATE

PROGRAM = """\
import sys
for text in sys.stdin.buffer:
    sys.stdout.buffer.write(text.rstrip() + b" " + open("value", "rb").read() + b"\\n")
    sys.stdout.buffer.flush()
"""
ANSWERED = f"--translator command --command '{sys.executable} program.py'"
TABLE = f"{TRANSLATE} --workers 1 --translator table --allow-missing --list-texts"


def attacks() -> Iterator[Attack]:
    """Hostile words behind each translation: a program's answers, and those of a table."""
    ways = {
        "answers": f"{TRANSLATE} --workers 1 {ANSWERED} --weigh",
        "marks": f"{TRANSLATE} --workers 1 {ANSWERED} --method marks",
        "table": f"{TABLE} out.left --table it.jsonl",
    }
    for use, way in ways.items():
        for name, value in STRINGS.items():
            yield Attack(
                group="injection",
                name=f"translation/{use}/{name}",
                argv=line(f"{way} --out out"),
                setup=_answered(value) if use == "table" else _answers(value),
            )


def _answers(value: str) -> Setup:
    def setup(place: Place) -> None:
        place.put("program.py", PROGRAM)
        place.put("value", value.encode("utf-8", "surrogatepass"))

    return setup


def _answered(value: str) -> Setup:
    """A table of what the command asks for."""

    def setup(place: Place) -> None:
        place.put("it.jsonl", b"")
        place.run(line(f"{TABLE} asked.jsonl --table it.jsonl --out first"))
        asked = (place.at / "asked.jsonl").read_text("utf-8").splitlines()
        texts = [json.loads(row)["text"] for row in asked]
        rows = [{"text": text, "translation": f"{text} {value}"} for text in texts]
        place.put("it.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    return setup
