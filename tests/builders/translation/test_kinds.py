from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from corefmill.builders.translation import kinds as kinds_module
from corefmill.builders.translation.kinds import check_folder, kinds, lacking, marks, name_of
from corefmill.corpora import beside
from corefmill.corpora.errors import DataError, UsageError


def folder_of(path: Path, kind: str, *, weights: str = "model.safetensors") -> Path:
    """A folder with the files of a kind, and nothing in them."""
    path.mkdir(exist_ok=True)
    for name in (*kinds()[kind].files, weights):
        (path / name).write_text("{}")
    (path / "config.json").write_text(json.dumps({"model_type": kinds()[kind].config}))
    return path


def test_a_folder_that_is_none_says_what_to_fetch(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder") as caught:
        check_folder(kinds()["nllb"], tmp_path / "absent")
    assert "hf download facebook/nllb-200" in str(caught.value)
    with pytest.raises(DataError, match=r"no config\.json in this folder"):
        check_folder(kinds()["nllb"], tmp_path)


@pytest.mark.parametrize("kind", list(kinds()))
def test_each_kind_is_told_from_the_others(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    folder = folder_of(tmp_path / kind, kind)
    check_folder(kinds()[kind], folder)
    for other in kinds().keys() - {kind}:  # order: each is refused by itself
        with pytest.raises(DataError, match=f"of the kind {kind}, not {other}") as caught:
            check_folder(kinds()[other], folder)
        assert f"--translator {kind}" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_model_of_no_kind(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(DataError, match=r"of the kind bert, not m2m.*marian, nllb, m2m, madlad"):
        check_folder(kinds()["m2m"], tmp_path)


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "marian", weights="pytorch_model.bin")
    with pytest.raises(DataError, match="pickled"):
        check_folder(kinds()["marian"], folder)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(DataError, match=r"no model\.safetensors"):
        check_folder(kinds()["marian"], folder)
    (folder / "source.spm").unlink()
    with pytest.raises(DataError, match=r"no source\.spm"):
        check_folder(kinds()["marian"], folder)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="madlad needs torch"):
        check_folder(kinds()["madlad"], folder_of(tmp_path, "madlad"))


def test_code_of_a_folder_is_refused_before_any_library_reads_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Config"}}')
    with pytest.raises(DataError, match="auto_map asks for code"):
        check_folder(kinds()["marian"], tmp_path)


@pytest.mark.parametrize(
    ("kind", "tokens", "names"),
    [
        ("marian", [">>ita<<", ">>por_Latn<<", ">>", "<<"], ["ita", "por_Latn"]),
        ("nllb", ["ita_Latn", "zho_Hans", "ita", "xita_Latn"], ["ita_Latn", "zho_Hans"]),
        ("m2m", ["__it__", "__ast__", "it"], ["it", "ast"]),
        ("madlad", ["<2it>", "<2zh_Latn>", "2it", "<it>"], ["it", "zh_Latn"]),
    ],
)
def test_the_languages_of_a_vocabulary(kind: str, tokens: list[str], names: list[str]) -> None:
    assert marks(kinds()[kind], tokens) == dict(zip(names, tokens, strict=False))


@pytest.mark.parametrize(
    ("language", "kind", "known", "name"),
    [
        ("it", "nllb", ["ita_Latn"], "ita_Latn"),
        ("zh", "nllb", ["zho_Hant", "zho_Hans"], "zho_Hans"),  # two scripts: the table says
        ("ks", "nllb", ["kas_Deva"], "kas_Deva"),  # not that of the table, and the only one
        ("sr", "nllb", ["srp_Cyrl", "srp_Latn"], None),
        ("zho_Hant", "nllb", ["zho_Hant", "zho_Hans"], "zho_Hant"),
        ("scn", "nllb", ["scn_Latn"], "scn_Latn"),
        ("it", "marian", ["ita", "por"], "ita"),
        ("it", "marian", ["it", "pt_br"], "it"),
        ("zh", "marian", ["cmn_Hant", "cmn_Hans"], "cmn_Hans"),
        ("it", "m2m", ["it"], "it"),
        ("he", "madlad", ["iw", "it"], "iw"),
        ("it", "madlad", ["es"], None),
    ],
)
def test_what_a_model_calls_a_language(
    language: str, kind: str, known: list[str], name: str | None
) -> None:
    assert name_of(language, kinds()[kind], dict.fromkeys(known, "")) == name


def test_a_language_that_is_lacking_is_named_with_those_there_are() -> None:
    error = lacking("xx", Path("model"), [f"a{number:03}" for number in range(200)])
    assert "no language 'xx'" in str(error)
    assert "a000, a001" in str(error)
    assert str(error).endswith("a119 and 80 more)")


def test_the_table_of_languages_has_what_nllb_has() -> None:
    codes = pytest.importorskip("transformers.models.nllb.tokenization_nllb")
    known = dict.fromkeys(codes.FAIRSEQ_LANGUAGE_CODES, "")
    table = beside.table(kinds_module.__file__, "languages")
    named = {one: name_of(one, kinds()["nllb"], known) for one in table["iso639_3"]}
    assert {one for names in table["nllb"].values() for one in names} <= known.keys()
    assert len([name for name in named.values() if name]) == 136
    assert {named[one] for one in ("ar", "et", "lv", "no", "nb", "sw", "zh")} == {
        "arb_Arab",
        "est_Latn",
        "lvs_Latn",
        "nob_Latn",
        "swh_Latn",
        "zho_Hans",
    }


def test_a_tiny_folder_is_of_its_kind(nllb_folder: Path, tmp_path: Path) -> None:
    check_folder(kinds()["nllb"], nllb_folder)
    folder = tmp_path / "other"
    shutil.copytree(nllb_folder, folder)
    with pytest.raises(DataError, match="of the kind nllb, not madlad"):
        check_folder(kinds()["madlad"], folder)
