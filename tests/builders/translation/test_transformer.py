from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from corefmill.builders.translation import transformer
from corefmill.builders.translation.batches import width_of
from corefmill.builders.translation.pieces import cut
from corefmill.builders.translation.transformer import TransformerTranslator
from corefmill.corpora.errors import DataError, UsageError

TEXTS = ["Marco was here", "", "the house is red and Gabriella has arrived", "la casa"]


def test_what_was_just_found_is_not_searched_again(
    nllb_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without a translation fails a whole call, and then each of its texts is asked for."""
    asked = []

    class Silent:
        def __init__(self, *_: object) -> None:
            pass

        def generated(self, texts: list[list[int]], **_: object) -> list[list[int]]:
            asked.extend(texts)
            return [text[1:-1] if len(text) < 30 else [] for text in texts]

    monkeypatch.setattr(transformer, "TranslationNetwork", Silent)
    translator = TransformerTranslator("nllb", nllb_folder)
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
    translator = TransformerTranslator(kind, folder, batch_tokens=32)
    together = translator.translate(TEXTS)
    assert together[1] == ""
    assert len({*together}) >= 3
    assert translator.name == f"{kind} {folder.name}"
    # What it is told of languages stays out of what it says.
    assert not any(mark in text for text in together for mark in ("__", "<2", ">>", "_Latn"))


def test_a_long_text_goes_in_pieces(nllb_folder: Path) -> None:
    translator = TransformerTranslator("nllb", nllb_folder)
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
    assert text["input_ids"].shape[1] < width_of(text["input_ids"].shape[1])
    with torch.inference_mode():
        made = network.generate(
            **text, forced_bos_token_id=tokenizer.convert_tokens_to_ids("ita_Latn")
        )
    alone = tokenizer.batch_decode(made, skip_special_tokens=True)
    assert TransformerTranslator("nllb", nllb_folder).translate([TEXTS[2]]) == alone


def test_the_fingerprint_is_all_that_decides(nllb_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(nllb_folder, other)

    def printed(folder: Path, target: str = "it", **options: object) -> str:
        return TransformerTranslator("nllb", folder, "en", target, **options).fingerprint  # type: ignore[arg-type]

    usual = printed(nllb_folder)
    assert printed(other) == usual == printed(other, device="cpu", precision="fp32")
    differ = {
        usual,
        printed(other, "de"),
        printed(other, precision="bf16"),
        printed(other, batch_tokens=64),
    }
    search = other / "generation_config.json"
    search.write_text(json.dumps({**json.loads(search.read_text()), "num_beams": 1}))
    assert len({*differ, printed(other)}) == 5


def test_in_bf16_it_translates_too(nllb_folder: Path) -> None:
    first, second = (
        TransformerTranslator("nllb", nllb_folder, precision="bf16", batch_tokens=32)
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
        TransformerTranslator("nllb", folder).translate(["a"])


def test_broken_weights_are_one_line(nllb_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(nllb_folder, folder)
    (folder / "model.safetensors").write_bytes(b"\xff" * 40)
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        TransformerTranslator("nllb", folder).translate(["text"])


def test_a_full_gpu_is_no_texts_fault(nllb_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import M2M100ForConditionalGeneration

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory\nand advice")

    monkeypatch.setattr(M2M100ForConditionalGeneration, "generate", full)
    with pytest.raises(UsageError, match="ran out at a batch of 16 by 16 tokens"):
        TransformerTranslator("nllb", nllb_folder).translate(["la casa"])
