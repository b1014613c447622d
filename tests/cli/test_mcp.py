"""`redline mcp` with the real client: over stdin and stdout of the real process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.agents.reviews import NO, YES, arrived, decide, deciding, no, pending
from tests.cli.run import COMMAND, redline
from tests.conftest import write
from tui.agents.registry import registry
from tui.review.receipts import State

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")

LINES = [f"line {number}\n" for number in range(1, 31)]
TWO_HUNKS = {
    "patch": json.dumps(
        {
            "path": "a.txt",
            "edits": [
                {"oldText": "line 2\n", "newText": "LINE 2\n"},
                {"oldText": "line 28\n", "newText": "LINE 28\n"},
            ],
        }
    )
}
STATE = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM")


@pytest.fixture
def project(tree: Path) -> Path:
    write(tree, {"a.txt": "".join(LINES), "src/b.py": "x = 1  # TODO\n"})
    return tree


@asynccontextmanager
async def connected(root: Path, *options: str, name: str = "", mode: str = "auto") -> AsyncIterator[Any]:
    """A client of a server of its own."""
    import mcp  # takes a second, which tests of other things need not wait for

    server = mcp.StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", *options],
        cwd=root,
        env={variable: os.environ[variable] for variable in STATE},
    )
    info = mcp.types.Implementation(name=name, version="1") if name else None
    async with mcp.Client(server, mode=mode, client_info=info) as client:
        yield client


def test_a_session_with_a_person_who_decides(project: Path) -> None:
    """From the handshake to the receipt, in one process: a start of it takes a second."""

    async def session() -> None:
        async with connected(project, "--wait", "30", mode="legacy", name="kimi\x1b[31m") as client:
            await _introduced(client)
            await _tools_are_described(client)
            await _search_and_errors(client)
            await _decided_while_it_waits(client, project)
            await _reads_go_on_and_a_cancelled_call_keeps_its_proposal(client, project)

    asyncio.run(session())


async def _introduced(client: Any) -> None:
    assert client.server_info.name == "redline"
    for word in ("grep", "propose_patch", "await_review", "pending"):
        assert word in client.instructions


async def _tools_are_described(client: Any) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(registry())
    for tool in tools:
        ours = registry()[tool.name]
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert (tool.input_schema["type"], tool.output_schema["type"]) == ("object", "object")
        assert tool.title == ours.title
        assert tool.description.startswith(ours.description)
        hints = tool.annotations
        assert hints.read_only_hint == (not ours.requires_approval)
        assert hints.open_world_hint is False
        assert hints.idempotent_hint == (not ours.requires_approval)
    destructive = {tool.name for tool in tools if tool.annotations.destructive_hint}
    assert {"delete_file", "update_file", "propose_patch"} <= destructive
    assert not {"grep", "read_file", "create_file", "await_review", "list_proposals"} & destructive


async def _search_and_errors(client: Any) -> None:
    """The client itself holds what is structured to the tool's schema."""
    found = await client.call_tool("grep", {"pattern": "TODO"})
    assert found.structured_content["results"][0]["file"] == "src/b.py"
    assert found.content[0].text == "src/b.py\n1: x = 1  # TODO\n"
    assert (found.is_error, found.structured_content["suggestion"]) == (False, None)
    for name, arguments, code in [
        ("grep", {"pattern": "("}, "INVALID_REGEX"),
        ("grep", {}, "REQUIRED"),
        ("read_file", {"path": "../../etc/passwd"}, "OUTSIDE_WORKSPACE"),
        ("await_review", {"proposal_id": 10**30}, "NOT_FOUND"),
        ("approve", {"proposal_id": 1}, "UNKNOWN_TOOL"),
    ]:
        failed = await client.call_tool(name, arguments)
        assert failed.is_error
        assert failed.structured_content is None
        assert failed.meta["redline/error"]["code"] == code
        assert failed.content[0].text.startswith(f"{code}: ")


async def _decided_while_it_waits(client: Any, project: Path) -> None:
    told: list[str] = []

    async def progress(_: float, __: float | None, message: str | None) -> None:
        told.append(message or "")

    def person() -> None:
        (waiting,) = arrived(project)
        assert waiting.agent == "kimi\x1b[31m"
        time.sleep(1.2)
        decide(project, waiting.id, YES, no("too loud"))

    deciding = asyncio.create_task(asyncio.to_thread(person))
    answer = await client.call_tool("propose_patch", TWO_HUNKS, progress_callback=progress)
    await deciding
    data = answer.structured_content
    assert data["status"] == "partial"
    assert [(hunk["decision"], hunk["reason"]) for hunk in data["hunks"]] == [
        ("accepted", None),
        ("rejected", "too loud"),
    ]
    assert "too loud" in answer.content[0].text
    assert told[0] == f"proposal {data['proposal_id']} waits for a person's review; nothing is written yet"
    assert (project / "a.txt").read_text() == "".join(LINES).replace("line 2\n", "LINE 2\n")


async def _reads_go_on_and_a_cancelled_call_keeps_its_proposal(client: Any, project: Path) -> None:
    write(project, {"c.txt": "c\n"})
    writing = asyncio.create_task(client.call_tool("append_file", {"path": "c.txt", "content": "d"}))
    (waiting,) = await asyncio.to_thread(arrived, project)
    async with asyncio.timeout(5):
        read = await client.call_tool("read_file", {"path": "c.txt"})
    assert read.structured_content["content"] == "c"
    writing.cancel()
    with suppress(asyncio.CancelledError):
        await writing
    assert [each.id for each in pending(project)] == [waiting.id]
    async with asyncio.timeout(5):
        listed = await client.call_tool("list_proposals", {})
    assert [each["proposal_id"] for each in listed.structured_content["proposals"]] == [waiting.id]


def test_two_agents_one_of_whom_does_not_wait(project: Path) -> None:
    """Two servers over one workspace: what one proposes, the other follows; each has what was granted."""

    async def session() -> None:
        async with (
            connected(project, "--wait", "0", "--agent", "ada") as writing,
            connected(project, "--allow", "ReadFiles") as reading,
        ):
            answer = await writing.call_tool("propose_patch", TWO_HUNKS)
            assert answer.structured_content["status"] == "pending"
            assert "nothing is written" in answer.content[0].text
            number = answer.structured_content["proposal_id"]
            assert [each.agent for each in pending(project)] == ["ada"]

            looked = await writing.call_tool("await_review", {"proposal_id": number, "wait_seconds": 0})
            assert looked.structured_content["status"] == "pending"
            with deciding(project, YES, NO, reason="for now"):
                seen = await reading.call_tool("await_review", {"proposal_id": number, "wait_seconds": 30})
            for answer in (seen, await writing.call_tool("await_review", {"proposal_id": number})):
                assert answer.structured_content["status"] == "partial"
                assert answer.structured_content["reason"] == "for now"

            names = {tool.name for tool in (await reading.list_tools()).tools}
            assert {"grep", "read_file", "await_review"} <= names
            assert not {"propose_patch", "delete_file", "create_file"} & names
            denied = await reading.call_tool("delete_file", {"path": "a.txt"})
            assert denied.meta["redline/error"]["code"] == "PERMISSION_DENIED"

    asyncio.run(session())


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}
GARBAGE = [
    b"",
    b"nonsense",
    b"{",
    b"[]",
    b"null",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": 5, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": 6, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 3}}',
    b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "grep", "arguments": [1]}}',
    b'{"jsonrpc": "2.0", "id": 9, "result": {}}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}',
    b"\xff\xfe\x00",
    b"[" * 5000,
    b'{"a": "\\ud800"}',
]


def message(method: str, number: int | None = None, **params: Any) -> bytes:
    named = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **named, "method": method, "params": params}).encode()


NOISY = """
import os, tui.agents.mcp as server
real = server.call
def noisy(*given):
    print("stray", flush=True)
    os.system("echo from a child")
    return real(*given)
server.call = noisy
from tui.cli.main import main
raise SystemExit(main(["mcp", "--wait", "600"]))
"""


def test_a_client_that_talks_nonsense_and_leaves_in_the_middle(project: Path) -> None:
    """Over a server that prints: nothing but answers is on the wire."""
    server = subprocess.Popen(
        [sys.executable, "-c", NOISY],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert server.stdin is not None
    lines = [
        *GARBAGE,
        message("initialize", 1, **HELLO),
        message("notifications/initialized"),
        *GARBAGE,
        message("tools/call", 2, name="grep", arguments={"pattern": "TODO"}),
        message("tools/call", 3, name="append_file", arguments={"path": "a.txt", "content": "end"}),
    ]
    server.stdin.write(b"".join(line + b"\n" for line in lines))
    server.stdin.flush()
    (waiting,) = arrived(project)
    began = time.monotonic()
    out, err = server.communicate(timeout=20)  # closes its stdin: the client is gone
    assert time.monotonic() - began < 5
    assert (server.returncode, b"Traceback" in err) == (0, False), err
    answers = [json.loads(line) for line in out.splitlines()]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert err.count(b"stray\n") == err.count(b"from a child\n") == 2
    by_id = {answer.get("id"): answer for answer in answers}
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert by_id[2]["result"]["structuredContent"]["total_matches"] == 1
    assert waiting.agent == "raw"
    assert [(each.id, each.state) for each in pending(project)] == [(waiting.id, State.PENDING)]
    assert (project / "a.txt").read_text() == "".join(LINES)


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=cwd, input=b"", capture_output=True, timeout=60, check=False)


def test_without_the_package_it_says_what_to_install(project: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['mcp_types'] = sys.modules['mcp'] = None\n"
        "from tui.cli.main import main\n"
        "raise SystemExit(main(['mcp']))\n"
    )
    ran = python(code, project)
    told = b"redline: the MCP server needs the extra: pip install 'redline-tui[mcp]'\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, b"", told)


def test_no_other_command_loads_it(project: Path) -> None:
    code = (
        "import sys\n"
        "from tui.cli.main import main\n"
        "for command in (['tools'], ['hook', 'claude'], ['tool', 'list_proposals'], ['mcp', '--help']):\n"
        "    main(command)\n"
        "sys.exit('mcp' in sys.modules or 'mcp_types' in sys.modules)\n"
    )
    assert python(code, project).returncode == 0


def test_a_root_that_is_not_there_and_closed_streams_are_told(project: Path) -> None:
    ran = redline("mcp", "--root", "absent", cwd=project)
    assert (ran.status, ran.out) == (2, b"")
    assert "absent: no such file or directory" in ran.err
    closed = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m tui mcp <&-"], cwd=project, capture_output=True, check=False
    )
    assert (closed.returncode, b"Traceback" in closed.stderr) == (2, False)
