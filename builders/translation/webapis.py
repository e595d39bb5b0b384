"""LibreTranslate and DeepL: what they are sent and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from corefmill.builders.services.endpoint import checked_url
from corefmill.builders.services.service import NoUsableAnswer
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean


class _PlainApi:
    """What both have in common; nothing is left out of a question that is refused."""

    def __init__(self, asked: TranslatorRequest, style: str, path: str) -> None:
        base = checked_url(asked.url or "")
        self.url = base if base.endswith("/translate") else base + path
        self.name = f"{style} at {urlsplit(base).netloc}"
        self._source, self._target = asked.source, asked.target

    @property
    def settings(self) -> Mapping[str, Any]:
        """The languages; their engine has no others that could be set."""
        return {"source": self._source, "target": self._target}

    def adapts(self, question: Mapping[str, Any], why: str) -> bool:
        """There is nothing that could be left out."""
        return False


class LibreTranslateApi(_PlainApi):
    """POST /translate, the key in the body; see `TranslationApi`."""

    KEY_VARIABLE: ClassVar[str] = "LIBRETRANSLATE_API_KEY"

    def __init__(self, asked: TranslatorRequest) -> None:
        super().__init__(asked, "libretranslate", "/translate")

    def headers(self, key: str) -> Mapping[str, str]:
        """None."""
        return {}

    def question(self, text: str, key: str, attempt: int) -> dict[str, Any]:
        """One text as it is, without markup."""
        body = {"q": text, "source": self._source, "target": self._target, "format": "text"}
        return {**body, "api_key": key} if key else body

    def answer(self, said: Any) -> str:
        """The one translation."""
        made = said.get("translatedText") if isinstance(said, dict) else None
        if not isinstance(made, str):
            raise NoUsableAnswer("its answer has no translatedText that is one text")
        return made


class DeepLApi(_PlainApi):
    """POST /v2/translate, the key in a header; see `TranslationApi`."""

    KEY_VARIABLE: ClassVar[str] = "DEEPL_API_KEY"

    def __init__(self, asked: TranslatorRequest) -> None:
        super().__init__(asked, "deepl", "/v2/translate")

    def headers(self, key: str) -> Mapping[str, str]:
        """DeepL's own kind of authorisation."""
        return {"Authorization": f"DeepL-Auth-Key {key}"} if key else {}

    def question(self, text: str, key: str, attempt: int) -> dict[str, Any]:
        """A list of one text."""
        return {
            "text": [text],
            "source_lang": self._source.upper(),
            "target_lang": self._target.upper(),
        }

    def answer(self, said: Any) -> str:
        """The text of the one translation."""
        found = said.get("translations") if isinstance(said, dict) else None
        if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], dict):
            count = len(found) if isinstance(found, list) else "no"
            raise NoUsableAnswer(f"its answer has {count} translations for one text")
        made = found[0].get("text")
        if not isinstance(made, str):
            raise NoUsableAnswer("its translation has no text")
        return made


STYLES: Mapping[str, type[LibreTranslateApi] | type[DeepLApi]] = MappingProxyType(
    {"libretranslate": LibreTranslateApi, "deepl": DeepLApi}
)


def web_api(asked: TranslatorRequest) -> LibreTranslateApi | DeepLApi:
    """The api of the style that is named, else that of the URL.

    Raises `UsageError` for a style that is none of `STYLES`.
    """
    url = urlsplit(checked_url(asked.url or ""))
    deepl = f".{url.hostname}".endswith(".deepl.com") or url.path.endswith("/v2/translate")
    style = asked.style or ("deepl" if deepl else "libretranslate")
    if style not in STYLES:
        raise UsageError(
            f"no style {style!r}{did_you_mean(style, STYLES)}",
            remedy=f"there are {', '.join(STYLES)}",
        )
    return STYLES[style](asked)
