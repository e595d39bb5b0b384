"""Files are opened, listed and read within bounds."""

from __future__ import annotations

import os
import random
import re
import socket
from itertools import groupby
from pathlib import Path

import pytest

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError


def test_below_a_folder_only_regular_files_are_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "link.txt").symlink_to(tmp_path / "b.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "nowhere.txt").symlink_to("nothing")
    os.mkfifo(tmp_path / "fifo.txt")
    (tmp_path / "null.txt").symlink_to("/dev/null")
    monkeypatch.chdir(tmp_path)  # a socket's path has a hundred letters at most
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.txt")
        found = disk.list_below(tmp_path, (".txt",))
        again = disk.list_below(tmp_path, (".txt",))
    names = [path.relative_to(tmp_path).as_posix() for path in found]
    assert names == ["b.txt", "inner/a.txt", "link.txt"]
    assert again == found
    said = [message.replace(f"{tmp_path}/", "") for message in caplog.messages]
    assert sorted(said) == [
        "fifo.txt: a FIFO, passed over",
        "loop: a link to a folder, passed over",
        "null.txt: a device, passed over",
        "socket.txt: a socket, passed over",
    ]


def test_a_stream_of_the_shell_is_read_line_by_line() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\ntwo\n")
    os.close(writing)
    assert list(disk.read_lines(Path(f"/dev/fd/{reading}"))) == [(1, "one"), (2, "two")]
    os.close(reading)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.toml", "a = " + "[" * 20_000, ": not TOML that can be read: too many nested"),
        ("t.toml", "a." * 500 + "a = 1", ": tables are nested more than 50 deep"),
        ("t.toml", "a = 1\n" + "a." * 5_000 + "a = 1", ":2: a line has over 1,000 dots"),
        ("t.toml", "a = 1\nb = " + "1" * 5_000, ": not TOML that can be read: Exceeds the limit"),
        ("t.toml", "a = 1\nb = ", ":2: not TOML: Invalid value"),
        ("t.toml", "a = 1\n\n\xff", ":3: not UTF-8"),
        ("t.toml", "#" * 20_001, ": larger than 20,000 bytes"),
        ("t.json", "[" * 100_000, ": not JSON that can be read"),
        ("t.json", "[1,\n" + "1" * 5_000 + "]", ": not JSON that can be read: Exceeds the limit"),
        ("t.json", '{"a": 1,\n}', ":2: not JSON: "),
        ("t.json", "[NaN]", "NaN is not a value of JSON"),
    ],
)
def test_toml_and_json_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    monkeypatch.setattr(disk, "MOST_TOML", 20_000 if "larger" in said else disk.MOST_TOML)
    with pytest.raises(DataError) as raised:
        disk.read_toml(path) if name == "t.toml" else disk.read_json(path)
    assert f"{name if said[0] == ':' else ''}{said}" in str(raised.value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("/home/ann/My dumps/en.xml.bz2", "en.xml.bz2"),
        ("../shared/books/*.txt", "*.txt"),
        ("~/en.toml", "en.toml"),
        ("Helsinki-NLP/opus-mt-en-it", "Helsinki-NLP/opus-mt-en-it"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("/", "/"),
        ("it=/home/ann/it.toml", "it=it.toml"),
        ("--model=~/models/m", "--model=m"),
        ("x=y=/home/me/b", "x=y=b"),
        ("file:///home/me/x", "x"),
        ("/home/me/a,/home/me/b,c", "a,b,c"),
        ("it=Helsinki-NLP/opus-mt-en-it", "it=Helsinki-NLP/opus-mt-en-it"),
        ("http://localhost/a/b", "http://localhost/a/b"),
        ("https://host/dump.xml?signature=secret", "https://host/dump.xml"),
        ("https://host/dump.xml?a=1,secret,/home/secret", "https://host/dump.xml"),
        ("it=github://a:b/x?token=secret", "it=github://a:b/x"),
        ("/home/me/a,ftp://me:secret@host/x", "a,ftp://host/x"),
    ],
)
def test_a_card_has_the_last_name_of_a_path(value: str, shown: str) -> None:
    assert disk.strip_folders(value) == shown
    command = f"python -u /home/ann/translate.py --model {value}"
    short = f"python -u translate.py --model {shown}"
    assert " " in value or disk.strip_folders(command, command=True) == short


@pytest.mark.parametrize("url", ["https://host/a.jsonl", "s3://bucket/a"])
def test_a_url_is_no_file_that_is_missing(url: str) -> None:
    with pytest.raises(UsageError, match=f"{url}: a URL cannot be read here"):
        disk.require_path(Path(url))


PLAIN = ["1\ta\n", "# b\n", "\n", "\n", "à\n"]
ODD = ["  \n", "\u3000\n", "x\r\n", "\ufeffy\n", "z\n\n\n\n", "w"]


@pytest.mark.parametrize("words", [PLAIN, PLAIN + ODD])
def test_they_are_those_of_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    draw, path = random.Random(5), tmp_path / "a.conllu"
    for _ in range(300):
        monkeypatch.setattr(disk, "_PIECE", draw.choice((1, 3, 10, 1000)))
        path.write_bytes("".join(draw.choices(words, k=draw.randint(0, 15))).encode())
        found = []
        for _, group in groupby(disk.read_lines(path), lambda one: bool(one[1].strip())):
            lines = list(group)
            if lines[0][1].strip():
                found.append((lines[0][0], [line for _, line in lines]))
        assert list(disk.read_blocks(path)) == found


@pytest.mark.parametrize(
    ("piece", "content", "lines"),
    [
        (4, "ab\rcd\rde\r\nf\r\n", ["ab", "cd", "de", "f"]),  # CR LF is one end, also in halves
        (4, "ab\r\rcd", ["ab", "", "cd"]),
        (6, "ab\u2028c\nd\x85e", ["ab", "c", "d", "e"]),
        (9, "ab\u2028c\nd\x85e", ["ab\u2028c", "d\x85e"]),
        (9, '{"a"\r:"\u2028"}\r{}\r', ['{"a"', ':"\u2028"}', "{}"]),
        (9, "ab\r", ["ab"]),
    ],
)
def test_other_ends_than_lf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int, content: str, lines: list[str]
) -> None:
    monkeypatch.setattr(disk, "_PIECE", piece)
    path = tmp_path / "a.txt"
    path.write_bytes(content.encode())
    assert [line for _, line in disk.read_lines(path)] == lines
    assert disk.read_head(path, 3).startswith(lines[0][:2])


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (b"a\x00", "a.conllu:4: a NUL byte"),
        (b"a\n\xff\n", "a.conllu:5: not UTF-8 at byte 1"),
        (b"a\t" * 200_000, "a.conllu:4: a row of over 100,000 cells"),
        (b"abcd\nabcd\nabcd\n", "a sentence of over"),
    ],
)
def test_errors_name_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes, said: str
) -> None:
    if "sentence" in said:
        monkeypatch.setattr(disk, "LONGEST_SENTENCE", 10)
        monkeypatch.setattr(disk, "_PIECE", 4)
    path = tmp_path / "a.conllu"
    path.write_bytes(b"x\ny\n\n" + end)
    with pytest.raises(DataError) as raised:
        list(disk.read_blocks(path))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE")],
)
def test_utf_16_is_called_so(tmp_path: Path, encoding: str, name: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Zoë left.\nShe ran.\n".encode(encoding))
    said = re.escape(
        f"a.txt:1: the file is {name}, not UTF-8 (convert it, such as by iconv -f {name} "
    )
    for read in (lambda: list(disk.read_lines(path)), lambda: disk.read_text(path)):
        with pytest.raises(DataError, match=said):
            read()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<!DOCTYPE a><a/>", "declares a document type"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type"),
        ("<a>\n<b></a>", r":2: not XML"),
        ("", "not XML"),
        ("<a>" * 300 + "</a>" * 300, "not XML"),
        ('<x:a xmlns:x="u"/>', r"a\.xml:1: the root element is {u}a, not a"),
    ],
)
def test_xml_that_is_refused(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        disk.read_xml(path, "a")
    if "{u}" in message:
        assert disk.read_xml(path, "{u}a").tag == "{u}a"


def test_a_checkout_is_known_by_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("corefmill/d.py", "builders/a.py", "rules/b.toml", "builders/c.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(disk, "__file__", str(tmp_path / "corpora/files/disk.py"))
    found = [disk.code_version.__wrapped__("builders", "rules")]
    (tmp_path / ".git").touch()
    for name in ("corefmill/d.py", "builders/c.pyc", "rules/b.toml"):
        (tmp_path / name).write_text("changed")
        found.append(disk.code_version.__wrapped__("builders", "rules"))
    assert "source" not in found[0]
    assert found[1] == found[2] != found[3]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("link", "this is a link, not a file"),
        ("link to itself", "this is a link, not a file"),
        ("FIFO", "this is not a regular file"),
        ("device", "this is a link, not a file"),
        ("socket", "cannot be read"),
        ("folder", "this is not a regular file"),
        ("large", "larger than 1,000 bytes"),
        ("cut", "not JSON that can be read"),
        ("empty", "not JSON that can be read"),
        ("not UTF-8", "not JSON that can be read"),
        ("deep", "larger than 1,000 bytes"),
        ("long number", "larger than 1,000 bytes"),
    ],
)
def test_our_own_records_are_read_from_plain_files_alone(
    tmp_path: Path, kind: str, said: str
) -> None:
    path, target = tmp_path / "record.json", tmp_path / "target"
    target.write_text('{"files": []}')
    contents = {
        **{"large": "x" * 1001, "cut": '{"a', "empty": "", "not UTF-8": '"\udcff"'},
        **{"deep": "[" * 100_000, "long number": "9" * 5000},
    }
    if kind in contents:
        path.write_text(contents[kind], errors="surrogateescape")
    elif kind == "folder":
        path.mkdir()
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as own:
            own.bind(str(path))
    else:
        path.symlink_to({"link": target, "device": "/dev/zero"}.get(kind, path))
    with pytest.raises(DataError, match=said):
        disk.read_record(path, 1000)
    if kind in ("deep", "long number"):
        with pytest.raises(DataError, match="not JSON that can be read"):
            disk.read_record(path)
    with pytest.raises(FileNotFoundError):
        disk.read_record(tmp_path / "none")
    assert disk.read_record(target) == {"files": []}
