from __future__ import annotations

import os
from pathlib import Path

import pytest

from corefmill.builders.translate.engines import command
from corefmill.builders.translate.engines.apertium import (
    Apertium,
    ApertiumMode,
    find_route,
    list_modes,
    read_programs,
)
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.translate.engines.fakes import fake


def test_translates_over_catalan(apertium: Apertium) -> None:
    assert apertium.name == "apertium eng-cat cat-ita"
    found = apertium.translate(["Marco was destroyed.", "", "Gabriella has arrived", " \n"])
    assert found == ["Marco fu distrutto.", "", "Gabriella è arrivata", ""]


def test_what_the_stream_reserves_is_text(apertium: Apertium) -> None:
    odd = ["[b] {c} ^d$ e/f @g \\ <h> *i #j +k", "].[0]", "^x<n><sg>/y<n>$", "\\[", "~ [~] \\~"]
    odd += ["<STREAMCMD:FLUSH>", "[[", "Yes.[]", "日本語 العربية 😀", "..."]
    found = apertium.translate(odd)
    assert found[1:7] == odd[1:7]
    assert str(found[0]).startswith("[b] {c} ^d$ e/f @g \\ <h> *")
    assert found[7:] == ["Sì.[]", *odd[8:]]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if b'bad' in text: sys.exit('crash')", "ended with 1, 'crash'"),
        ("if b'bad' in text: import time; time.sleep(60)", "no answer for"),
        ("if b'bad' in text: text = b'other.[9]'", "belongs to another text"),
        ("if b'bad' in text: text = b''", "a program of Apertium gave no answer"),
    ],
)
def test_a_text_that_it_fails_on_is_named_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    monkeypatch.setattr(command, "_PATIENCE", 1.5)
    translator = Apertium(model=fake(tmp_path, monkeypatch, body))
    with pytest.raises(DataError, match=f"apertium fails on 'the bad dog': .*{reason}"):
        translator.translate(["a dog", "the bad dog", "dogs"])
    assert translator.translate(["a dog", "dogs"]) == ["a cane", "canes"]
    translator.close()


def test_programs_that_were_killed_start_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Apertium(model=fake(tmp_path, monkeypatch))
    assert translator.translate(["a dog"]) == ["a cane"]
    for process in translator._links[0][0]._running[:1]:
        process.kill()
        process.wait()
    assert translator.translate(["a dog", "the dog"]) == ["a cane", "the cane"]
    translator.close()
    assert translator.translate(["dog"]) == ["cane"]
    translator.close()


def test_a_program_that_cannot_start_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = Apertium(model=fake(tmp_path, monkeypatch))
    (tmp_path / "lt-proc").chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="lt-proc does not start: Permission denied"):
        translator.translate(["a dog"])


def test_modes_routes_and_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = list_modes(fake(tmp_path, monkeypatch))
    assert [(mode.source, mode.target) for mode in there] == [("en", "it")]
    assert [program.command for program in read_programs(there[0])] == [
        ("lt-proc", "-z", "-n", str(tmp_path / "a b.bin")),
        ("apertium-pretransfer", "-z"),
    ]
    translator = Apertium(model=tmp_path)
    assert translator.translate(["A dog [1]."]) == ["A cane [1]."]
    before = translator.fingerprint
    (tmp_path / "modes" / "eng-ita.mode").write_text("lt-proc 'a b.bin' | apertium-pretransfer\n")
    assert Apertium(model=tmp_path).fingerprint != before
    translator.close()


def test_the_shortest_way_is_taken() -> None:
    pairs = [("en", "es"), ("es", "ca"), ("ca", "it"), ("en", "fr"), ("fr", "it"), ("it", "en")]
    there = [ApertiumMode(source, target, Path(f"{source}-{target}")) for source, target in pairs]
    assert [found.path.name for found in find_route("en", "it", there)] == ["en-fr", "fr-it"]
    assert find_route("en", "de", there) == []


def test_no_way_gives_the_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"translate from 'en' to 'it'.*apertium-eng-cat"):
        Apertium(model=tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"lt-proc 'half", "cannot be read"),
        (b"", "an empty command beside a pipe"),
        (b"lt-proc 'a b.bin' || lt-proc 'a b.bin'", "names '\\|\\|', which is not there"),
        (b"sh -c true", "names 'sh', which is none of Apertium's programs"),
        (b"lt-proc 'a b.bin' | /bin/lt-proc", "is none of Apertium's programs"),
        # What the reviewer of a mode would not see: the last file is written to.
        (b"lt-proc 'a b.bin' /etc/hostname VICTIM", "names '/etc/hostname', which is not in"),
        (b"lt-proc 'a b.bin' 'a b.bin' 'a b.bin'", "gives lt-proc 3 files instead of 1"),
        (b"lt-proc ../a\\ b.bin", "is not in its folder"),
        (b"lt-proc link.bin", "names 'link.bin', which is not in its folder"),
        (b"lt-proc loop.bin", "names 'loop.bin', which"),
        (b"lt-proc pipe.bin", "names 'pipe.bin', which is not there"),
        (b"lt-proc " + b"x" * 5000, r"names 'x+\.\.\.', which cannot be read"),
        (b"lt-proc 'a\0b.bin'", r"names 'a\\x00b.bin', which cannot be read"),
        (b"lt-proc -i 'a b.bin'", "the option '-i', which is not allowed"),
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
