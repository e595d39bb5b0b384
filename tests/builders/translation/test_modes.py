from __future__ import annotations

import os
from pathlib import Path

import pytest

from corefmill.builders.translation.apertium import Apertium
from corefmill.builders.translation.modes import ApertiumMode, modes, programs, route
from corefmill.corpora.errors import UsageError
from tests.builders.translation.fakes import fake


def test_modes_routes_and_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = modes(fake(tmp_path, monkeypatch))
    assert [(mode.source, mode.target) for mode in there] == [("en", "it")]
    assert [program.command for program in programs(there[0], "-g")] == [
        ("lt-proc", "-z", "-g", str(tmp_path / "a b.bin")),
        ("apertium-pretransfer", "-z"),
    ]
    translator = Apertium(model=tmp_path)
    assert translator.translate(["A dog [1]."]) == ["A cane [1]."]
    before = translator.fingerprint
    (tmp_path / "modes" / "eng-ita.mode").write_text("lt-proc 'a b.bin' | apertium-pretransfer\n")
    assert Apertium(model=tmp_path).fingerprint != before
    translator.close()


def test_the_shortest_way_is_taken() -> None:
    def mode(pair: str) -> ApertiumMode:
        source, target = pair.split("-")
        return ApertiumMode(source, target, Path(pair))

    there = [mode(pair) for pair in ("en-es", "es-ca", "ca-it", "en-fr", "fr-it", "it-en")]
    assert [found.path.name for found in route("en", "it", there)] == ["en-fr", "fr-it"]
    assert route("en", "de", there) == []


def test_no_way_gives_the_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no way from 'en' to 'it'.*apertium-eng-cat"):
        Apertium(model=tmp_path)


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "modes"))
    with pytest.raises(UsageError, match="needs lt-proc, which is not there"):
        Apertium(model=tmp_path)


def test_only_the_perceptron_tagger_forgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch)
    mode = tmp_path / "modes" / "eng-ita.mode"
    mode.write_text(
        "apertium-tagger -gx 'a b.bin' | apertium-tagger -g $2 'a b.bin' | lt-proc a\\ b.bin"
    )
    assert [program.forgets for program in programs(modes(tmp_path)[0], "-n")] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"lt-proc 'half", "cannot be read"),
        (b"lt-proc \xff", "cannot be read"),
        (b"", "an empty place for a program"),
        (b"lt-proc 'a b.bin' || lt-proc 'a b.bin'", "names '\\|\\|', which is not there"),
        (b"sh -c true", "names 'sh', which is no program of Apertium's"),
        (b"lt-proc 'a b.bin' | /bin/lt-proc", "is no program of Apertium's"),
        (b"apertium-x/../sh", "is no program of Apertium's"),
        (b"$HOME", "is no program of Apertium's"),
        (b"hfst-proc 'a b.bin'", "is no program of Apertium's"),
        # What the reviewer of a mode would not see: the last file is written to.
        (b"lt-proc 'a b.bin' /etc/hostname VICTIM", "names '/etc/hostname', which is not in"),
        (b"lt-proc 'a b.bin' 'a b.bin' 'a b.bin'", "gives lt-proc 3 files, which takes 1"),
        (b"lt-proc", "gives lt-proc 0 files, which takes 1"),
        (b"apertium-pretransfer 'a b.bin'", "gives apertium-pretransfer 1 files"),
        (b"apertium-transfer -b 'a b.bin'", "gives apertium-transfer 1 files"),
        (b"lt-proc ../a\\ b.bin", "is not in its folder"),
        (b"lt-proc link.bin", "names 'link.bin', which is not in its folder"),
        (b"lt-proc loop.bin", "names 'loop.bin', which"),
        (b"lt-proc modes", "names 'modes', which is not there"),
        (b"lt-proc pipe.bin", "names 'pipe.bin', which is not there"),
        (b"lt-proc nothing.bin", "names 'nothing.bin', which is not there"),
        (b"lt-proc " + b"x" * 5000, r"names 'x+\.\.\.', which cannot be read"),
        (b"lt-proc 'a\0b.bin'", r"names 'a\\x00b.bin', which cannot be read"),
        (b"lt-proc > 'a b.bin'", "names '>', which is not there"),
        (b"lt-proc -i 'a b.bin'", "the option '-i', which it may not"),
        (b"lt-proc --help 'a b.bin'", "the option '--help'"),
        (b"lt-proc - 'a b.bin'", "the option '-'"),
        (b"apertium-tagger -s0 'a b.bin'", "the option '-s0'"),
    ],
)
def test_a_mode_starts_and_names_nothing_else(
    line: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    fake(folder, monkeypatch)
    victim = tmp_path / "VICTIM"
    victim.write_text("precious")
    (tmp_path / "a b.bin").write_text("outside")
    (folder / "link.bin").symlink_to(victim)
    (folder / "loop.bin").symlink_to(folder / "loop.bin")
    os.mkfifo(folder / "pipe.bin")
    mode = folder / "modes" / "eng-ita.mode"
    mode.write_bytes(line.replace(b"VICTIM", bytes(victim)))
    with pytest.raises(UsageError, match=message) as caught:
        Apertium(model=folder)
    assert str(caught.value).startswith(f"{mode}: ")
    assert len(str(caught.value).splitlines()) == 1
    assert victim.read_text() == "precious"


def test_a_mode_that_is_no_file_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = fake(tmp_path, monkeypatch) / "modes" / "eng-ita.mode"
    mode.unlink()
    os.mkfifo(mode)
    assert modes(tmp_path) == []
