"""Files are replaced whole, only marked ones, and one process works in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.ownership import (
    LOCK,
    MARKER,
    claim_folder,
    is_unsettled,
    lock_folder,
    private,
    read_marker,
    refuse_finished,
    refuse_foreign,
    settle,
    together,
)
from corefmill.corpora.files.writing import (
    ensure_folder,
    make_way,
    refuse_taken,
    replacing,
)


def test_the_old_file_stands_until_the_block_ends_without_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="halfway"), replacing(path) as out:
        out.write(b"new")
        raise RuntimeError("halfway")
    assert path.read_bytes() == b"old"
    with replacing(path) as out:
        out.write(b"new")
        out.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_new_folders_outlast_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("corefmill.corpora.files.writing.sync_folder", synced.append)
    ensure_folder(tmp_path / "a" / "b")
    assert sorted(synced) == [tmp_path, tmp_path / "a"]
    ensure_folder(tmp_path / "a" / "b")
    assert len(synced) == 2


def test_files_are_replaced_on_demand_alone_and_folders_and_devices_never(tmp_path: Path) -> None:
    free, taken, dangling = tmp_path / "new/free", tmp_path / "taken", tmp_path / "dangling"
    taken.write_text("mine")
    dangling.symlink_to(tmp_path / "nowhere")
    make_way(free)
    assert list((tmp_path / "new").iterdir()) == []
    for path in (taken, dangling):
        with pytest.raises(UsageError, match=r"is there already \(--overwrite replaces it\)"):
            make_way(free, path)
        refuse_taken(free, path, overwrite=True)
    os.mkfifo(tmp_path / "fifo")
    for path, message in (
        (tmp_path, "this is a folder"),
        (tmp_path / "fifo", "not a file and cannot be replaced"),
    ):
        with pytest.raises(UsageError, match=message):
            make_way(path, overwrite=True)


NAMES = ("README.md", "train.jsonl", "stages/alpha/train.jsonl")


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "work"])
def test_a_folder_of_somebody_elses_is_refused_and_stays_as_it_is(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"did not make: {name} "):
        claim_folder(tmp_path, NAMES, overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_hidden_files_and_a_fresh_disk_are_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "lost+found").mkdir()
    claim_folder(tmp_path, NAMES, overwrite=False)
    assert read_marker(tmp_path) is not None


def test_a_file_that_came_to_a_folder_of_ours_is_not_written_over(tmp_path: Path) -> None:
    claim_folder(tmp_path, ("train.jsonl",), overwrite=False)
    (tmp_path / "README.md").write_text("mine")
    claim_folder(tmp_path, ("train.jsonl",), overwrite=False)
    with pytest.raises(UsageError, match=r"README\.md"):
        claim_folder(tmp_path, NAMES, overwrite=False)


def test_with_overwrite_only_files_of_our_names_are_touched(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for name in ("README.md", "notes.txt", "work/notes.txt", ".draft.tmp", ".README.md.tmp"):
        (tmp_path / name).write_text("mine")
    claim_folder(tmp_path, NAMES, overwrite=True)
    settle(tmp_path, ("train.jsonl",))
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    kept = {"notes.txt", "work", "work/notes.txt", ".draft.tmp", ".README.md.tmp"}
    assert there == {*kept, ".corefmill", ".corefmill/owner.json"}


def test_settling_removes_old_files_drafts_and_work(tmp_path: Path) -> None:
    claim_folder(tmp_path, NAMES, overwrite=False)
    (tmp_path / "stages/alpha").mkdir(parents=True)
    for name in (*NAMES, ".train.jsonl.12.tmp", "train.jsonl.bak"):
        (tmp_path / name).write_text("x")
    (private(tmp_path) / "work/0123").mkdir(parents=True)
    (private(tmp_path) / LOCK).write_text("process 1")
    assert is_unsettled(tmp_path)
    settle(tmp_path, ("README.md", "train.jsonl"))
    assert not is_unsettled(tmp_path)
    assert read_marker(tmp_path) == ["README.md", "train.jsonl"]
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    ours = {"README.md", "train.jsonl", ".corefmill", ".corefmill/lock", ".corefmill/owner.json"}
    assert there == {*ours, "train.jsonl.bak"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"files": ["../victim"]}',
        b'{"files": ["/etc/passwd"]}',
        b'{"files": [".corefmill/owner.json"]}',
        b"[" * 100_000,
        b'{"files": ["a\\ud800"]}',
        b'{"files": ["a\\u0000"]}',
        b'{"files": [1]}',
        b'{"files": "a"}',
        b'{"files": ["\xff"]}',
        b'{"files": [' + b'"a",' * 300_000 + b'"a"]}',
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_marker_that_names_what_is_not_below_is_none(tmp_path: Path, content: bytes) -> None:
    private(tmp_path).mkdir()
    (private(tmp_path) / MARKER).write_bytes(content)
    (tmp_path / "mine").write_text("mine")
    assert read_marker(tmp_path) is None
    with pytest.raises(UsageError, match="mine"):
        refuse_foreign(tmp_path, NAMES, overwrite=False)


def test_a_private_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "out").mkdir()
    private(tmp_path / "out").symlink_to(tmp_path / "else")
    for overwrite in (False, True):
        with pytest.raises(UsageError, match="this is a link"):
            claim_folder(tmp_path / "out", NAMES, overwrite=overwrite)
        with pytest.raises(UsageError, match="this is a link"):
            refuse_finished(tmp_path / "out", NAMES, overwrite=overwrite)


@pytest.mark.parametrize(
    ("link", "owned", "names"),
    [
        ("sub", ["sub/mine"], NAMES),
        ("sub", ["sub/deep/mine"], NAMES),
        ("stages", [], NAMES),
        ("stages/alpha", [], NAMES),
        ("encoder", [], ("encoder",)),
        (".corefmill", [], NAMES),
        (".corefmill/work", [], NAMES),
        (".corefmill/passes", [], NAMES),
        (".corefmill/translations", [], NAMES),
        (".corefmill/work/0123/logs", [], NAMES),
        (".corefmill/lock", [], NAMES),
    ],
)
def test_no_link_in_a_folder_leads_our_writing_out_of_it(
    tmp_path: Path, link: str, owned: list[str], names: tuple[str, ...]
) -> None:
    victim, out = tmp_path / "victim", tmp_path / "out"
    (victim / "deep").mkdir(parents=True)
    (victim / "mine").write_text("mine")
    (victim / "deep/mine").write_text("mine")
    before = sorted(victim.rglob("*"))
    (out / link).parent.mkdir(parents=True)
    (out / link).symlink_to(victim / "mine" if link.endswith("lock") else victim)
    if owned:
        private(out).mkdir()
        (private(out) / MARKER).write_text(json.dumps({"files": owned}))
    for overwrite in (False, True):
        with pytest.raises(UsageError, match="this is a link"), lock_folder(out):
            claim_folder(out, names, overwrite=overwrite)
    if owned:
        with pytest.raises(UsageError, match="this is a link"):
            settle(out, ())
    elif not link.startswith(".corefmill"):
        with pytest.raises(UsageError, match="this is a link"):
            refuse_finished(out, names, overwrite=True)
    assert sorted(victim.rglob("*")) == before and (victim / "mine").read_text() == "mine"


def test_links_within_our_own_folder_are_no_hindrance(tmp_path: Path) -> None:
    logs = private(tmp_path) / "work/0123/logs"
    logs.mkdir(parents=True)
    (logs / "call").write_text("x")
    (logs / "link").symlink_to("call")
    with lock_folder(tmp_path):
        claim_folder(tmp_path, NAMES, overwrite=False)


def test_drafts_beside_many_files_are_found_by_one_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.jsonl" for number in range(2000)]
    claim_folder(tmp_path, names, overwrite=False)
    for name in (".7.jsonl.12.tmp", ".7.jsonl.1.tmp", ".other.12.tmp"):
        (tmp_path / name).touch()
    looks: list[Path] = []
    list_folder = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: looks.append(path) or list_folder(path))
    settle(tmp_path, ())
    assert len(looks) == 2  # at the folder, and at ours
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".corefmill", ".other.12.tmp"]


def test_files_that_belong_together_are_all_there_or_made_again(tmp_path: Path) -> None:
    names = ("a.csv", "b.csv")
    (tmp_path / "c.csv").write_text("mine")
    with pytest.raises(OSError), together(tmp_path, names, overwrite=False):
        (tmp_path / "a.csv").write_text("half")
        raise OSError
    with together(tmp_path, names, overwrite=False):
        for name in names:
            (tmp_path / name).write_text("whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv", "c.csv"]
    with pytest.raises(UsageError, match="is there already"):
        refuse_finished(tmp_path, names, overwrite=False)


def test_a_file_is_no_folder_of_results(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.touch()
    said = r"sheet\.csv: this is a file \(name a folder with --out\)"
    with pytest.raises(UsageError, match=said), lock_folder(path):
        pass
