"""A recipe of pipelines on a few lines of French written here, stopped and gone on with."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from tools.pipelines import language, recipe
from tools.pipelines.english import DUMP

TREE = """# text = Anne parle du pont.
1\tAnne\tAnne\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\tTense=Pres\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\tGender=Masc\t5\tdet\t_\t_
5\tpont\tpont\tNOUN\t_\tGender=Masc\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def _data(folder: Path) -> Path:
    named = "0\tAnne\tB-PER\n1\tvit\tO\n2\tl'\tO\n3\tIsère\tB-LOC\n4\t.\tO\n\n"
    body = "0\tLe\tO\n1\tClub\tB-ORG\n2\tlut\tO\n3\tCandide\tB-MISC\n4\t.\tO\n\n"
    texts = {
        f"ner/wikineural/fr-{part}.conllu": (named + body) * 60 for part in ("val", "test-rest")
    }
    for number, part in enumerate(language.table("fr")["treebanks"]):
        trees = (TREE.replace("pont", f"pont{number}x{i}") for i in range(200))
        texts[f"ud/fr/{part}.conllu"] = "".join(trees)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "eltec" / "fr").mkdir(parents=True)
    said = "Alors Anne parla du pont, et Paul dit que Anne avait raison sans doute.\n\n"
    for book in "ab":
        packed = lzma.compress((said * 30).encode())
        (folder / "eltec" / "fr" / f"{book}.txt.xz").write_bytes(packed)
    return folder


def test_a_little_data_gives_a_pipeline_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("stanza", reason="its CoNLL-18 program scores the pipeline")
    data, work, out = _data(tmp_path / "data"), tmp_path / "work", tmp_path / "not/there/fr_mini"
    options = ["--data", data, "--out", out, "--work", work, "--epochs", 1, "--tree-epochs", 1]
    arguments = ["fr_mini", *map(str, options), "--jobs", "1"]
    # Stopped before the scores, it goes on from there; begun otherwise, it refuses.
    with monkeypatch.context() as broken:
        broken.setattr(recipe.save, "write", lambda *_: 1 / 0)
        assert CliRunner().invoke(recipe.app, arguments).exit_code == 1
    refused = CliRunner().invoke(recipe.app, [*arguments, "--seed", "2"])
    assert (refused.exit_code, "delete it or name another --work" in refused.output) == (2, True)
    done = CliRunner().invoke(recipe.app, arguments)
    assert done.exit_code == 0, done.output
    assert "taking up what is there" in done.output
    assert "epoch 1 of 1" not in done.output
    assert not work.exists()
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "**For non-commercial use**" in card.splitlines()[2]
    assert "Trees: 510 sentences, " in card
    assert "| UD French Sequoia (`fr_sequoia-ud-dev`) |" in card
    assert "French GSD, CC BY-SA 4.0" in (out / "LICENCE.txt").read_text(encoding="utf-8")
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    assert set(meta["performance"]) == {"summary", "names_f1", "trees_f1"}
    doc = spacy.load(out)("Anne parle du pont.")
    assert [(token.text, token.norm_) for token in doc][2:4] == [("d", "de"), ("u", "le")]


def test_missing_data_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    arguments = ["en_mini", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(recipe.app, arguments)
    assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
    assert DUMP[-1] in done.output
