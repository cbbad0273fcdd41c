"""The official Python SDK as a client of the pet store, one line per check.

    python sdk.py [--without GROUP,...] --url URL
    python sdk.py [--without GROUP,...] --stdio COMMAND ARGUMENT...

GROUP is confirm. Exit code 0 when every check holds in both eras. Python keeps every digit of a
long integer, so the checks of numbers are here; sdk.mjs has the wider set of calls.
"""

import asyncio
import json
import sys
import uuid

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

# How the SDK is told to connect, and the revision it must end up with.
PEERS = {
    "py-legacy": ("legacy", "2025-11-25"),
    "py-auto": ("auto", "2026-07-28"),
    "py-pinned": ("2026-07-28", "2026-07-28"),
}
OPERATIONS = {
    "listPets", "createPet", "searchPets", "getPet", "replacePet", "updatePet", "deletePet", "uploadPetPhoto",
    "getPetPhoto", "listCategories", "createCategory", "getInventory", "placeOrder", "getOrder", "cancelOrder",
}
PATIENCE_SECONDS = 15
PEER_LIMIT_SECONDS = 120

failures = 0


async def main(server, transport: str, without: set[str]) -> int:
    for name, (mode, revision) in PEERS.items():
        label = f"{name} {transport}"
        try:
            async with asyncio.timeout(PEER_LIMIT_SECONDS):
                await run_peer(label, server, mode, revision, without)
        except Exception as error:  # one peer's end is not the run's
            report(f"{label}: runs to its end", error)
    print("all checks hold" if failures == 0 else f"{failures} checks failed")
    return 1 if failures else 0


async def run_peer(label, server, mode, revision, without) -> None:
    human = Human()
    async with Client(
        server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS, elicitation_callback=human.asked_by_server
    ) as client:
        checks = Checks(label, client, revision, human)
        await checks.run("handshake", "listing", "reading", "numbers", "faults", "writing")
        if "confirm" not in without:
            await checks.run("confirmation")
    if "confirm" in without:
        return
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
        await Checks(label, client, revision, human).run("confirmation_without_questions")


class Human:
    """Answers the server's questions."""

    def __init__(self) -> None:
        self.action, self.questions = "accept", 0

    async def asked_by_server(self, _context, _params) -> types.ElicitResult:
        self.questions += 1
        return types.ElicitResult(action=self.action, content={} if self.action == "accept" else None)


class Checks:
    """Each method is one check; its name says what must hold."""

    def __init__(self, label, client, revision, human) -> None:
        self.label, self.client, self.revision, self.human = label, client, revision, human

    async def run(self, *names: str) -> None:
        for name in names:
            try:
                await getattr(self, name)()
                report(f"{self.label}: {name}")
            except Exception as error:  # the next check may still hold
                report(f"{self.label}: {name}", error)

    async def handshake(self) -> None:
        equal("revision", self.client.protocol_version, self.revision)
        # Pinned, the SDK asks nothing at connect, and so learns no name.
        if not self.label.startswith("py-pinned"):
            equal("serverInfo", bool(self.client.server_info and self.client.server_info.name), True)

    async def listing(self) -> None:
        tools, cursor = [], None
        for _ in range(100):
            page = await self.client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        equal("end of pages", cursor, None)
        names = [tool.name for tool in tools]
        equal("number of names", len(set(names)), len(names))
        equal("missing tools", OPERATIONS - set(names), set())
        for tool in tools:
            equal(f"type of {tool.name}'s schema", tool.input_schema.get("type"), "object")
            equal(f"{tool.name}'s description", bool(tool.description), True)

    async def reading(self) -> None:
        result = await self.call("getPet", {"petId": 1})
        pet = success(result)
        equal("name", pet["name"], "Rex")
        equal("structured content", result.structured_content, pet)
        found = success(await self.call("listPets", {"status": ["sold"], "tags": []}))
        equal("states", {item["status"] for item in found["items"]}, {"sold"})
        image = (await self.call("getPetPhoto", {"petId": 1, "photoId": 1})).content[0]
        equal("media type", image.mime_type, "image/png")

    async def numbers(self) -> None:
        # 2 ** 53 + 1 is the first integer that a binary64 cannot hold.
        body = {"name": "Digits", "species": "other", "price": 0.1, "chip": 9007199254740993}
        result = await self.call("createPet", {"body": body})
        pet = success(result)
        equal("chip", pet["chip"], 9007199254740993)
        equal("price", pet["price"], 0.1)
        equal("structured chip", result.structured_content["chip"], 9007199254740993)
        success(await self.call("deletePet", {"petId": pet["id"]}), empty=True)

    async def faults(self) -> None:
        missing = await self.call("getPet", {"petId": 999999})
        equal("isError of a 404", missing.is_error, True)
        wrong = await self.call("getPet", {"petId": "one"})
        equal("isError of a wrong argument", wrong.is_error, True)
        equal("petId is named", "petId" in text(wrong), True)
        try:
            await self.call("noSuchTool", {})
        except MCPError as error:
            equal("code", error.code, -32602)
        else:
            raise AssertionError("an unknown tool was called")

    async def writing(self) -> None:
        order = await self.place_order()
        again = success(await self.call("getOrder", {"orderId": order["id"]}))
        equal("order", again, order)

    async def confirmation(self) -> None:
        for action, status in (("decline", "placed"), ("accept", "cancelled")):
            order = await self.place_order()
            self.human.action, self.human.questions = action, 0
            result = await self.call("cancelOrder", {"orderId": order["id"]})
            equal(f"isError after {action}", bool(result.is_error), action == "decline")
            equal("questions", self.human.questions, 1)
            equal("status", success(await self.call("getOrder", {"orderId": order["id"]}))["status"], status)

    async def confirmation_without_questions(self) -> None:
        order = {"orderId": "00000000-0000-4000-8000-000000000001"}
        result = await self.call("cancelOrder", order)
        equal("isError", result.is_error, True)
        equal("status", (result.structured_content or {}).get("status"), "confirmation_required")

    async def place_order(self) -> dict:
        pet = success(await self.call("createPet", {"body": {"name": "Interop", "species": "other", "price": 1}}))
        address = {"street": "1 Test Street", "city": "Porto", "country": "PT"}
        body = {"items": [{"petId": pet["id"]}], "customer": {"name": "Interop", "address": address}}
        return success(await self.call("placeOrder", {"Idempotency-Key": str(uuid.uuid4()), "body": body}))

    async def call(self, name: str, arguments: dict) -> types.CallToolResult:
        return await self.client.call_tool(name, arguments)


def success(result: types.CallToolResult, empty: bool = False):
    if result.is_error:
        raise AssertionError(f"expected a success, got: {text(result)}")
    return None if empty else json.loads(text(result))


def text(result: types.CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


def equal(what: str, found, expected) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def report(line: str, error: BaseException | None = None) -> None:
    global failures
    if error is None:
        print(f"ok    {line}", flush=True)
        return
    failures += 1
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    print(f"FAIL  {line}: {type(error).__name__}: {error}", flush=True)


def usage() -> None:
    sys.exit("usage: sdk.py [--without GROUP,...] (--url URL | --stdio COMMAND ARGUMENT...)")


if __name__ == "__main__":
    arguments, groups = sys.argv[1:], set()
    if arguments[:1] == ["--without"] and len(arguments) > 1:
        groups, arguments = set(arguments[1].split(",")), arguments[2:]
    match arguments:
        case ["--url", url]:
            target, kind = url, "http"
        case ["--stdio", command, *rest]:
            target, kind = StdioServerParameters(command=command, args=rest), "stdio"
        case _:
            usage()
    sys.exit(asyncio.run(main(target, kind, groups)))
