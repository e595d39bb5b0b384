"""How fast the models of coref_model train and answer, beside what else does the same.

    python -m benchmarks.training masked CORPUS [--pairs 32] [--no-dropout] [--device cuda]
    python -m benchmarks.training pairs CORPUS [--published FOLDER] [--within topic]
    python -m benchmarks.training cluster [--large 100000]
    python -m benchmarks.training documents [CORPUS] [--words 5000] [--preset cpu] [--device cuda]

CORPUS is what `train coref --corpus` takes. Sides take turns in short rounds; speeds are medians,
and a ratio (the median of those of the rounds, the lowest and the highest in brackets) is how
many times faster the first side is. `wall` is wall-clock time, `cpu` processor time of the process,
which other work on the machine changes less. A side's first round is not counted. One thread,
unless --threads, before the name of the benchmark, says more. All sides take AdamW; ours in the
fused form of the training loop, the others in torch's default.

masked: minilm is trained on masked names, a step for --pairs pairs of a right and a wrong
candidate. Beside it a plain loop over Hugging Face's BertForMaskedLM: a row for each candidate,
padded to the longest of the batch, one forward pass for the right ones and one for the wrong,
logits at every position, as the published bert-commonsense has it; and that loop with logits at the
masks alone. Its rows are made beforehand. All have the same weights, pairs, loss and optimizer;
that their losses are equal is checked, without dropout.

pairs: the pair scorer learns from event mentions with random vectors of their own numbers of
pieces, and scores all pairs; as it is set by default, and with the published order, batches and no
dropout. FOLDER is the repository cross-doc-event-coref of WEC's authors, whose model is run with
the same weights; that its scores are the same is checked. It scores a pair in both orders and each
mention with itself, and a pair is counted once on either side; in a round it scores some of them.

cluster: 1,893 mentions in 322 chains, from vectors of minilm's width to clusters, all pairs scored;
with --large, so many in a process of its own, of which the near pairs are scored (minutes).

documents: clusters of documents by an untrained model, which ranks as many spans as a trained one,
over a frozen minilm; the sample that ships, again and again, where no corpus is named.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

import torch

from corefmill.corpora import find as corpora_found
from corefmill.corpora.errors import CorefmillError


def main() -> None:
    """Runs the benchmark that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    kinds = parser.add_subparsers(required=True)

    masked = kinds.add_parser("masked")
    masked.add_argument("corpus")
    masked.add_argument("--pairs", type=int, default=32, help="pairs of a step")
    masked.add_argument("--rounds", type=int, default=5, help="steps")
    masked.add_argument("--no-dropout", action="store_true")
    masked.add_argument("--device", default="cpu")
    masked.set_defaults(do="masked_names:run", kind="masked")

    pairs = kinds.add_parser("pairs")
    pairs.add_argument("corpus")
    pairs.add_argument("--published", type=Path, help="the repository, unpacked")
    pairs.add_argument("--width", type=int, default=1024, help="of the vectors of pieces")
    pairs.add_argument("--within", choices=["topic", "corpus"], default="corpus", help="pairs are")
    pairs.add_argument("--rounds", type=int, default=5)
    pairs.set_defaults(do="event_pairs:run", kind="events")

    cluster = kinds.add_parser("cluster")
    cluster.add_argument("--large", type=int, help="mentions of which near pairs are scored")
    cluster.set_defaults(do="clusters:run", corpus=None)
    one = kinds.add_parser("cluster-once", help="one size of cluster")
    one.add_argument("mentions", type=int)
    one.set_defaults(do="clusters:once", corpus=None)

    documents = kinds.add_parser("documents")
    documents.add_argument("corpus", nargs="?", default="documents")
    documents.add_argument("--words", type=int, default=5000)
    documents.add_argument("--rounds", type=int, default=5)
    documents.add_argument("--preset", help="of settings/documents.toml")
    documents.add_argument("--device", default="cpu")
    documents.set_defaults(do="document_answers:run", kind="documents")

    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    module, _, name = options.do.partition(":")
    do = getattr(import_module(f"benchmarks.{module}"), name)
    try:
        do(options, *([_records(options)] if options.corpus else []))
    except CorefmillError as error:
        sys.exit(str(error))


def _records(options: argparse.Namespace) -> corpora_found.Records:
    """What a corpus has to train on, or all of one that is not split, or its first split."""
    corpus = corpora_found.found(options.corpus, data_dir=options.data_dir)
    if corpus.kind != options.kind:
        sys.exit(f"{options.corpus} holds {corpus.holds}")
    split = next((name for name in ("train", "all") if name in corpus.splits), None)
    return corpora_found.records(corpus, split or next(iter(corpus.splits)))


if __name__ == "__main__":
    main()
