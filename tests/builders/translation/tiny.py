"""Translation models of random weights, small enough to make in a test."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

WORDS = "the house is red and Marco was here Gabriella has arrived la casa rossa e era qui arrivata"


def sentencepiece(folder: Path) -> Path:
    """A sentencepiece model of a few words."""
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.txt"
    text.write_text("\n".join(WORDS.split() * 4), "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "spm"),
        vocab_size=48,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "spm.model"


def marian(folder: Path) -> Path:
    """A folder as of Hugging Face's opus-mt models."""
    import sentencepiece as spm
    import torch
    from transformers import MarianConfig, MarianMTModel

    trained = sentencepiece(folder.with_name(folder.name + "-spm"))
    folder.mkdir(parents=True)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(trained.read_bytes())
    pieces: Any = spm.SentencePieceProcessor(model_file=str(trained))
    known = [pieces.id_to_piece(number) for number in range(pieces.get_piece_size())]
    words = ["</s>", "<unk>", *[word for word in known if word not in ("<s>", "</s>", "<unk>")]]
    vocabulary = {word: number for number, word in enumerate([*words, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "it"})
    )
    pad = vocabulary["<pad>"]
    torch.manual_seed(3)
    config = MarianConfig(
        vocab_size=len(vocabulary),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=512,
        pad_token_id=pad,
        eos_token_id=0,
        bos_token_id=None,
        decoder_start_token_id=pad,
        forced_eos_token_id=0,
        init_std=1.0,
    )
    model = MarianMTModel(config)
    model.generation_config.update(bad_words_ids=[[pad]], num_beams=2, max_length=24)
    model.save_pretrained(folder)
    return folder


def argosmodel(folder: Path, source: Path) -> Path:
    """A package as argospm installs it; CTranslate2 converts the model of `marian`."""
    from ctranslate2.converters import TransformersConverter

    package = folder / "translate-en_it-1_0"
    TransformersConverter(str(source)).convert(str(package / "model"))
    (package / "sentencepiece.model").write_bytes((source / "source.spm").read_bytes())
    (package / "metadata.json").write_text(
        json.dumps(
            {
                "package_version": "1.0",
                "argos_version": "1.9.0",
                "from_code": "en",
                "from_name": "English",
                "to_code": "it",
                "to_name": "Italian",
            }
        )
    )
    packed = folder / "tiny.argosmodel"
    with zipfile.ZipFile(packed, "w") as file:
        for path in sorted(package.rglob("*")):
            file.write(path, path.relative_to(folder))
    return packed
