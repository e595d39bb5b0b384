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
    pad, rows = vocabulary["<pad>"], len(vocabulary)
    return _saved(folder, MarianMTModel, MarianConfig, pad, eos=0, rows=rows)


def nllb(folder: Path) -> Path:
    """A folder as of NLLB-200, of four languages."""
    from tokenizers import SentencePieceBPETokenizer
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    trained = SentencePieceBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trained.train_from_iterator(
        WORDS.split(), vocab_size=60, special_tokens=special, show_progress=False
    )
    held = json.loads(trained.to_str())["model"]
    tokenizer = NllbTokenizer(
        vocab=held["vocab"],
        merges=[tuple(pair) for pair in held["merges"]],
        extra_special_tokens=["deu_Latn", "eng_Latn", "ita_Latn", "zho_Hans"],
    )
    tokenizer.save_pretrained(folder)
    pad, eos, rows = tokenizer.pad_token_id, tokenizer.eos_token_id, len(tokenizer)
    return _saved(folder, M2M100ForConditionalGeneration, M2M100Config, pad, eos=eos, rows=rows)


def madlad(folder: Path) -> Path:
    """A folder as of MADLAD-400, of three languages."""
    from tokenizers import SentencePieceUnigramTokenizer
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    trained = SentencePieceUnigramTokenizer()
    special = ["<pad>", "</s>", "<unk>"]
    trained.train_from_iterator(
        WORDS.split(), vocab_size=48, special_tokens=special, show_progress=False, unk_token="<unk>"
    )
    pieces = json.loads(trained.to_str())["model"]["vocab"]
    tokenizer = T5Tokenizer(vocab=[tuple(piece) for piece in pieces], extra_ids=0)
    tokenizer.add_tokens(["<2es>", "<2it>", "<2zh>"])
    tokenizer.save_pretrained(folder)
    rows = len(tokenizer)
    return _saved(folder, T5ForConditionalGeneration, T5Config, 0, eos=1, rows=rows, seed=4)


def _saved(
    folder: Path, network: Any, config: Any, pad: int, *, eos: int, rows: int, seed: int = 3
) -> Path:
    """A network of random weights, put beside its tokenizer; the seed is one that answers all."""
    import torch

    torch.manual_seed(seed)
    sizes: dict[str, Any] = {"d_model": 16, "vocab_size": rows, "pad_token_id": pad}
    sizes |= {"eos_token_id": eos}
    if config.model_type == "t5":
        sizes |= {"d_ff": 16, "d_kv": 8, "num_layers": 1, "num_heads": 2, "initializer_factor": 4.0}
    else:
        sizes |= {"encoder_layers": 1, "decoder_layers": 1, "init_std": 1.0}
        sizes |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
        sizes |= {"encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "max_position_embeddings": 512}
        sizes |= {"forced_eos_token_id": eos, "bos_token_id": None}
    made = network(config(**sizes, decoder_start_token_id=pad))
    made.generation_config.update(bad_words_ids=[[pad]], num_beams=2, max_length=10)
    made.save_pretrained(folder)
    return folder


def argosmodel(folder: Path, source: Path) -> Path:
    """A package as argospm installs it; CTranslate2 converts the model of `marian`."""
    from ctranslate2.converters import TransformersConverter

    package = folder / "translate-en_it-1_0"
    TransformersConverter(str(source)).convert(str(package / "model"))
    (package / "sentencepiece.model").write_bytes((source / "source.spm").read_bytes())
    versions = {"package_version": "1.0", "argos_version": "1.9.0"}
    english, italian = {"from_code": "en", "from_name": "English"}, {"to_code": "it"}
    told = {**versions, **english, **italian, "to_name": "Italian"}
    (package / "metadata.json").write_text(json.dumps(told))
    packed = folder / "tiny.argosmodel"
    with zipfile.ZipFile(packed, "w") as file:
        for path in sorted(package.rglob("*")):
            file.write(path, path.relative_to(folder))
    return packed
