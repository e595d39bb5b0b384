"""`corefmill check`: what it prints, its exit codes, and the corrected copy."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

from tests.commands import called, command, json_result
from tests.corefmill.dumps import error_line

BLOCK = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"
TWO = BLOCK[:-1] + BLOCK.replace("left", "won")


check = partial(called, "corefmill", "check")


def test_a_finding_is_shown_with_file_line_and_code(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TWO)
    code, shown, _ = check(path)
    assert code == 1
    assert f"{path}:5: error E203 the empty line after a block is missing\n" in shown
    assert "2 records in 1 file were checked." in shown
    path.write_text(BLOCK)
    code, shown, _ = check(path)
    assert code == 0 and "1 record in 1 file was checked." in shown


def test_warnings_fail_where_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(BLOCK.replace("Anna,Bob", "Anna,Eva"))
    assert check(path)[0] == 0
    assert check(path, "--fail-on", "warning")[0] == 1


def test_a_mended_copy_is_clean(tmp_path: Path) -> None:
    path, out = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text(TWO)
    code, shown, _ = check(path, "--fix", "--out", out)
    assert code == 1 and f"{out}: corrected E203 1" in shown
    code, shown, _ = check(out)
    assert code == 0 and "Nothing was found." in shown
    check(path, "--fix", "--overwrite")
    assert path.read_text() == out.read_text()


def test_the_codes_are_explained() -> None:
    assert "E203 missing fifth line (error, corrected by --fix)\n" in check("--list")[1]
    assert "E203" in {code["code"] for code in json_result(check("--list", "--json")[1])}


def test_what_cannot_be_read_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A novel.")
    done = command("corefmill", "check", tmp_path / "a.txt")
    assert "the format of this file is not known" in error_line(done)
    (tmp_path / "b.jsonl").touch()
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    for name, why in (
        ("b.jsonl", "is empty (name another"),
        ("c.jsonl.gz", "is compressed (unpack it with gunzip)"),
    ):
        said = error_line(command("corefmill", "check", tmp_path / name))
        assert said.startswith(f"{tmp_path / name}: this file {why}")
    assert "--fix needs --out COPY or --overwrite, and these" in error_line(
        command("corefmill", "check", "a", "--fix")
    )
