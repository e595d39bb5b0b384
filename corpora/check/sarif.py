"""Findings as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from corefmill.corpora.atomic import write_whole
from corefmill.corpora.check.finding import Finding, codes

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write(path: Path, found: Sequence[Finding]) -> None:
    """Writes the findings, whole or not at all."""
    write_whole(path, json.dumps(as_sarif(found), ensure_ascii=False, indent=1) + "\n")


def as_sarif(found: Sequence[Finding]) -> dict[str, Any]:
    """The findings as one run of one tool."""
    rules = list(codes())
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "corefmill check",
                        "version": version("corefmill"),
                        "rules": [_rule(code) for code in rules],
                    }
                },
                "results": [
                    {
                        "ruleId": finding.code,
                        "ruleIndex": rules.index(finding.code),
                        "level": finding.severity,
                        "message": {"text": finding.message},
                        "locations": [{"physicalLocation": _place(finding)}],
                    }
                    for finding in found
                ],
            }
        ],
    }


def _rule(name: str) -> dict[str, Any]:
    code = codes()[name]
    return {
        "id": code.code,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.explanation},
        "defaultConfiguration": {"level": code.severity},
    }


def _place(finding: Finding) -> dict[str, Any]:
    path = finding.path
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    return place
