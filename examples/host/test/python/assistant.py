"""
An assistant on the official Python SDK (`mcp` 1.30 or 2.3) that is given nothing but an address.

Reads one JSON object a line: {"do": "connect"|"tools"|"call"|"spoil"|"leave", ...}; answers each with one line:
{"done": ...} or {"failed": "..."}. In between it may write {"ask": url}; then it reads {"visit": url}.
Usage: python assistant.py URL PORT REDIRECT_URI NAME REGISTERS [CLIENT_ID]
REGISTERS is a JSON object: what it registers in another way.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import sys
from urllib.parse import parse_qs, urlparse

URL, PORT, REDIRECT_URI, NAME, REGISTERS, *REST = sys.argv[1:]
IS_NEW = int(importlib.metadata.version("mcp").split(".")[0]) >= 2

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

if IS_NEW:
    import httpx2 as httpx
    from mcp import Client
    from mcp.shared.auth import AuthorizationCodeResult
else:
    import httpx


class Here(httpx.AsyncHTTPTransport):
    """Names below `localhost` are a port of this computer, as the browser of the test has them."""

    async def handle_async_request(self, request):
        if request.url.host.endswith(".localhost"):
            request.url = request.url.copy_with(host="127.0.0.1", port=int(PORT))
        return await super().handle_async_request(request)


class Memory:
    """What an assistant keeps between two connections."""

    def __init__(self):
        self.tokens = None
        self.information = None
        if REST:
            self.information = OAuthClientInformationFull(
                client_id=REST[0],
                redirect_uris=[REDIRECT_URI],
                token_endpoint_auth_method="none",
            )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.information

    async def set_client_info(self, information):
        self.information = information


memory = Memory()


def say(message):
    print(json.dumps(message), flush=True)


async def hear():
    line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    return json.loads(line) if line else {"do": "leave"}


async def ask(url):
    say({"ask": url})


async def answered():
    visit = parse_qs(urlparse((await hear())["visit"]).query)
    first = {name: values[0] for name, values in visit.items()}
    if IS_NEW:
        return AuthorizationCodeResult(
            code=first["code"], state=first.get("state"), iss=first.get("iss")
        )
    return first["code"], first.get("state")


def provider():
    example = {
        "client_name": NAME,
        "redirect_uris": [REDIRECT_URI],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    changed = {**example, **json.loads(REGISTERS)}
    # The kit has defaults for what it is not given.
    metadata = OAuthClientMetadata(**{name: value for name, value in changed.items() if value is not None})
    return OAuthClientProvider(
        server_url=URL,
        client_metadata=metadata,
        storage=memory,
        redirect_handler=ask,
        callback_handler=answered,
    )


class Connection:
    def __init__(self):
        self.stack = contextlib.AsyncExitStack()

    async def open(self):
        auth = provider()
        self.auth = auth
        client = httpx.AsyncClient(auth=auth, timeout=30, transport=Here())
        http = await self.stack.enter_async_context(client)
        transport = streamable_http_client(URL, http_client=http)
        if IS_NEW:
            self.client = await self.stack.enter_async_context(Client(transport))
        else:
            read, write, _ = await self.stack.enter_async_context(transport)
            self.client = await self.stack.enter_async_context(ClientSession(read, write))
            await self.client.initialize()

    async def close(self):
        await self.stack.aclose()


async def main():
    connection = None
    while True:
        order = await hear()
        try:
            match order["do"]:
                case "connect":
                    connection = Connection()
                    await connection.open()
                    say({"done": True})
                case "tools":
                    listed = await connection.client.list_tools()
                    say({"done": [tool.name for tool in listed.tools]})
                case "call":
                    result = await connection.client.call_tool(order["name"], order["arguments"])
                    structured = result.structured_content if IS_NEW else result.structuredContent
                    say({"done": structured or json.loads(result.content[0].text)})
                case "spoil":
                    # The access token is no good any more.
                    context = connection.auth.context
                    before = context.current_tokens.refresh_token
                    context.current_tokens.access_token = "gone"
                    context.token_expiry_time = 1
                    say({"done": before})
                case "refresh_token":
                    say({"done": memory.tokens.refresh_token})
                case "leave":
                    break
        except BaseException as error:  # What an SDK raises may be a group of errors.
            parts = getattr(error, "exceptions", [error])
            say({"failed": " ".join(f"{type(part).__name__}: {part}" for part in parts)})
    with contextlib.suppress(BaseException):
        if connection is not None:
            await connection.close()


asyncio.run(main())
