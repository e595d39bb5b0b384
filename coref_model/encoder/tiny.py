"""A random encoder of two layers, made without a download, for tests and dry runs."""

from __future__ import annotations

import string
from importlib import import_module
from typing import Any

from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

_transformers: Any = import_module("transformers")  # by name, as in names.py
_SPECIALS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_WORDS = """
an and are as at be because been but by could did do for from had has have he her him his in into
is it its me my not of on our said she so that the their them then there they this to was we went
were what when which who will with would you your
"""
_ENDINGS = "al an ar ed en er es in ing is it le ly ment ness on or ra re st ter th tion us"


def vocabulary() -> list[str]:
    """The pieces: specials, punctuation, letters, frequent words and endings."""
    marks = string.punctuation + "“”‘’–—…«»"
    letters = string.ascii_lowercase + string.digits
    return [
        *_SPECIALS.values(),
        *marks,
        *letters,
        *(f"##{letter}" for letter in letters),
        *_WORDS.split(),
        *(f"##{ending}" for ending in _ENDINGS.split()),
    ]


def tokenizer() -> Any:
    """A WordPiece tokenizer of that vocabulary, without case."""
    pieces = {piece: index for index, piece in enumerate(vocabulary())}
    made = Tokenizer(WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(
        ("[SEP]", pieces["[SEP]"]), ("[CLS]", pieces["[CLS]"])
    )
    made.decoder = decoders.WordPiece()
    return _transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, **_SPECIALS
    )


def network() -> Any:
    """Two layers of width 32, two heads, 512 positions, drawn from torch's generator."""
    config = _transformers.BertConfig(
        vocab_size=len(vocabulary()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    return _transformers.AutoModel.from_config(config)
