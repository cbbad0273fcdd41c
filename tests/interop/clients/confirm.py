"""Every way of confirming, driven by the official Python SDK in both eras, in front of a service that counts: nothing
arrives before the yes, one request after it. One line per check.

    python confirm.py (--serve COMMAND... | --stdio COMMAND...)

COMMAND starts a bridge; {document}, {config} and {base} in it are filled in. Exit code 0 when every check holds.
"""

import asyncio
import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

KEY = "mcpinvoke/confirmation"
TOKEN = "operators-own-long-token"
MODES = {"py-legacy": "legacy", "py-auto": "auto"}
DOCUMENT = """openapi: 3.0.3
info: {title: Notes, version: '1'}
paths:
  /notes:
    post:
      operationId: addNote
      x-mcp: {confirm: true}
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {'200': {description: ok}}
"""

failures = 0
arrived = 0
number = 0


class Service(BaseHTTPRequestHandler):
    """Counts."""

    def do_POST(self) -> None:
        global arrived
        arrived += 1
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"ok":true}')

    def log_message(self, *_arguments) -> None:
        pass


async def main(kind: str, command: list[str]) -> int:
    service = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{service.server_port}"
    port = free_port()
    page = f"http://127.0.0.1:{port}/approvals"
    approvals = f"{{token: {TOKEN}, wait: 5s, listen: '127.0.0.1:{port}', required: true}}"
    with tempfile.TemporaryDirectory() as folder:
        for settings, names in (
            ("{fallback: token}", ["form", "token"]),
            (f"{{approvals: {approvals}}}", ["operator", "page"]),
        ):
            config, document = Path(folder, "config.yaml"), Path(folder, "notes.yaml")
            # Over stdio the log would be this script's own.
            quiet = "log: {filter: warn}\n" if kind == "--stdio" else ""
            config.write_text(f"{quiet}confirm: {settings}\n")
            document.write_text(DOCUMENT)
            places = {"{document}": str(document), "{config}": str(config), "{base}": base}
            words = [places.get(word, word) for word in command]
            process, server = start(words) if kind == "--serve" else (None, StdioServerParameters(command=words[0], args=words[1:]))
            try:
                for peer, mode in MODES.items():
                    for name in names:
                        label = f"{peer} {'stdio' if process is None else 'http'}: {name}"
                        await check(label, globals()[f"check_{name}"](server, mode, page))
            finally:
                if process is not None:
                    process.terminate()
                    process.wait(10)
    service.shutdown()
    print("all checks hold" if failures == 0 else f"{failures} checks failed")
    return 1 if failures else 0


async def check_form(server, mode, _page) -> None:
    for action, arrives in (("decline", 0), ("accept", 1)):
        seen = []

        async def asked(_context, _params) -> types.ElicitResult:
            seen.append(arrived)
            return types.ElicitResult(action=action, content={} if action == "accept" else None)

        count = arrived
        async with Client(server, mode=mode, elicitation_callback=asked) as client:
            result = await client.call_tool("addNote", note())
        equal("requests before the answer", seen, [count])
        equal(f"requests after {action}", arrived, count + arrives)
        equal("isError", bool(result.is_error), arrives == 0)


async def check_token(server, mode, _page) -> None:
    async with Client(server, mode=mode) as client:
        count, arguments = arrived, note()
        told = await client.call_tool("addNote", arguments)
        equal("status", told.structured_content["status"], "confirmation_required")
        equal("requests before the yes", arrived, count)
        meta = {KEY: told.structured_content["token"]}
        done = await client.call_tool("addNote", arguments, meta=meta)
        equal("isError", bool(done.is_error), False)
        try:
            await client.call_tool("addNote", arguments, meta=meta)
        except MCPError as error:
            equal("code of the replay", error.code, -32602)
        else:
            raise AssertionError("a replay was taken")
        equal("requests", arrived, count + 1)


async def check_operator(server, mode, page) -> None:
    async with Client(server, mode=mode) as client:
        count, arguments = arrived, note()
        told = await client.call_tool("addNote", arguments)
        equal("status", told.structured_content["status"], "approval_pending")
        equal("requests before the yes", arrived, count)
        await asyncio.to_thread(decide, told.structured_content["url"], "approve")
        equal("requests after the yes alone", arrived, count)
        done = await client.call_tool("addNote", arguments)
        equal("isError", bool(done.is_error), False)
        equal("requests", arrived, count + 1)


async def check_page(server, mode, page) -> None:
    for decision, arrives in (("deny", 0), ("approve", 1)):
        seen = []

        async def asked(_context, params) -> types.ElicitResult:
            seen.append(arrived)
            equal("mode", params.mode, "url")
            equal("page", str(params.url).startswith(page), True)
            later = asyncio.get_running_loop()
            later.call_later(0.1, lambda: later.run_in_executor(None, decide, str(params.url), decision))
            return types.ElicitResult(action="accept")

        count = arrived
        async with Client(server, mode=mode, elicitation_callback=asked) as client:
            result = await client.call_tool("addNote", note())
        equal("requests before the decision", seen, [count])
        equal(f"requests after {decision}", arrived, count + arrives)
        equal("isError", bool(result.is_error), arrives == 0)


def decide(url: str, decision: str) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    body = json.dumps({"decision": decision}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
        equal("status of the decision", answer.status, 200)


def note() -> dict:
    global number
    number += 1
    return {"body": {"text": f"note {number}"}}


def start(words: list[str]) -> tuple[subprocess.Popen, str]:
    """A bridge over HTTP, once it is ready, and its endpoint."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    log = ""
    for line in process.stderr:
        log += line
        url = re.search(r"listening on (http:\S+)", log)
        if url and "tools are ready" in log:
            # Nobody may have to wait for somebody who reads the log.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, url[1]
    raise RuntimeError(f"the bridge did not start: {log}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def check(label: str, body) -> None:
    global failures
    try:
        async with asyncio.timeout(60):
            await body
        print(f"ok    {label}", flush=True)
    except Exception as error:  # the next check may still hold
        failures += 1
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        print(f"FAIL  {label}: {type(error).__name__}: {error}", flush=True)


def equal(what: str, found, expected) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case [("--serve" | "--stdio") as flag, *words] if words:
            sys.exit(asyncio.run(main(flag, words)))
        case _:
            sys.exit("usage: confirm.py (--serve COMMAND... | --stdio COMMAND...)")
