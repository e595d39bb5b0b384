"""Encoders of every family train, are saved, load and predict in each task, or say why not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from torch.testing import assert_close

from corefmill.coref_model.encoder.names import load, make_tiny_tokenizer
from corefmill.coref_model.encoder.pieces import pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.prediction.predictor import load_predictor
from corefmill.coref_model.trainer import TrainingRequest, prepare
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.checkpoint import saved_parameters
from corefmill.coref_model.training.task import load_kind
from corefmill.coref_model.training.trained_model import TrainedModel
from corefmill.corpora import find
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Document, Record, Sentence, Token
from tests.corefmill import trained

WIDTH, WINDOW = 16, 40
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
NAMES = dict(zip(("bos", "pad", "eos", "unk", "mask"), SPECIALS, strict=True))


def make_fast(model: Any, *, normalizer: Any = None, words: Any = None, mask: bool = True) -> Any:
    """Make a fast tokenizer with RoBERTa's specials around a text; without `mask`, as T5's."""
    made = Tokenizer(model)
    if normalizer is not None:
        made.normalizer = normalizer
    made.pre_tokenizer = words
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    named = {f"{role}_token": piece for role, piece in NAMES.items() if mask or role != "mask"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **named)


def make_bytes(*, prefix: bool, mask: bool = True) -> Any:
    """Make a BPE of bytes, where "é" and "😀" are several pieces of one character."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = {piece: at for at, piece in enumerate([*SPECIALS, *alphabet, "Ġs", "he"])}
    words = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    return make_fast(models.BPE(pieces, [("Ġ", "s"), ("h", "e")]), words=words, mask=mask)


def make_unigram(*, legacy: bool = False, mask: bool = True) -> Any:
    """Make SentencePiece's unigrams; `legacy`, as of Llama, has the blank in the normalizer."""
    letters = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,"
    pieces = [*((one, 0.0) for one in SPECIALS), *((one, -4.0) for one in letters), ("▁s", -3.0)]
    model = models.Unigram(pieces, unk_id=3, byte_fallback=False)
    if legacy:
        blank = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        return make_fast(model, normalizer=blank, words=None, mask=mask)
    return make_fast(model, words=pre_tokenizers.Metaspace(), mask=mask)


def make_letters() -> Any:
    """Make a tokenizer with a piece for each letter of a word."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,"
    pieces = {piece: at for at, piece in enumerate([*SPECIALS, *letters])}
    words = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("."), "isolated")]
    )
    return make_fast(models.WordLevel(pieces, unk_token="<unk>"), words=words)


TOKENIZERS: dict[str, Callable[[], Any]] = {
    "wordpiece": make_tiny_tokenizer,
    "bytes": lambda: make_bytes(prefix=False),
    "bytes, prefix": lambda: make_bytes(prefix=True),
    "bytes, no mask": lambda: make_bytes(prefix=False, mask=False),
    "unigram": make_unigram,
    "unigram, no mask": lambda: make_unigram(mask=False),
    "unigram, legacy": lambda: make_unigram(legacy=True, mask=False),
    "letters": make_letters,
}
_PLAIN = {
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": WINDOW,
}
_PADDED = _PLAIN | {"max_position_embeddings": WINDOW + 2}  # rows before the first piece's
_T5 = {"d_model": WIDTH, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
_DISTIL = {"dim": WIDTH, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
_SPECIAL = {"bos_token_id": 0, "eos_token_id": 2, "cls_token_id": 0, "sep_token_id": 2}
_GPT2 = {"n_embd": WIDTH, "n_layer": 2, "n_head": 2, "n_positions": WINDOW} | _SPECIAL
_XLNET = {"d_model": WIDTH, "n_layer": 2, "n_head": 2, "d_inner": 32}
_QWEN3 = _PLAIN | _SPECIAL | {"num_key_value_heads": 1, "head_dim": 8}
NO_MASK = "tokenizer has no mask piece"
NO_CHECKPOINTING = "has no activation checkpointing"

# Family: its configuration, its tokenizer, its window, and what it cannot do.
FAMILIES: dict[str, tuple[dict[str, Any], str, int, set[str]]] = {
    "bert": (_PLAIN, "wordpiece", WINDOW, set()),
    "distilbert": (_DISTIL | {"max_position_embeddings": WINDOW}, "letters", WINDOW, set()),
    "roberta": (_PADDED, "bytes", WINDOW, set()),
    "xlm-roberta": (_PADDED, "unigram", WINDOW, set()),
    "deberta": (_PLAIN | {"relative_attention": True}, "bytes", WINDOW, set()),
    "deberta-v2": (_PLAIN | {"relative_attention": True}, "unigram", WINDOW, set()),
    "bert, untied": (_PLAIN | {"tie_word_embeddings": False}, "wordpiece", WINDOW, set()),
    "electra": (_PLAIN | {"embedding_size": 8}, "wordpiece", WINDOW, set()),
    "albert": (_PLAIN | {"embedding_size": 8}, "unigram", WINDOW, {NO_CHECKPOINTING}),
    "mpnet": (_PADDED, "wordpiece", WINDOW, {NO_CHECKPOINTING}),
    "longformer": (_PADDED | {"attention_window": 8}, "bytes, prefix", WINDOW, set()),
    "luke": (_PADDED | {"entity_vocab_size": 8}, "bytes", WINDOW, set()),
    "modernbert": (_PLAIN | _SPECIAL, "bytes", WINDOW, set()),
    "eurobert": (_PLAIN | _SPECIAL | {"mask_token_id": 4}, "bytes, prefix", WINDOW, set()),
    "t5": (_T5, "unigram, no mask", 512, {NO_MASK}),
    "mt5": (_T5, "unigram, no mask", 512, {NO_MASK}),
    "umt5": (_T5, "unigram, no mask", 512, {NO_MASK}),
    "xlnet": (_XLNET, "unigram, no mask", 512, {NO_MASK, NO_CHECKPOINTING}),
    "qwen3": (_QWEN3, "bytes, no mask", WINDOW, {NO_MASK}),
    "llama": (_PLAIN | _SPECIAL, "unigram, legacy", WINDOW, {NO_MASK}),
    "gpt2": (_GPT2, "bytes, no mask", WINDOW, {NO_MASK}),
}


@pytest.fixture(scope="module")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Any]]:
    """Write a family's random network, with its head if it has one, and its tokenizer, once."""

    @cache
    def make(family: str) -> tuple[Path, Any]:
        settings, tokenizer, _, _ = FAMILIES[family]
        pieces = TOKENIZERS[tokenizer]()
        config = transformers.AutoConfig.for_model(
            family.partition(",")[0],
            vocab_size=max(pieces.get_vocab().values()) + 1,
            pad_token_id=pieces.pad_token_id,
            **settings,
        )
        kind = transformers.AutoModel
        if type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING:
            kind = transformers.AutoModelForMaskedLM
        torch.manual_seed(2)
        network = kind.from_config(config).eval()
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter, std=0.2)
        folder = tmp_path_factory.mktemp("family")
        network.save_pretrained(folder)
        pieces.save_pretrained(folder)
        return folder, network

    return make


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Sequence[Record]]]:
    """Write a corpus for each task, and keep its development split."""
    folder = tmp_path_factory.mktemp("corpora")

    def lengthen(one: Document) -> Document:  # beyond the window, and no English
        words = Sentence(tuple(map(Token, ("Zoë", "😀", "\u200b", "."))))
        return replace(one, sentences=(*one.sentences, *[words] * 12))

    made: dict[str, tuple[Sequence[Record], Sequence[Record]]] = {
        "masked": (trained.examples(4), trained.examples(2)),
        "events": (trained.mentions(8), trained.mentions(8)),
        "documents": (
            [*map(lengthen, trained.documents(2))],
            [*map(lengthen, trained.documents(1))],
        ),
    }
    return {
        task: (trained.folder(folder / task, *splits), splits[1]) for task, splits in made.items()
    }


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("XLMRobertaTokenizer", "sentencepiece.bpe.model"),
        ("T5Tokenizer", "spiece.model"),
        ("LlamaTokenizer", "tokenizer.model"),
    ],
)
def test_a_tokenizer_of_sentencepiece_alone_is_read(kind: str, name: str, tmp_path: Path) -> None:
    trainer = pytest.importorskip("sentencepiece").SentencePieceTrainer
    load("tiny").save(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    texts = iter(["she was there", "the cats were here"] * 20)
    model = {"model_type": "bpe"} if kind == "LlamaTokenizer" else {}
    prefix = str(tmp_path / "made")
    options = {"vocab_size": 30, "hard_vocab_limit": False, "minloglevel": 2}
    trainer.train(sentence_iterator=texts, model_prefix=prefix, **options, **model)
    (tmp_path / "made.model").rename(tmp_path / name)
    pieces = load(str(tmp_path)).pieces
    ids, owners = pieces.cut_words(["she", "was"])
    assert ids == pieces.cut_text("a she was")[0][-len(ids) :]
    assert owners == sorted(owners) and set(owners) == {0, 1}


# The settings of each task, and those where a family cannot do the first of them.
_LONG = "segment=0", "overlap=8"
WAYS = {
    "masked": (("lora=0",), NO_MASK, None),
    "events": (("trained=true", "checkpointing=true"), NO_CHECKPOINTING, ("trained=true",)),
    "documents": ((*_LONG, "lora=2"), None, None),
}


@pytest.mark.parametrize("task", WAYS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_learns_each_task_and_answers_the_same_when_loaded(
    family: str,
    task: str,
    make_folder: Callable[[str], tuple[Path, Any]],
    corpora: dict[str, tuple[Path, Sequence[Record]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus, asked = corpora[task]
    trained_models: list[Any] = []
    save = checkpoint.save

    def keep(out: Path, model: Any, *others: Any) -> TrainedModel:
        trained_models.append(model.eval())
        return save(out, model, *others)

    monkeypatch.setattr(checkpoint, "save", keep)
    encoder = f"encoder={json.dumps(str(make_folder(family)[0]))}"

    def train(*sets: str) -> None:
        request = TrainingRequest(
            corpora=[find.find_corpus(str(corpus), data_dir=tmp_path, lang="it")],
            out=tmp_path / "model",
            presets=("default",),
            sets=(encoder, "max_steps=1", "precision=fp32", *sets),
            quiet=True,
        )
        prepare(request).run()

    sets, refused, instead = WAYS[task]
    if refused in FAMILIES[family][3]:
        with pytest.raises(UsageError, match=refused) as raised:
            train(*sets)
        assert "\n" not in str(raised.value)
        assert not [*tmp_path.glob("model/*")]
        if instead is None:
            return
        sets = instead
    train(*sets)
    loaded = load_predictor(tmp_path / "model")
    expected = load_kind(task).predict(trained_models[0], loaded.settings, asked)
    assert list(loaded.records(asked)) == list(expected)
    for name, tensor in saved_parameters(trained_models[0]).items():
        assert torch.equal(saved_parameters(loaded.model)[name], tensor), name


@pytest.mark.parametrize("family", FAMILIES)
def test_vectors_and_logits_are_those_of_transformers_and_a_saved_encoder_is_the_same(
    family: str, make_folder: Callable[[str], tuple[Path, Any]], tmp_path: Path
) -> None:
    folder, network = make_folder(family)
    encoder = load(str(folder))
    assert encoder.window == FAMILIES[family][2]
    ids = [list(range(5, 5 + length)) for length in (WINDOW, 3)]
    with torch.autocast("cpu", torch.bfloat16):
        assert encoder(pack(ids)).isfinite().all()
    found = encoder(pack(ids)).split([WINDOW, 3])
    own = network.get_encoder() if network.config.is_encoder_decoder else network.base_model
    for sequence, vectors in zip(ids, found, strict=True):
        rows = torch.tensor([sequence])
        with torch.no_grad():
            assert_close(vectors, own(input_ids=rows).last_hidden_state[0], rtol=0, atol=1e-4)
        if NO_MASK not in FAMILIES[family][3]:
            head = heads.find_head(encoder)
            tied = network.get_output_embeddings().weight, network.get_input_embeddings().weight
            assert head.source == "Hugging Face"
            assert (head.head.decoder is None) == torch.equal(*tied)
            with torch.no_grad():
                given = head.head.compute_logits(vectors, encoder.word_embeddings)
                assert_close(given, network(input_ids=rows).logits[0], rtol=0, atol=1e-4)
    encoder.save(tmp_path)
    again = load(str(tmp_path))
    assert torch.equal(again(pack(ids)), torch.cat(found))
    words = ["the", "Zoë", "😀", "cats"]
    cut = again.pieces.cut_words(words)
    assert cut == encoder.pieces.cut_words(words)
    assert cut[0] == again.pieces.cut_text(f"a {' '.join(words)}")[0][-len(cut[0]) :]
    assert load(str(tmp_path)).fingerprint == again.fingerprint
