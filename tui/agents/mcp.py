"""Redline as an MCP server on stdin and stdout: the granted tools, as the registry declares them.

Each call runs in a thread of its own, so that others go on while one waits for a person. A call that is
cancelled, or whose client is gone, stops waiting; what it proposed stays in the inbox.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import mcp_types as types
import msgspec
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tui import __version__
from tui.agents.answer import Answer, Failure, whole
from tui.agents.call import call
from tui.agents.desk import Desk
from tui.agents.parameters import schema
from tui.agents.registry import allowed, registry
from tui.agents.tool import Tool
from tui.config import Permission

PROGRESS_SECONDS = 1.0
CALLS_AT_ONCE = 100
LONGEST_NAME = 100

INSTRUCTIONS = """\
Redline searches this workspace and changes files only after a person has reviewed the change.

- Find with grep, glob and search, and read with read_file: these answer at once. Paths are relative to the
  workspace root.
- Change with replace_in_file, edit_lines, create_file, update_file, append_file and delete_file, or several
  files at once with propose_patch. Each call makes a proposal and waits a while for the person's decision.
- The answer's `status` tells what became of it. `applied`: all of it is written. `partial`: only the accepted
  hunks are. `rejected`, `stale`, `withdrawn`: nothing is. Each hunk has its decision and the person's reason;
  follow the reasons, and do not propose again what was rejected.
- `pending`: nobody has decided yet and nothing is written. Do not repeat the call. Do something else, then
  call await_review with the proposal_id, or end your turn and say which proposal waits. list_proposals shows
  them all.
- After a change was applied, read the file again: its lines have moved.
- Nothing that you can call approves a change.
"""

Context = ServerRequestContext[Any, Any]


def serve(desk: Desk) -> None:
    """Answer the client on stdin and stdout until it leaves. What else writes to stdout meanwhile goes to
    stderr. A desk without an agent's name takes the client's."""
    anyio.run(_serve, desk)


async def _serve(desk: Desk) -> None:
    server = _server(desk)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _server(desk: Desk) -> Server[dict[str, Any]]:
    tools = types.ListToolsResult(
        tools=[_described(tool) for tool in registry().values() if allowed(tool, desk.granted)]
    )
    threads = anyio.CapacityLimiter(CALLS_AT_ONCE)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return tools

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        ours = replace(desk, agent=desk.agent or _client_name(context))
        return _result(await _called(context, ours, asked, threads))

    return Server(
        "redline",
        version=__version__,
        title="Redline",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    destructive = {Permission.WRITE_FILES, Permission.DELETE_FILES}
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=f"{tool.description}\n{tool.hints}",
        input_schema=schema(tool.parameters),
        output_schema=schema(tool.returns),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.requires_approval,
            destructive_hint=not destructive.isdisjoint(tool.permissions),
            idempotent_hint=not tool.requires_approval,
            open_world_hint=False,
        ),
    )


def _client_name(context: Context) -> str:
    client = context.session.client_params
    name = client.client_info.name.strip() if client else ""
    return name[:LONGEST_NAME] or "agent"


async def _called(
    context: Context, desk: Desk, asked: types.CallToolRequestParams, threads: anyio.CapacityLimiter
) -> Answer | Failure:
    """The tool's answer. The thread is not left behind: when the call is cancelled it is told to stop, and
    waited for."""
    stop = threading.Event()
    awaited: list[int] = []
    desk = replace(desk, stopped=stop.is_set, waits_for=awaited.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_report, context, lambda: _doing(awaited), stop)
        answer = await run_sync(call, desk, asked.name, asked.arguments or {}, limiter=threads)
        tasks.cancel_scope.cancel()
    return answer


async def _report(context: Context, doing: Callable[[], str], stop: threading.Event) -> None:
    """Tell a client that wants to know, every second, that the call is still going on."""
    seconds = 0.0
    try:
        while True:
            await anyio.sleep(PROGRESS_SECONDS)
            seconds += PROGRESS_SECONDS
            await context.session.report_progress(seconds, message=doing())
    finally:
        stop.set()


def _doing(awaited: list[int]) -> str:
    if awaited:
        return f"proposal {awaited[-1]} waits for a person's review; nothing is written yet"
    return "working"


def _result(answer: Answer | Failure) -> types.CallToolResult:
    """An error has no structured content: clients hold that to the schema of what a tool returns. Programs
    find it in `_meta`."""
    body = whole(msgspec.to_builtins(answer))
    if isinstance(answer, Failure):
        text = f"{body['code']}: {body['message']}\n{body['suggestion']}".rstrip()
        return types.CallToolResult(content=[_text(text)], is_error=True, _meta={"redline/error": body})
    besides = [f"warning: {warning}" for warning in body["warnings"] if warning not in body["output"]]
    return types.CallToolResult(
        content=[_text(body["output"]), *map(_text, besides)], structured_content=body["data"]
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
