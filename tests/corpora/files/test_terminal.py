"""Errors name file, line and remedy; output has no control codes, and progress is shown."""

from __future__ import annotations

import io
import json
import pickle
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from corefmill.cli.printing import begin
from corefmill.corpora.files import errors
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, did_you_mean
from corefmill.corpora.files.terminal import PrintableStream, printable, progress_bar
from tests.commands import ROOT

WHOLE = DataError("no record", path="a.jsonl", line=3, remedy="mend it")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (DataError("no record"), "no record"),
        (DataError("no record", path=Path("a.jsonl")), "a.jsonl: no record"),
        (DataError("no record", path="a.jsonl", line=3), "a.jsonl:3: no record"),
        (WHOLE, "a.jsonl:3: no record (mend it)"),
        (UsageError("a message\n  of\tlines"), "a message of lines"),
    ],
)
def test_is_one_line(error: CorefmillError, line: str) -> None:
    assert str(error) == line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (Path("s3://bucket/a.jsonl"), "s3://bucket/a.jsonl"),
        ("https://host/a.jsonl", "https://host/a.jsonl"),
        (Path("/home/ann/gs://bucket/a"), "gs://bucket/a"),
        (Path("s3:"), "s3:"),
        (Path("out/s3:/a"), "out/s3:/a"),
        (Path("files:/a"), "files:/a"),
    ],
)
def test_a_url_is_shown_as_it_was_given(path: Path | str, shown: str) -> None:
    assert str(DataError("no record", path=path)) == f"{shown}: no record"


def test_an_error_crosses_to_another_process_whole() -> None:
    for error in (WHOLE, UsageError(WHOLE.message, path="a.jsonl", line=3, remedy="mend it")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (vars(copy), str(copy)) == (vars(error), str(error))


def test_the_nearest_name() -> None:
    assert did_you_mean("papper", ["cpu", "paper"]) == ", did you mean paper?"
    assert did_you_mean("nothing", ["cpu", "paper"]) == ""


class Installed(Distribution):
    """A distribution of which pip kept `origin`."""

    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, filename: str) -> str | None:
        assert filename == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


PIP = str(Path(sys.executable).with_name("pip"))


@pytest.mark.parametrize("name", ["c.whl", "c 1.whl"])
def test_a_wheel_is_named_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wheel = tmp_path / name
    wheel.touch()
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    place = tmp_path / "site/corefmill/corpora/files/errors.py"
    monkeypatch.setattr("shutil.which", lambda name: PIP)
    monkeypatch.setattr(errors, "__file__", str(place))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed(origin))
    assert errors.install_command("train") == f"pip install '{wheel}[train]'"


@pytest.mark.parametrize(
    ("found", "pip"),
    [
        (PIP, "pip"),
        (None, f"{sys.executable} -m pip"),
        ("/elsewhere/bin/pip", f"{sys.executable} -m pip"),
    ],
)
def test_a_checkout_is_named_and_no_pip_of_another_python(
    monkeypatch: pytest.MonkeyPatch, found: str | None, pip: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert errors.install_command("train") == f"{pip} install -e '{ROOT}[train]'"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b]0;OWNED\x07", r"\u001b]0;OWNED\u0007"),
        ("a\rb\x7f\x85", r"a\u000db\u007f\u0085"),
        ("\u202eevil\u2069\u200f\u061c", r"\u202eevil\u2069\u200f\u061c"),
        ("one\u2028line", r"one\u2028line"),
        ("caf\udcff", r"caf\udcff"),
        ("Bobʼs café → 東京 👍\u200d", "Bobʼs café → 東京 👍\u200d"),
    ],
)
def test_what_acts_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    said = json.dumps(text, ensure_ascii=False)
    assert json.loads(printable(said)) == text


def stream(file: io.TextIOBase, *, bars: bool = False) -> PrintableStream:
    return PrintableStream(file, "standard output", bars=bars)  # type: ignore[arg-type]


def test_bars_move_where_they_may() -> None:
    for bars, said in (
        (True, "\r 5%\\u001b[31m|\x1b[A"),
        (False, r"\u000d 5%\u001b[31m|\u001b[A"),
    ):
        file = io.StringIO()
        guarded = stream(file, bars=bars)
        guarded.write("\r 5%\x1b[31m|")
        guarded.write("\x1b[A")
        assert file.getvalue() == said


def test_what_the_encoding_lacks_is_escaped_as_json_does() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print(json.dumps("é → 👍", ensure_ascii=False), file=stream(file))
    file.seek(0)
    said = file.read()
    assert said.isascii()
    assert json.loads(said) == "é → 👍"


def test_an_error_in_writing_names_the_stream() -> None:
    class Full(io.StringIO):
        def write(self, text: str = "") -> int:
            raise OSError(28, "No space left on device")

        flush = write  # type: ignore[assignment]

    with pytest.raises(OSError) as in_write:
        stream(Full()).writelines(["x"])
    with pytest.raises(OSError) as in_flush:
        stream(Full()).flush()
    assert in_write.value.filename == in_flush.value.filename == "standard output"


def show(monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool) -> str:
    """What three items write to standard error on the way."""
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("corefmill.corpora.files.terminal._EVERY", 0.0)
    bar = progress_bar(total=3, hidden=False, delay=0.0, desc="novels", unit=" texts")
    for _ in range(3):
        bar.update()
        bar.refresh()
    bar.close()
    return stream.getvalue()


def test_a_terminal_has_one_line_that_moves_and_a_log_a_line_a_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`evaluate` and `build chains` were silent for minutes in a log."""
    said = show(monkeypatch, is_terminal=True)
    assert said.count("\r") > 2 and "\n" not in said
    said = show(monkeypatch, is_terminal=False)
    assert "\r" not in said
    lines = said.splitlines()
    assert lines[-1].startswith("novels: 100%") and "3/3" in lines[-1]
    assert all(line.startswith("novels: ") for line in lines)
    for line, hidden in ((["-q"], True), (["--json"], True), ([], False)):
        begin("train coref", line)
        assert (show(monkeypatch, is_terminal=True) == "") is hidden
