"""`corefmill`: the table of all commands; a command's module is imported when it is called."""

from __future__ import annotations

from corefmill.cli.command import Group
from corefmill.cli.shell import run

BUILD = Group(
    "build",
    "Build corpora. Each builder explains itself: build NAME --help.",
    {
        "chains": (
            "builders.chains:ChainsOptions Chains",
            "Passages of any text in which it is clear who is who.",
        ),
        "knowref": (
            "builders.knowref:KnowrefOptions Knowref",
            "Sentences with two persons and an ambiguous pronoun.",
        ),
        "ontonotes-it": (
            "builders.translate:OntonotesItRequest OntonotesIt",
            "OntoNotes, translated to Italian.",
        ),
        "translate": (
            "builders.translate:TranslateRequest Translate",
            "Documents with clusters, in another language.",
        ),
        "wec": (
            "builders.wec:WecRequest Wec",
            "Links to the article of the same event, with their paragraphs.",
        ),
        "wikicrem": (
            "builders.wikicrem:WikicremOptions Wikicrem",
            "Passages in which a repeated name is masked.",
        ),
        "wikirand": (
            "builders.wikirand:WikirandOptions Wikirand",
            "Passages in which a random word is masked: a control.",
        ),
    },
)
"""The builders; docs/adding-a-builder.md tells how one is added."""

TRAIN = Group(
    "train",
    "Train models. Each command explains itself: train NAME --help.",
    {"coref": ("train:coref", "Train a coreference model on corpora of one kind.")},
)

ANNOTATE = Group(
    "annotate",
    "Have people answer problems: tasks out and answers in.",
    {
        "report": ("annotate_report:report", "Report shares, agreement and pace of raters."),
        "chains": ("annotate_report:chains", "Report how far annotators of documents agree."),
        "export": ("annotate:export", "Write the tasks of an annotation tool."),
        "import": ("annotate:import_", "Make a corpus of the answers of raters."),
        "answers": ("annotate:answers", "Write the answers of raters as JSON Lines."),
        "serve": ("annotate_serve:serve", "Ask people in a browser."),
        "ask": ("annotate_serve:ask", "Ask a model."),
    },
)

MODELS = Group(
    "models",
    "Language pipelines, and the export of trained models; alone, it lists both.",
    {
        "list": ("models:list_models", "List pipelines and models: installed, shipped, available."),
        "download": ("models:download", "Download Stanza's models of a language."),
        "export": ("models:export", "Export a trained encoder to Hugging Face's form or peft's."),
    },
    alone="list",
)

CORPORA = Group(
    "corpora",
    "Known corpora; alone, it lists them.",
    {
        "list": ("corpora:list_all", "List corpora, and say which are here."),
        "explain": ("corpora:explain", "Say what a corpus is and where to get it."),
        "download": ("corpora:download", "Fetch a corpus whose files are free."),
    },
    alone="list",
)

COREFMILL = Group(
    "corefmill",
    "Builds coreference corpora in many languages, trains and scores models on them.",
    {
        "build": BUILD,
        "train": TRAIN,
        "evaluate": ("evaluate:evaluate", "Evaluate a model, with 95 % intervals."),
        "predict": ("predict:predict", "Find the clusters of texts, or answer problems."),
        "models": MODELS,
        "score": ("score:score", "Score a response against a key."),
        "check": ("check:check", "Check corpora for faults."),
        "stats": ("corpora:stats", "Count documents, mentions, clusters, lengths and distances."),
        "show": ("show:show", "Show records in the terminal or as a page."),
        "convert": ("convert:convert", "Convert between the formats of the field."),
        "export-task": ("convert:export_task", "Export examples to lm-evaluation-harness."),
        "annotate": ANNOTATE,
        "parse": ("parse:parse", "Add heads, lemmas and roles to records."),
        "corpora": CORPORA,
        "push": ("corpora:push", "Send a corpus or a model to the Hugging Face hub."),
        "overlap": ("overlap:overlap", "Measure how much of a test set a text gives away."),
    },
)


def main() -> None:
    """Run the console script `corefmill`."""
    run(COREFMILL)
