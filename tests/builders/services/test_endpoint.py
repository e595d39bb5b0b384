from __future__ import annotations

import pytest

from corefmill.builders.services.endpoint import checked_url, key_of
from corefmill.corpora.errors import UsageError

VARIABLE = "A_TESTS_KEY"


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://box", "file:///etc/passwd", "box:5000", "http://", "http://[", "http://box:x/"),
        *("", f"http://{'a' * 70}.it/", "http://b ox/", "http://box/caffè"),
        *("http://box/?key=secret", "http://me:secret@box/"),
    ],
)
def test_no_such_url(url: str) -> None:
    with pytest.raises(UsageError, match="--url") as caught:
        checked_url(url)
    assert "secret" not in str(caught.value)


def test_no_such_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--key-variable is no name") as caught:
        key_of("sk-secret")
    assert "secret" not in str(caught.value)
    monkeypatch.setenv(VARIABLE, "secret\r\nX: y")
    with pytest.raises(UsageError, match="cannot be a key") as caught:
        key_of(VARIABLE)
    assert "secret" not in str(caught.value)
    assert key_of("NOT_SET_AT_ALL") == ""
