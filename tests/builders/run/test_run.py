"""The runner on one machine: same bytes, resuming, limits, refusals, and every way to fail."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.run.executors import worker_number
from corefmill.builders.run.job import Job, Limit
from corefmill.builders.run.run import orderly_end, run
from corefmill.builders.run.stages import Stage
from corefmill.builders.run.units import StageError
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import LOCK, MARKER, private
from corefmill.corpora.manifest import NAME
from tests.builders.run.toy_build import LineSource, setup, toy_job
from tests.waiting import wait_until

NUMBERS = [str(number) for number in range(1, 13)]


def lines(tmp_path: Path, content: list[str], name: str = "lines.txt") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(content) + "\n", encoding="utf-8")
    return path


def tree(out: Path) -> dict[str, bytes]:
    """Every file below the folder with its bytes, but for what differs from run to run: the lock,
    the driver's token and the times of the input."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name not in (LOCK, MARKER, "end.json", "token")
    }


def texts(job: Any, channel: str = "odd", **how: Any) -> list[str]:
    with orderly_end(job.out_dir), run(job, **how) as result:
        return [record["text"] for record in result.records(channel)]


def limited(job: Job, records: int) -> Job:
    return replace(job, limit=Limit("odd", records))


def test_records_come_in_the_order_of_the_input(tmp_path: Path) -> None:
    path = lines(tmp_path, ["# one", "# two", *NUMBERS, "DROP"])
    with run(toy_job(path, tmp_path / "out", keep_rejects=True)) as result:
        assert [r["text"] for r in result.records("odd")] == ["1", "3", "5", "7", "9", "11"]
        assert [r["unit"] for r in result.records("even")] == [1, 2, 3, 4, 5, 6]
        assert result.written == {"odd": 6, "even": 6, "rejects": 2}
        assert result.counts == {"lines": 14}
        assert result.rejects == {"comment": 2, "dropped by the source": 1}
        record = {"reason": "comment", "record": {"text": "# one"}}
        assert next(result.records("rejects")) == record
        assert result.source_error is None
    # A unit without records has a receipt and no file; rejects are kept only when asked for.
    with run(toy_job(path, tmp_path / "bare")) as result:
        assert len(result.receipts) == 8
        assert not list(result.folder.glob("00000.*.jsonl"))
        assert result.rejects == {"comment": 2, "dropped by the source": 1}
        assert not list(result.records("rejects"))


def test_one_two_and_five_workers_give_the_same_bytes(tmp_path: Path) -> None:
    path = lines(tmp_path, [*NUMBERS, "# a comment", "DROP"])
    trees = []
    for workers in (1, 2, 5):
        out = tmp_path / f"out{workers}"
        with run(toy_job(path, out, seconds=0.01, keep_rejects=True), workers=workers):
            pass
        trees.append(tree(out))
    assert trees[0] == trees[1] == trees[2]


def numbered(folder: Path) -> list[Stage]:
    """Stages that begin when two workers have left their numbers in the folder."""
    (folder / str(worker_number())).touch()
    wait_until(lambda: len(list(folder.iterdir())) == 2, "two workers have begun")
    return setup()


def test_workers_have_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "numbers"
    folder.mkdir()
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out", setup=partial(numbered, folder))
    with run(job, workers=2):
        pass
    assert sorted(path.name for path in folder.iterdir()) == ["0", "1"]
    assert worker_number() == 0


def test_finished_units_are_not_done_again(tmp_path: Path) -> None:
    path = lines(tmp_path, [*NUMBERS, "FAIL"])
    out = tmp_path / "out"
    with pytest.raises(StageError), run(toy_job(path, out)):
        pass
    times = {p.name: p.stat().st_mtime_ns for p in out.rglob("0*.jsonl")}
    assert len(times) == 12
    with pytest.raises(StageError), run(toy_job(path, out)):
        pass
    assert {p.name: p.stat().st_mtime_ns for p in out.rglob("0*.jsonl")} == times


def test_a_finished_build_is_not_even_read_again(tmp_path: Path) -> None:
    class Unreadable(LineSource):
        def units(self, skip: Any) -> Any:
            raise AssertionError("was read")

    path = lines(tmp_path, NUMBERS)
    out = tmp_path / "out"
    first = texts(toy_job(path, out))
    assert texts(toy_job(path, out, source=Unreadable(path))) == first
    os.utime(path, (1, 1))
    with pytest.raises(AssertionError), run(toy_job(path, out, source=Unreadable(path))):
        pass


def cut_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def flip(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"5", b"6", 1))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *(("00002.odd.jsonl", damage) for damage in (cut_end, flip, Path.unlink)),
        *(("00002.json", damage) for damage in (cut_end, Path.unlink)),
    ],
)
def test_damaged_shards_are_done_again(
    tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    path = lines(tmp_path, NUMBERS)
    out = tmp_path / "out"
    with run(toy_job(path, out)) as result:
        whole = tree(out)
    damage(result.folder / name)
    (result.folder / "00002.odd.jsonl.ab12.tmp").touch()
    with run(toy_job(path, out)):
        assert tree(out) == whole


def test_a_limit_takes_the_first_whole_units(tmp_path: Path) -> None:
    path = lines(tmp_path, [*NUMBERS, "CUT"])
    job = toy_job(path, tmp_path / "out", seconds=0.005)
    with run(limited(job, 3), workers=3) as result:
        assert [r["text"] for r in result.records("odd")] == ["1", "3", "5"]
        assert [r["text"] for r in result.records("even")] == ["2", "4", "6"]
        assert result.counts == {"lines": 6}
        assert result.source_error is None
    # What was done beyond the limit is no part of the result on resuming, either.
    assert texts(limited(job, 2)) == ["1", "3"]
    assert len(texts(job)) == 6
    assert texts(limited(job, 3)) == ["1", "3", "5"]


def test_input_that_breaks_off_leaves_what_came_before(tmp_path: Path) -> None:
    path = lines(tmp_path, [*NUMBERS, "CUT"])
    for _ in range(2):
        with run(toy_job(path, tmp_path / "out"), workers=2) as result:
            assert len(list(result.records("odd"))) == 6
            assert str(result.source_error) == f"{path}:13: breaks off"
            assert result.build_record()["truncated"] == f"{path.name}:13: breaks off"


def test_input_that_broke_off_is_read_again(tmp_path: Path) -> None:
    """A server that did not answer may do so the next time, though no file has changed."""

    class Silent(LineSource):
        def units(self, skip: Any) -> Any:
            yield from islice(super().units(skip), 3)
            raise DataError("no answer", path=self.path)

    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out")
    assert texts(replace(job, source=Silent(path))) == ["1", "3", "5"]
    assert texts(job) == ["1", "3", "5", "7", "9", "11"]


def test_changed_options_are_refused_by_name(tmp_path: Path) -> None:
    path = lines(tmp_path, NUMBERS)
    out = tmp_path / "out"
    texts(toy_job(path, out))
    changed = toy_job(path, out, options={"colour": "blue"})
    with pytest.raises(UsageError, match=r'colour was "red", is "blue" .*--overwrite'):
        texts(changed)
    assert len(texts(changed, overwrite=True)) == 6
    assert len(list((private(out) / "work").iterdir())) == 1


def test_changed_input_is_refused_before_reading(tmp_path: Path) -> None:
    path = lines(tmp_path, NUMBERS)
    texts(toy_job(path, tmp_path / "out"))
    lines(tmp_path, [*NUMBERS, "13"])
    with pytest.raises(UsageError, match=r"inputs: lines\.txt changed"):
        texts(toy_job(path, tmp_path / "out"))


def test_changed_input_is_refused_where_only_a_unit_shows_it(tmp_path: Path) -> None:
    class Stream(LineSource):
        """As from standard input: no file to fingerprint."""

        @property
        def paths(self) -> tuple[Path, ...]:
            return ()

    path = lines(tmp_path, NUMBERS)
    job = toy_job(path, tmp_path / "out", source=Stream(path))
    assert len(texts(job)) == 6
    lines(tmp_path, [*NUMBERS[:4], "FIVE", *NUMBERS[5:]])
    with pytest.raises(DataError, match="input changed since part 2 of it was done"), run(job):
        pass
    assert len(texts(job, overwrite=True)) == 5


def manifest(out: Path, content: object) -> None:
    (out / NAME).write_text(json.dumps(content), encoding="utf-8")


def test_a_finished_corpus_of_other_options_is_refused(tmp_path: Path) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    with run(toy_job(path, out)) as result:
        manifest(out, {"build": result.build_record()})
    assert len(texts(toy_job(path, out))) == 6
    with pytest.raises(UsageError, match="finished corpus: seed was 7, is 8"):
        texts(toy_job(path, out, seed=8))
    with pytest.raises(UsageError, match="built with no limit"):
        texts(limited(toy_job(path, out), 2))


@pytest.mark.parametrize("kind", ["link", "FIFO", "deep"])
@pytest.mark.parametrize("name", [NAME, ".corefmill/work/other/fingerprint.json"])
def test_records_of_others_that_cannot_be_read_are_refused(
    tmp_path: Path, name: str, kind: str
) -> None:
    record, out = tmp_path / "out" / name, tmp_path / "out"
    record.parent.mkdir(parents=True)
    (record.parent / "00001.json").touch()
    if kind == "link":
        (record.parent / "other").write_text("{}")
        record.symlink_to("other")
    elif kind == "FIFO":
        os.mkfifo(record)
    else:
        record.write_text("[" * 100_000)
    with pytest.raises(UsageError, match=r"holds (a corpus that no builder made|unfinished work)"):
        texts(toy_job(lines(tmp_path, NUMBERS), out))


@pytest.mark.parametrize("name", ["token", "end.json", "00002.json", "00002.odd.jsonl"])
def test_a_build_writes_through_no_link_in_its_folder(tmp_path: Path, name: str) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    with run(toy_job(path, out)) as result:
        whole = tree(out)
    (tmp_path / "mine").write_text("mine")
    (result.folder / name).unlink(missing_ok=True)
    (result.folder / name).symlink_to(tmp_path / "mine")
    with pytest.raises(UsageError, match="this is a link that leads out of the folder"):
        texts(toy_job(path, out))
    (result.folder / name).unlink()
    (result.folder / name).symlink_to("other")
    with run(toy_job(path, out)):
        assert tree(out) == whole
    assert not (result.folder / "other").exists()


def test_a_smaller_corpus_may_grow(tmp_path: Path) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    with run(limited(toy_job(path, out), 2)) as result:
        manifest(out, {"build": result.build_record()})
    assert len(texts(limited(toy_job(path, out), 4))) == 4
    with pytest.raises(UsageError, match="built with --limit 2"):
        texts(limited(toy_job(path, out), 1))


def test_two_builds_cannot_share_a_folder(tmp_path: Path) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    told = rf"process {os.getpid()} on .* is at work in this folder"
    with (
        run(toy_job(path, out)),
        ThreadPoolExecutor(1) as other,
        pytest.raises(UsageError, match=told),
    ):
        other.submit(texts, toy_job(path, out)).result(60)
    assert len(texts(toy_job(path, out))) == 6
    assert not (private(out) / LOCK).exists()


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    private(out).mkdir(parents=True)
    (private(out) / LOCK).write_text("process 1 on elsewhere", encoding="utf-8")
    assert len(texts(toy_job(path, out))) == 6


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        (
            "FAIL",
            StageError,
            r"KeyError at part 6 of the input: 'a fault in a stage' \(.*toy_build\.py:\d+\)",
        ),
        (
            "EOF",
            StageError,
            r"EOFError at part 6 of the input: inside a stage \(.*toy_build\.py:\d+\)",
        ),
        ("MANY", OSError, r"Too many open files: 'x\.txt'"),
        ("HUGE", DataError, "memory ran out at part 6 of the input .*--workers"),
        ("BAD", DataError, r"^x\.txt:7: a bad line$"),
    ],
)
def test_an_error_in_a_stage_says_where(
    tmp_path: Path, line: str, error: type[Exception], message: str
) -> None:
    path = lines(tmp_path, [*NUMBERS, line])
    job = toy_job(path, tmp_path / "out")
    with pytest.raises(error, match=message), run(job, workers=2):
        pass
    assert not list(job.work_dir.rglob("*.tmp"))


def test_stages_that_cannot_be_built_say_so(tmp_path: Path) -> None:
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out", fault="setup")
    with pytest.raises(StageError, match="while loading the stages: the pipeline is not"):
        texts(job, workers=2)


def test_a_worker_that_dies_names_its_unit_and_keeps_the_rest(tmp_path: Path) -> None:
    path = lines(tmp_path, [*NUMBERS, "DIE"])
    job = toy_job(path, tmp_path / "out")
    said = r"a worker was killed at part 6 of the input, and again .*fewer --workers"
    with pytest.raises(DataError, match=said):
        texts(job, workers=2)
    assert len(list(job.work_dir.rglob("0*.json"))) >= 5
    assert not list(job.work_dir.rglob("*.tmp"))


def test_a_write_that_finds_the_disk_full_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    sync = os.fsync
    left = iter(range(12))  # marker, fingerprint, the driver's token, three files of each unit

    def sync_until_full(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", sync_until_full)
    with pytest.raises(DataError, match=r"out: the disk is full: [\d,]+ MB left .*resumes"):
        texts(toy_job(path, out))
    assert not list(out.rglob("*.tmp"))
    assert len(list(out.rglob("0*.json"))) == 3
    monkeypatch.undo()
    assert len(texts(toy_job(path, out))) == 6


def test_a_long_run_says_how_far_it_is_when_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corefmill.corpora.files.terminal._EVERY", 0.05)
    path = lines(tmp_path, NUMBERS)
    for workers in (1, 2):
        out = tmp_path / f"with-{workers}"
        texts(toy_job(path, out, seconds=0.05), progress=True, workers=workers)
        said = capfd.readouterr().err
        assert all(line.startswith("toy: ") for line in said.splitlines()) and "\r" not in said
        done = [int(number) for number in re.findall(r"(\d+) units done", said)]
        assert done == sorted(done) and 0 < done[-1] <= 6
    texts(toy_job(path, tmp_path / "b", seconds=0.05))
    assert capfd.readouterr().err == ""


def _write_more(path: Path) -> None:
    path.write_text(path.read_text() + "99\n")


def _cut(path: Path) -> None:
    path.write_text(path.read_text()[:-3])


def _write_same_size(path: Path) -> None:
    path.write_text(path.read_text().replace("1", "7"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_write_more, "it had 27 bytes at first, now 30"),
        (_cut, "it had 27 bytes at first, now 24"),
        (_write_same_size, "it had 27 bytes at first, now 27"),
        (Path.unlink, "it is gone"),
    ],
)
@pytest.mark.parametrize("records", [None, 2])
def test_an_input_that_changes_while_it_is_read_is_told(
    tmp_path: Path, change: Callable[[Path], None], message: str, records: int | None
) -> None:
    path = lines(tmp_path, NUMBERS)

    class Changing(LineSource):
        def units(self, skip: Any) -> Any:
            for number, unit in enumerate(super().units(skip)):
                if number == 1:
                    change(path)
                yield unit

    job = toy_job(path, tmp_path / "out")
    changing = replace(job, source=Changing(path), limit=records and Limit("odd", records))
    with pytest.raises(DataError, match=f"the file changed while it was read: {message}") as error:
        texts(changing)
    assert error.value.path == str(path)
    assert not (tmp_path / "out" / NAME).exists()


def test_a_file_of_the_corpus_is_no_input(tmp_path: Path) -> None:
    out = tmp_path / "out"
    texts(toy_job(lines(tmp_path, NUMBERS), out))
    path = lines(out, NUMBERS, "train.txt")
    job = replace(toy_job(path, out), files=("train.txt",))
    with pytest.raises(UsageError, match="the input is a file that the new corpus would overwrite"):
        texts(job, overwrite=True)
    assert path.exists()
