from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from random import Random

import pytest

from corefmill.builders.translate.engines.protocol import cut
from corefmill.builders.translate.engines.transformer import TransformerTranslator, batches
from corefmill.corpora.errors import DataError, UsageError

TEXTS = ["Marco was here", "", "the house is red and Gabriella has arrived", "la casa"]


def test_what_was_just_found_is_not_searched_again(
    nllb_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without a translation fails a whole call, and then each of its texts is asked for."""
    asked = []

    def silent(_: object, texts: list[list[int]], *shape: int) -> list[list[int]]:
        asked.extend(texts)
        return [text[1:-1] if len(text) < 30 else [] for text in texts]

    monkeypatch.setattr(TransformerTranslator, "_generate", silent)
    translator = TransformerTranslator(str(nllb_folder))
    with pytest.raises(DataError, match="answered nothing to 'the house is red"):
        translator.translate([*TEXTS, "la casa"])
    assert len(asked) == 3
    assert translator.translate(["la casa"]) == ["la casa"]
    with pytest.raises(DataError, match="answered nothing"):
        translator.translate([TEXTS[2]])
    assert len(asked) == 3
    assert translator.translate(["qui"]) == ["qui"]
    assert len(asked) == 4


@pytest.mark.parametrize("kind", ["marian", "nllb", "m2m", "madlad"])
def test_translates_in_order(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(f"{kind}_folder")
    translator = TransformerTranslator(str(folder), batch_tokens=32)
    together = translator.translate(TEXTS)
    assert together[1] == ""
    assert len({*together}) >= 3
    assert translator.name == f"transformers {folder.name}"
    # What it is told of languages stays out of what it says.
    assert not any(mark in text for text in together for mark in ("__", "<2", ">>", "_Latn"))


def test_a_long_text_goes_in_pieces(nllb_folder: Path) -> None:
    translator = TransformerTranslator(str(nllb_folder))
    text = " ".join(["la casa era qui."] * 60)
    pieces = cut(text, 500)
    assert len(pieces) == 3
    assert translator.translate([text]) == [" ".join(translator.translate(pieces))]


def test_padding_is_never_read(nllb_folder: Path) -> None:
    """The search finds without padding what it finds with as much as a batch has."""
    import torch
    from transformers import M2M100ForConditionalGeneration, NllbTokenizer

    tokenizer = NllbTokenizer.from_pretrained(nllb_folder, src_lang="eng_Latn")
    network = M2M100ForConditionalGeneration.from_pretrained(nllb_folder).eval()
    text = tokenizer(TEXTS[2], return_tensors="pt")
    length = text["input_ids"].shape[1]
    assert [width > length for width, _, _ in batches([length], 64)] == [True]
    with torch.inference_mode():
        made = network.generate(
            **text, forced_bos_token_id=tokenizer.convert_tokens_to_ids("ita_Latn")
        )
    alone = tokenizer.batch_decode(made, skip_special_tokens=True)
    assert TransformerTranslator(str(nllb_folder)).translate([TEXTS[2]]) == alone


def test_the_fingerprint_is_all_that_decides(nllb_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(nllb_folder, other)

    def printed(folder: Path, target: str = "it", **options: object) -> str:
        return TransformerTranslator(str(folder), "en", target, **options).fingerprint  # type: ignore[arg-type]

    usual = printed(nllb_folder)
    assert printed(other) == usual == printed(other, device="cpu")
    differ = {
        usual,
        printed(other, "de"),
        printed(other, device="cpu bf16"),
        printed(other, batch_tokens=64),
    }
    search = other / "generation_config.json"
    search.write_text(json.dumps({**json.loads(search.read_text()), "num_beams": 1}))
    assert len({*differ, printed(other)}) == 5


def test_in_bf16_it_translates_too(nllb_folder: Path) -> None:
    first, second = (
        TransformerTranslator(str(nllb_folder), device="cpu bf16", batch_tokens=32)
        for _ in range(2)
    )
    assert first.translate(TEXTS) == [second.translate([text])[0] for text in TEXTS]


@pytest.mark.parametrize(
    ("name", "setting", "value", "said"),
    [
        ("generation_config.json", "num_beams", 10**6, "1000000 beams, and 64 is the most"),
        ("generation_config.json", "num_beams", "all", "cannot be read"),
        ("config.json", "encoder_ffn_dim", 10**9, "describes a network of"),
        ("config.json", "vocab_size", "all", "its tokenizer cannot be read"),
    ],
)
def test_settings_that_cannot_be(
    name: str, setting: str, value: object, said: str, nllb_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "large"
    shutil.copytree(nllb_folder, folder)
    told = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**told, setting: value}))
    with pytest.raises(DataError, match=said):
        TransformerTranslator(str(folder)).translate(["a"])


def test_broken_weights_are_one_line(nllb_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(nllb_folder, folder)
    (folder / "model.safetensors").write_bytes(b"\xff" * 40)
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        TransformerTranslator(str(folder)).translate(["text"])


def test_a_full_gpu_is_no_texts_fault(nllb_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import M2M100ForConditionalGeneration

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory\nand advice")

    monkeypatch.setattr(M2M100ForConditionalGeneration, "generate", full)
    with pytest.raises(UsageError, match="ran out at a batch of 16 by 16 tokens"):
        TransformerTranslator(str(nllb_folder)).translate(["la casa"])


def folder_of(path: Path, kind: str, *, weights: str = "model.safetensors") -> Path:
    """A folder with a configuration and weights, and nothing in them."""
    path.mkdir(exist_ok=True)
    (path / weights).write_text("{}")
    (path / "config.json").write_text(json.dumps({"model_type": kind}))
    return path


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


def test_a_model_is_found_by_its_name(
    nllb_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "models--own--tiny"
    shutil.copytree(nllb_folder, place / "snapshots" / "abc")
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("abc")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    found = TransformerTranslator("own/tiny")
    assert found.name == "transformers tiny"
    assert found.fingerprint == TransformerTranslator(str(nllb_folder)).fingerprint


@pytest.mark.parametrize(
    ("kind", "weights", "said"),
    [
        ("bert", "model.safetensors", "holds a model of the kind bert .*marian, m2m_100, t5"),
        ("marian", "pytorch_model.bin", "pickled"),
        ("marian", "model.txt", r"no model\.safetensors"),
        ("marian", "model.safetensors", "its tokenizer cannot be read"),
    ],
)
def test_a_folder_of_another_model(kind: str, weights: str, said: str, tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    with pytest.raises(DataError, match=said) as caught:
        TransformerTranslator(str(folder_of(tmp_path, kind, weights=weights)))
    assert "\n" not in str(caught.value)


def test_code_of_a_folder_is_refused_before_any_library_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Config"}}')
    with pytest.raises(DataError, match="auto_map asks for code"):
        TransformerTranslator(str(tmp_path))


def test_a_shape_follows_from_a_length() -> None:
    widths = {
        length: width for length in (1, 7, 8, 15, 16, 511) for width, _, _ in batches([length], 1)
    }
    assert [*widths.values()] == [8, 8, 16, 16, 24, 512]
    found = list(batches([3, 20, 7, 9, 1], 32))
    # Of width 8 four texts fit, of width 16 two, of width 24 one.
    assert found == [(8, 4, [4, 0, 2]), (16, 2, [3]), (24, 1, [1])]


@pytest.mark.parametrize("budget", [1, 64, 4096])
def test_every_text_is_in_one_batch_of_its_shape(budget: int) -> None:
    lengths = [Random(place).randint(1, 90) for place in range(200)]
    seen = []
    for width, rows, places in batches(lengths, budget):
        assert rows == max(1, budget // width)
        assert 0 < len(places) <= rows
        assert all(lengths[place] < width <= lengths[place] + 8 for place in places)
        seen += places
    assert sorted(seen) == list(range(200))
    assert list(batches([], budget)) == []
