from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from corefmill.builders.translate.engines import vocabulary as module
from corefmill.builders.translate.engines.vocabulary import FAMILIES, ModelVocabulary, name_of
from corefmill.corpora import beside
from corefmill.corpora.errors import DataError, UsageError


def vocabulary(folder: Path, target: str = "it") -> ModelVocabulary:
    return ModelVocabulary(folder, "en", target)


def test_nllb_is_told_both_languages(nllb_folder: Path) -> None:
    found = vocabulary(nllb_folder)
    assert found.languages == ("eng_Latn", "ita_Latn")
    tokens = json.loads((nllb_folder / "tokenizer.json").read_text())["added_tokens"]
    rows = {token["content"]: token["id"] for token in tokens}
    assert found.first == rows["ita_Latn"]
    assert found.pieces(["la casa"])[0][0] == rows["eng_Latn"]
    assert found.texts([[rows["ita_Latn"], *found.pieces(["la casa"])[0][1:]]]) == ["la casa"]


def test_m2m_is_told_both_languages(m2m_folder: Path) -> None:
    found = vocabulary(m2m_folder, "es")
    assert found.languages == ("en", "es")
    english, italian = found.pieces(["la casa"])[0][0], vocabulary(m2m_folder).first
    assert len({english, italian, found.first}) == 3
    assert found.texts([[1, found.first or 0, *found.pieces(["la casa"])[0][1:]]]) == ["la casa"]


def test_madlad_is_told_before_the_text(madlad_folder: Path) -> None:
    italian, spanish = (vocabulary(madlad_folder, target) for target in ("it", "es"))
    assert (italian.languages, italian.first) == (("", "it"), None)
    one, other = italian.pieces(["la casa"])[0], spanish.pieces(["la casa"])[0]
    assert one[0] != other[0]
    assert one[1:] == other[1:]


def test_marian_is_told_only_where_it_has_many_languages(
    marian_folder: Path, tmp_path: Path
) -> None:
    plain = vocabulary(marian_folder)
    assert plain.languages == ("", "")
    folder = tmp_path / "many"
    shutil.copytree(marian_folder, folder)
    rows = json.loads((folder / "vocab.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    added = {">>ita<<": len(rows), ">>por<<": len(rows) + 1}
    (folder / "vocab.json").write_text(json.dumps({**rows, **added}))
    # Its own language needs no mark of it, another does.
    assert vocabulary(folder, "it").languages == ("", "")
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": len(rows) + 2}))
    found = vocabulary(folder)
    assert found.languages == ("", "ita")
    assert found.pieces(["la casa"])[0] == [len(rows), *plain.pieces(["la casa"])[0]]
    assert found.texts([[len(rows), *plain.pieces(["la casa"])[0]]]) == ["la casa"]
    with pytest.raises(UsageError, match=r"no language 'es' \(it has ita, por\)"):
        vocabulary(folder, "es")


def test_a_language_that_the_model_lacks(nllb_folder: Path, madlad_folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no language 'es' \(it has deu_Latn, eng_Latn, ita_Lat"):
        vocabulary(nllb_folder, "es")
    with pytest.raises(UsageError, match=r"no language 'de' \(it has es, it, zh\)"):
        vocabulary(madlad_folder, "de")


def test_another_t5_is_no_madlad(madlad_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "t5"
    shutil.copytree(madlad_folder, folder)
    for path in (folder / "tokenizer.json", folder / "tokenizer_config.json"):
        path.write_text(path.read_text().replace("<2", "<0"))
    with pytest.raises(DataError, match="has no languages, so it is no model that translates"):
        vocabulary(folder)


def test_a_tokenizer_of_a_larger_network(nllb_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "less"
    shutil.copytree(nllb_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 12}))
    with pytest.raises(DataError, match="has no languages"):
        vocabulary(folder)


def test_a_broken_tokenizer_is_one_line(nllb_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(nllb_folder, folder)
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(DataError, match="its tokenizer cannot be read"):
        vocabulary(folder)


@pytest.mark.parametrize(
    ("kind", "tokens", "names"),
    [
        ("marian", [">>ita<<", ">>por_Latn<<", ">>", "<<"], ["ita", "por_Latn"]),
        ("m2m_100", ["ita_Latn", "zho_Hans", "ita", "xita_Latn"], ["ita_Latn", "zho_Hans"]),
        ("m2m_100", ["__it__", "__ast__", "it"], ["it", "ast"]),
        ("t5", ["<2it>", "<2zh_Latn>", "2it", "<it>"], ["it", "zh_Latn"]),
    ],
)
def test_the_languages_of_a_vocabulary(kind: str, tokens: list[str], names: list[str]) -> None:
    found = [re.fullmatch(FAMILIES[kind].mark, token) for token in tokens]
    assert [one[one.lastindex or 0] for one in found if one] == names


@pytest.mark.parametrize(
    ("language", "known", "name"),
    [
        ("it", ["ita_Latn"], "ita_Latn"),
        ("zh", ["zho_Hant", "zho_Hans"], "zho_Hans"),  # two scripts: the table says
        ("ks", ["kas_Deva"], "kas_Deva"),  # not that of the table, and the only one
        ("xx", ["xx_Cyrl", "xx_Latn"], None),
        ("zho_Hant", ["zho_Hant", "zho_Hans"], "zho_Hant"),
        ("scn", ["scn_Latn"], "scn_Latn"),
        ("it", ["ita", "por"], "ita"),
        ("it", ["it", "pt_br"], "it"),
        ("zh", ["cmn_Hant", "cmn_Hans"], "cmn_Hans"),
        ("he", ["iw", "it"], "iw"),
        ("it", ["es"], None),
    ],
)
def test_what_a_model_calls_a_language(language: str, known: list[str], name: str | None) -> None:
    assert name_of(language, dict.fromkeys(known, "")) == name


def test_the_table_of_languages_has_what_nllb_has() -> None:
    codes = pytest.importorskip("transformers.models.nllb.tokenization_nllb")
    known = dict.fromkeys(codes.FAIRSEQ_LANGUAGE_CODES, "")
    table = beside.table(module.__file__, "languages")
    named = {one: name_of(one, known) for one in table["iso639_3"]}
    assert len([name for name in named.values() if name]) == 136
    assert {named[one] for one in ("ar", "et", "lv", "no", "nb", "sw", "zh")} == {
        "arb_Arab",
        "est_Latn",
        "lvs_Latn",
        "nob_Latn",
        "swh_Latn",
        "zho_Hans",
    }
