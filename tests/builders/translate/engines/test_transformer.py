"""Models of transformers: their vocabularies, their batches, their folders."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest

from corefmill.builders.translate.engines.protocol import Device
from corefmill.builders.translate.engines.transformer import (
    FAMILIES,
    ModelVocabulary,
    TransformerTranslator,
    batches,
    find_language_name,
)
from corefmill.corpora.files.errors import DataError, UsageError


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
    change(folder / "vocab.json", **{">>ita<<": len(rows), ">>por<<": len(rows) + 1})
    # Its own language needs no mark of it, another does.
    assert vocabulary(folder, "it").languages == ("", "")
    change(folder / "config.json", vocab_size=len(rows) + 2)
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
    with pytest.raises(DataError, match="has no languages: this is not a translation model"):
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
        ("zho_Hant", ["zho_Hant", "zho_Hans"], "zho_Hant"),
        ("it", ["ita", "por"], "ita"),
        ("zh", ["cmn_Hant", "cmn_Hans"], "cmn_Hans"),
        ("he", ["iw", "it"], "iw"),
        ("it", ["es"], None),
    ],
)
def test_what_a_model_calls_a_language(language: str, known: list[str], name: str | None) -> None:
    assert find_language_name(language, dict.fromkeys(known, "")) == name


TEXTS = ["Marco was here", "", "the house is red and Gabriella has arrived", "la casa"]


@pytest.mark.parametrize("kind", ["marian", "nllb"])
def test_translates_in_order(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(f"{kind}_folder")
    translator = TransformerTranslator(str(folder), batch_tokens=32)
    together = [str(text) for text in translator.translate(TEXTS)]
    assert together[1] == ""
    assert len({*together}) >= 3
    assert translator.name == f"transformers {folder.name}"
    # What it is told of languages stays out of what it says.
    assert not any(mark in text for text in together for mark in ("__", "<2", ">>", "_Latn"))


def test_padding_is_never_read(nllb_folder: Path) -> None:
    """The search finds without padding what it finds with as much as a batch has."""
    import torch
    from transformers import M2M100ForConditionalGeneration, NllbTokenizer

    tokenizer = NllbTokenizer.from_pretrained(nllb_folder, src_lang="eng_Latn")
    network = M2M100ForConditionalGeneration.from_pretrained(nllb_folder).eval()
    text = tokenizer(TEXTS[2], return_tensors="pt")
    length = text["input_ids"].shape[1]
    assert [width > length for width, _, _ in batches([length], 64)] == [True]
    italian = tokenizer.convert_tokens_to_ids("ita_Latn")
    with torch.inference_mode():
        made = network.generate(**text, forced_bos_token_id=italian)
    alone = tokenizer.batch_decode(made, skip_special_tokens=True)
    assert TransformerTranslator(str(nllb_folder)).translate([TEXTS[2]]) == alone


def test_the_fingerprint_is_all_that_decides(nllb_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(nllb_folder, other)

    def printed(folder: Path, target: str = "it", **options: object) -> str:
        return TransformerTranslator(str(folder), "en", target, **options).fingerprint  # type: ignore[arg-type]

    usual = printed(nllb_folder)
    assert printed(other) == usual == printed(other, device=Device("cpu", "fp32"))
    differ = {usual, printed(other, "de"), printed(other, batch_tokens=64)}
    differ.add(printed(other, device=Device("cpu", "bf16")))
    change(other / "generation_config.json", num_beams=1)
    assert len({*differ, printed(other)}) == 5


def change(path: Path, **settings: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("generation_config.json", {"num_beams": 10**6}, "1000000 beams; at most 64"),
        ("generation_config.json", {"num_beams": "all"}, "cannot be read"),
        ("config.json", {"encoder_ffn_dim": 10**9}, "describes a network of"),
        ("model.safetensors", None, "cannot be read as safetensors"),
    ],
)
def test_settings_and_weights_that_cannot_be(
    name: str, settings: dict[str, object] | None, said: str, nllb_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(nllb_folder, folder)
    if settings:
        change(folder / name, **settings)
    else:
        (folder / name).write_bytes(b"\xff" * 40)
    with pytest.raises(DataError, match=said):
        TransformerTranslator(str(folder)).translate(["a"])


def test_a_full_gpu_is_no_texts_fault(nllb_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import M2M100ForConditionalGeneration

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory\nand advice")

    monkeypatch.setattr(M2M100ForConditionalGeneration, "generate", full)
    with pytest.raises(UsageError, match="ran out at a batch of 16 by 16 tokens"):
        TransformerTranslator(str(nllb_folder)).translate(["la casa"])


def test_a_model_that_is_not_there_says_what_to_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    for name in (str(tmp_path / "absent"), "nobody/nothing"):
        with pytest.raises(UsageError, match="neither a folder nor in the local") as caught:
            TransformerTranslator(name)
        assert "hf download facebook/nllb-200" in str(caught.value)
    with pytest.raises(DataError, match=r"no config\.json in this folder"):
        TransformerTranslator(str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="transformers needs torch"):
        TransformerTranslator(str(tmp_path))


@pytest.mark.parametrize(
    ("kind", "weights", "said"),
    [
        ("bert", "model.safetensors", "holds a model of the kind bert, .*marian, m2m_100, t5"),
        ("marian", "pytorch_model.bin", "pickled"),
        ("marian", "model.txt", r"no model\.safetensors"),
        ("marian", "model.safetensors", "the model's tokenizer cannot be read"),
    ],
)
def test_a_folder_of_another_model(kind: str, weights: str, said: str, tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    (tmp_path / weights).write_text("{}")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    with pytest.raises(DataError, match=said) as caught:
        TransformerTranslator(str(tmp_path))
    assert "\n" not in str(caught.value)
    # Code is refused before any library reads it.
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Config"}}')
    with pytest.raises(DataError, match="auto_map asks for code"):
        TransformerTranslator(str(tmp_path))


def test_a_shape_follows_from_a_length() -> None:
    widths = [next(batches([length], 1))[0] for length in (1, 7, 8, 15, 16, 511)]
    assert widths == [8, 8, 16, 16, 24, 512]
    # Of width 8 four texts fit, of width 16 two, of width 24 one.
    found = list(batches([3, 20, 7, 9, 1], 32))
    assert found == [(8, 4, [4, 0, 2]), (16, 2, [3]), (24, 1, [1])]
