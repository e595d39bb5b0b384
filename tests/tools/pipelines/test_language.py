"""The recipe that several languages share, on a few lines of French written here."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from tools.pipelines import language, recipe

TREE = """1\tAnne\tAnne\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t_
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
    trees = "".join(TREE.replace("pont", f"pont{i}") for i in range(100))
    texts |= {f"ud/fr/{part}.conllu": trees for part in language.table("fr")["treebanks"]}
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


def test_a_little_data_gives_a_pipeline_that_loads(tmp_path: Path) -> None:
    pytest.importorskip("stanza", reason="its CoNLL-18 program scores the pipeline")
    data, out = _data(tmp_path / "data"), tmp_path / "fr_mini"
    arguments = ["fr_mini", "--data", str(data), "--out", str(out), "--jobs", "1"]
    done = CliRunner().invoke(recipe.app, [*arguments, "--epochs", "1", "--tree-epochs", "1"])
    assert done.exit_code == 0, done.output
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "**For non-commercial use**" in card.splitlines()[2]
    assert "| UD French Sequoia (`fr_sequoia-ud-dev`) |" in card
    assert "French GSD, CC BY-SA 4.0" in (out / "LICENCE.txt").read_text(encoding="utf-8")
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    assert set(meta["performance"]) == {"names_f1", "trees_f1"}
    doc = spacy.load(out)("Anne parle du pont.")
    assert [(token.text, token.norm_) for token in doc][2:4] == [("d", "de"), ("u", "le")]
