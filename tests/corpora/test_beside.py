"""Tables beside the code are found from a module's file, and read once."""

from __future__ import annotations

from pathlib import Path

from corefmill.corpora import beside


def test_a_table_beside_a_module_or_in_a_folder_below_is_read_once(tmp_path: Path) -> None:
    module = str(tmp_path / "words.py")
    (tmp_path / "words.toml").write_text('titles = ["Dr", "Mme"]\n', "utf-8")
    (tmp_path / "it").mkdir()
    (tmp_path / "it" / "verbs.toml").write_text("[stare]\nsto = 3\n", "utf-8")
    assert beside.table(module, "words") == {"titles": ["Dr", "Mme"]}
    assert beside.table(module, "words") is beside.table(module, "words")
    assert beside.table(module, "it/verbs")["stare"] == {"sto": 3}
