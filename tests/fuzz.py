"""`make fuzz MINUTES=10`: looks for what no test has tried, half of the time each

1. by the property tests with new examples: one that fails is printed, kept in .hypothesis/ and
   tried first the next time; put it above the test as `@example(...)`;
2. by files of every format with a few faults, given to the commands: what ends in anything but a
   result or one line is kept in .fuzz/ with the command that repeats it; put a small file that
   shows it into tests/corpora/formats/found/, and mend the reader.

The mutations depend on --seed alone (printed, by default another one each time).
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.registry import FORMATS
from tests.commands import ROOT, command
from tests.corpora.formats.test_conll2012 import ONTONOTES, PREDICTED
from tests.corpora.formats.test_corefud import ITALIAN, PLAIN
from tests.corpora.formats.test_every_format import lay
from tests.waiting import processor_seconds

FOUND = ROOT / ".fuzz"
MORE = {"conll2012": (ONTONOTES, PREDICTED), "corefud": (ITALIAN, PLAIN)}
MOST_SECONDS = 30  # of the processor, for files of some hundred kilobytes at most
MOST_BYTES = 4 << 30

NUMBERS = (
    b"",
    b"0",
    b"-1",
    b"1.5",
    b"007",
    b"4294967296",
    b"9" * 19,
    b"9" * 5000,
    b"1e309",
    b"\xd9\xa3",
)
ODD = (
    "\0",
    "\r",
    "\r\n",
    "\n\n",
    "\x85",
    "\u2028",
    "\xa0",
    "\ufeff",
    "\x1b[31m",
    "\t",
    " ",
    '"',
    "\\ud800",
)
ODD += (
    "#",
    "_",
    "-",
    "*",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "<",
    "&",
    "null",
    "NaN",
    "[MASK]",
    "\U0001f469\u200d",
)


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """The file with one to four faults."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        content = chance.choice(FAULTS)(content, others, chance)
    return content


def _span(content: bytes, chance: random.Random) -> tuple[int, int]:
    """A piece: some bytes, a line, or something between brackets or quotes or blanks."""
    pattern = chance.choice(
        (rb"(?s).{1,8}", rb"[^\n]*\n", rb"[\w.]+", rb"[\[({\"][^\[({\"]*", rb"[0-9]+")
    )
    spans = [match.span() for match in re.finditer(pattern, content)]
    return chance.choice(spans) if spans else (len(content), len(content))


def _flip(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]


def _cut(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _without(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    start, end = _span(content, chance)
    return content[:start] + content[end:]


def _again(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    start, end = _span(content, chance)
    times = chance.choice((1, 1, 2, 20, 20_000))
    return (
        content[:end]
        + content[start:end] * min(times, 200_000 // (end - start + 1))
        + content[end:]
    )


def _moved(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    (start, end), (at, to) = _span(content, chance), _span(content, chance)
    return content[:at] + content[start:end] + content[to:]


def _spliced(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    other = chance.choice(others)
    start, end = _span(other, chance)
    at = chance.randrange(len(content) + 1)
    return content[:at] + other[start : chance.choice((end, len(other)))] + content[at:]


def _number(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    spans = [match.span() for match in re.finditer(rb"[0-9]+", content)]
    start, end = chance.choice(spans) if spans else (0, 0)
    return content[:start] + chance.choice(NUMBERS) + content[end:]


def _odd(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    start, end = _span(content, chance)
    odd = chance.choice(ODD).encode() * chance.choice((1, 1, 1, 2, 3000))
    return content[:start] + odd + content[chance.choice((start, end)) :]


FAULTS = (_flip, _cut, _without, _again, _moved, _spliced, _number, _odd)


def faults(form: Format, path: Path, whole: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Commands on a file that end in anything but a result or one line, and what they say.

    `whole` is a file of the format without faults, `folder` an empty one to write to.
    """
    out, own, fixed = (
        folder / "out.jsonl",
        folder / f"own{form.suffix}",
        folder / f"fixed{path.suffix}",
    )
    read = ("--from", form.name)
    calls: list[tuple[str | Path, ...]] = [
        ("convert", path, out, *read),
        ("check", path, *read),
        ("check", path, *read, "--fix", "--out", fixed),
        ("stats", path, *read),
        ("check", path),
        ("score", whole, path),
        ("score", path, path, "--json"),
    ]
    if form.write is not None:
        calls.append(("convert", path, own, *read, "--to", form.name))
    for call in calls:
        try:
            with processor_seconds(MOST_SECONDS):
                done = command("corefmill", *call, cwd=folder)
        except pytest.fail.Exception as late:
            yield shlex.join(map(str, call)), str(late)
            continue
        said = done.stderr
        line = done.returncode == 2 and said.startswith("corefmill: ") and said.count("\n") == 1
        if not (line or (done.returncode in (0, 1) and "Traceback" not in said)):
            yield shlex.join(map(str, call)), said
        elif any(sign < " " and sign not in "\n\t" for sign in said + done.stdout):
            yield shlex.join(map(str, call)), f"control codes: {said!r}"
        elif done.returncode == 2 and call[0] == "convert" and Path(call[2]).exists():
            yield shlex.join(map(str, call)), f"half a file is left: {said}"
    (folder / "again").mkdir()
    yield from _not_read_again(form, path, folder / "again" / path.name)


def _not_read_again(form: Format, path: Path, again: Path) -> Iterator[tuple[str, str]]:
    try:
        records = [record for _, record in form.read(path, "en")]
        if form.write is None or not records:
            return
        form.write(again, records)
    except DataError:
        return
    try:
        back = [record for _, record in form.read(again, "en")]
    except DataError as error:
        yield f"convert {path} {again} --from {form.name}", f"is written, but not read: {error}"
        return
    if back != records:
        pairs = zip(records, back, strict=False)
        one, other = next((pair for pair in pairs if pair[0] != pair[1]), (len(records), len(back)))
        yield f"convert {path} {again} --from {form.name}", f"is read otherwise: {one} | {other}"


def mutations(seed: str, minutes: float) -> int:
    """Mutates until the time is over; how many sorts of faults were found."""
    end = time.monotonic() + 60 * minutes
    known: set[str] = set()
    with tempfile.TemporaryDirectory() as top:
        for number, (form, whole, content) in enumerate(_mutants(seed, Path(top))):
            if time.monotonic() > end:
                print(f"{number:,} files with faults, {len(known)} sorts of findings")
                break
            scratch = Path(top) / str(number)
            (scratch / "out").mkdir(parents=True)
            place = scratch / whole.name
            for beside in whole.parent.iterdir():
                shutil.copy(beside, scratch)
            place.write_bytes(content)
            for call, said in faults(form, place, whole, scratch / "out"):
                where = re.findall(r'File "(.*), in', said)
                sort = where[-1] if where else re.sub(r"\W.*/|[0-9]+", "", said)[:60]
                if f"{form.name} {sort}" not in known:
                    known.add(f"{form.name} {sort}")
                    _keep(FOUND / f"{form.name}-{seed}-{number}", (whole, place), call, said)
            shutil.rmtree(scratch)
    return len(known)


def _mutants(seed: str, top: Path) -> Iterator[tuple[Format, Path, bytes]]:
    """Formats, files of them without faults, and the same with some; made in the folder."""
    chance = random.Random(seed)
    whole: list[tuple[Format, Path]] = []
    for form in FORMATS.values():
        (top / form.name).mkdir()
        path = lay(top / form.name, form.name)
        whole.append((form, path))
        for number, text in enumerate(MORE.get(form.name, ())):
            whole.append((form, path.with_stem(f"{path.stem}{number}")))
            whole[-1][1].write_text(text, encoding="utf-8")
    contents = [path.read_bytes() for _, path in whole]
    while True:
        for (form, path), content in zip(whole, contents, strict=True):
            yield form, path, mutated(content, contents, chance)


def _keep(folder: Path, files: Sequence[Path], call: str, said: str) -> None:
    for path, name in zip(files, ("whole", "faulty"), strict=True):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for beside in path.parent.glob("*.*"):
            shutil.copy(beside, folder / name)
        call = call.replace(str(path), f"{name}/{path.name}")
    call = re.sub(r"/\S*/out/", "", call)
    (folder / "command.txt").write_text(f"corefmill {call}\n", encoding="utf-8")
    (folder / "said.txt").write_text(said, encoding="utf-8", errors="backslashreplace")
    print(f"\ncd {folder}; corefmill {call}\n  {said.strip().splitlines()[-1][:300]!r}")


def properties(seed: str, minutes: float) -> int:
    """Runs the property tests with new examples until the time is over; the worst exit code."""
    end, worst, chance = time.monotonic() + 60 * minutes, 0, random.Random(seed)
    while (left := end - time.monotonic()) > 1:
        order = str(chance.randrange(1 << 32))
        call = ["-m", "pytest", "-m", "hypothesis", "--hypothesis-profile=fuzz", "--shuffle", order]
        call += ["-p", "no:cacheprovider", f"--hypothesis-seed={order}", "--no-header", "tests"]
        process = subprocess.Popen([sys.executable, *call], cwd=ROOT)
        try:
            code = process.wait(left)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # pytest then says what failed so far
            code = process.wait()
        worst = max(worst, code if code in (1, 3) else 0)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--only", choices=("properties", "mutations"))
    given = parser.parse_args()
    print(f"--seed {given.seed}")
    minutes = given.minutes if given.only else given.minutes / 2
    bad = 0
    if given.only != "mutations":
        bad += properties(given.seed, minutes)
    if given.only != "properties":
        _bound_memory()
        bad += mutations(given.seed, minutes)
    return min(bad, 1)


def _bound_memory() -> None:
    """What takes more than some gigabytes ends in a MemoryError, which is a finding."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


if __name__ == "__main__":
    sys.exit(main())
