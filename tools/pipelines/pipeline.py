"""The shape of the pipeline: which components, how wide, in which order."""

from dataclasses import dataclass
from typing import Any

from spacy.language import Language

HOT = ("tok2vec", "senter", "ner")  # what name mining runs; the rest may be left out
_WORDS = ("morphologizer", "trainable_lemmatizer", "parser")


@dataclass(frozen=True)
class Encoder:
    """A hash-embedding convolutional encoder; rows are those of each feature's table."""

    width: int
    depth: int
    pieces: int
    rows: dict[str, int]  # token attribute -> rows of its hash table
    vectors: bool = False  # whether the vocabulary's word vectors are a feature too

    def config(self) -> dict[str, Any]:
        """The spaCy model block."""
        return {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": self.width,
                "attrs": list(self.rows),
                "rows": list(self.rows.values()),
                "include_static_vectors": self.vectors,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": self.width,
                "depth": self.depth,
                "window_size": 1,
                "maxout_pieces": self.pieces,
            },
        }


def _listener(width: int, upstream: str) -> dict[str, Any]:
    return {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": upstream}


def _tagger(width: int, upstream: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.Tagger.v2",
        "nO": None,
        "tok2vec": _listener(width, upstream),
    }


def _transitions(kind: str, hidden: int, width: int, upstream: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": kind,
        "extra_state_tokens": False,
        "hidden_width": hidden,
        "maxout_pieces": 2,
        "use_upper": True,
        "nO": None,
        "tok2vec": _listener(width, upstream),
    }


def syntax(tags: bool) -> tuple[str, ...]:
    """The components that tag and parse; `tags` are those of the language's own tag set."""
    return ("tok2vec_syntax", *(("tagger",) if tags else ()), *_WORDS)


def add_components(nlp: Language, names: Encoder, trees: Encoder, tags: bool) -> None:
    """Sentences and names first, then tags, morphology, lemmas and trees on their own encoder."""
    nlp.add_pipe("tok2vec", config={"model": names.config()})
    nlp.add_pipe("senter", config={"model": _tagger(names.width, "tok2vec")})
    nlp.add_pipe("ner", config={"model": _transitions("ner", 64, names.width, "tok2vec")})
    upstream = "tok2vec_syntax"
    nlp.add_pipe("tok2vec", name=upstream, config={"model": trees.config()})
    if tags:
        nlp.add_pipe("tagger", config={"model": _tagger(trees.width, upstream)})
    nlp.add_pipe("morphologizer", config={"model": _tagger(trees.width, upstream)})
    nlp.add_pipe(
        "trainable_lemmatizer",
        config={"model": _tagger(trees.width, upstream), "min_tree_freq": 2, "top_k": 3},
    )
    nlp.add_pipe(
        "parser",
        config={"model": _transitions("parser", 64, trees.width, upstream), "min_action_freq": 20},
    )
