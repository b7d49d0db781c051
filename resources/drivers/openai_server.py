"""An oracle behind any OpenAI-compatible server on this machine (llama.cpp, Ollama, vLLM, LM Studio …).

Only loopback: an operator's words do not leave the machine. Nothing is believed
of what comes back; sizes and times are bounded, redirects and proxies refused.
Protocol: POST {address}/chat/completions with `response_format: json_schema`,
temperature 0; the answer is `choices[0].message.content`.
"""

from __future__ import annotations

import ipaddress
from types import TracebackType
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import msgspec

from framework.dialogue.proposal import ClarifyingQuestion
from framework.errors import InstallationError, ProposalError
from framework.unreadable import UNREADABLE

#: The whole answer has to be there by then [s].
WITHIN_S: Final = 8.0
MOST_BYTES: Final = 256_000
MOST_TOKENS: Final = 1500


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class OpenAIServer:
    """Asks one model of one server. An async context manager.

    Args:
        address: up to and with the version, like "http://127.0.0.1:8080/v1".
        model: as the server names it.
        key: sent as a bearer token if the server wants one.

    Raises InstallationError if the address is none, or is not on this machine.
    """

    def __init__(self, address: str, model: str, *, key: str = "", within_s: float = WITHIN_S) -> None:
        self._url = _checked(address) + "/chat/completions"
        self._model = model
        self._key = key
        self._within_s = within_s
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> OpenAIServer:
        timeout = aiohttp.ClientTimeout(total=self._within_s, sock_connect=min(2.0, self._within_s))
        self._session = aiohttp.ClientSession(timeout=timeout, trust_env=False, auto_decompress=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def answer(self, question: ClarifyingQuestion) -> str:
        """The content of the model's message. Raises ProposalError in words."""
        if self._session is None:
            raise ProposalError("the proposer is not connected; it has to be entered first")
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            async with self._session.post(
                self._url, json=self._body(question), headers=headers, allow_redirects=False
            ) as response:
                content = await _read(response)
        except TimeoutError as error:
            raise ProposalError(
                f"the proposer at {self._url} gave no answer within {self._within_s:g} s"
            ) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise ProposalError(f"the proposer at {self._url} cannot be asked: {error}") from error
        if response.status != 200:
            raise ProposalError(
                f"the proposer at {self._url} answered {response.status} {response.reason or ''}: "
                f"{content[:200].decode(errors='replace')!r}"
            )
        return _message(content)

    def _body(self, question: ClarifyingQuestion) -> dict[str, Any]:
        return {
            "model": self._model,
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
            "stream": False,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.text},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "plan", "strict": True, "schema": question.schema},
            },
        }


def _checked(address: str) -> str:
    wanted = "give one on this machine, like http://127.0.0.1:8080/v1"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise InstallationError(f"{address!r} is no address of a proposer ({error}); {wanted}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InstallationError(f"{address!r} is no address of a proposer; {wanted}")
    if parts.username or parts.query or parts.fragment:
        raise InstallationError(f"{address!r} has more than scheme, host, port and path; {wanted}")
    if host != "localhost":
        try:
            is_here = ipaddress.ip_address(host).is_loopback
        except ValueError:
            is_here = False
        if not is_here:
            raise InstallationError(f"the proposer {address!r} is not on this machine; {wanted}")
    return address.rstrip("/")


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, at most MOST_BYTES of it."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(16_384):
        content += chunk
        if len(content) > MOST_BYTES:
            raise ProposalError(f"the proposer sends without end; {MOST_BYTES} bytes are the most")
    return bytes(content)


def _message(content: bytes) -> str:
    try:
        completion = msgspec.json.decode(content, type=_Completion)
    except (UnicodeError, *UNREADABLE) as error:
        raise ProposalError(f"the proposer's answer is no chat completion: {error}") from error
    if not completion.choices:
        raise ProposalError("the proposer's answer has no choices")
    choice = completion.choices[0]
    if choice.message.refusal:
        raise ProposalError(f"the proposer refuses: {choice.message.refusal[:200]}")
    if choice.finish_reason == "length":
        raise ProposalError("the proposer's answer was cut off in the middle")
    if not choice.message.content:
        raise ProposalError("the proposer's answer is empty")
    return choice.message.content
