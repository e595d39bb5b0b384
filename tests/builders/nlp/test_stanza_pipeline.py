"""A real Stanza pipeline, of an untrained tokenizer that is made here: it cuts anywhere."""

from __future__ import annotations

import json

import pytest

from corefmill.builders.nlp import SentenceWords
from corefmill.builders.nlp.stanza_backend import StanzaPipeline

trainer = pytest.importorskip("stanza.models.tokenization.trainer", reason="needs the extra stanza")
TEXTS = ["Anna met Bob.  She left.\n\nHe stayed. ", "", "Bob stayed."]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> StanzaPipeline:
    import torch
    from stanza.models import tokenizer
    from stanza.models.tokenization.vocab import Vocab

    torch.manual_seed(0)
    args = tokenizer.parse_args(["--lang", "en", "--txt_file", "-", "--no_use_mwt"])
    vocab = Vocab([[(character, 0) for text in TEXTS for character in text]], "en")
    features = ["space_before", "capitalized", "numeric", "end_of_para", "start_of_para"]
    args |= {"feat_funcs": features, "feat_dim": len(features), "vocab_size": len(vocab)}
    folder = tmp_path_factory.mktemp("stanza")
    (folder / "en" / "tokenize").mkdir(parents=True)
    made = trainer.Trainer(args=args, vocab=vocab, device="cpu")
    made.save(str(folder / "en" / "tokenize" / "tiny.pt"))
    listing = {"packages": {"default": {"tokenize": "tiny"}}, "tokenize": {"tiny": {}}}
    (folder / "resources.json").write_text(json.dumps({"en": listing}))
    return StanzaPipeline("en", folder=folder, names=False)


def test_texts_keep_their_order_and_tokens_cover_them(pipeline: StanzaPipeline) -> None:
    found = list(pipeline.full(TEXTS))
    assert [analysis.text for analysis in found] == TEXTS
    for analysis in found:
        cut = "".join(analysis.text[start:end] for start, end in analysis.tokens)
        assert "".join(cut.split()) == "".join(analysis.text.split())
        assert analysis.entities == analysis.upos == analysis.head == ()
    assert found[0].sentences
    assert found[1].sentences == ()


def test_given_words_stay(pipeline: StanzaPipeline) -> None:
    (analysis,) = pipeline.on_words([SentenceWords(["Anna", "left", "."], [True, False, False])])
    assert analysis.text == "Anna left."
    assert analysis.words == ((0, 4), (5, 9), (9, 10))
