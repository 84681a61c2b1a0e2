"""The loop of an assistant with the official Python SDK: loop.py stdio WHET ROOT, or loop.py http URL TOKEN.

WHET_MCP_SHORT leaves out the slower and the right patch, whose proofs measure.
It prints one line for each call, without figures that vary.
"""

import asyncio
import json
import os
import pathlib
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

PATCHES = pathlib.Path(__file__).parent.parent
LIMIT = 25_000


async def call(session, tool, **arguments):
    steps = []

    async def progress(done, total, message):
        steps.append(message)

    result = await session.call_tool(tool, arguments, progress_callback=progress)
    size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
    assert size <= LIMIT, f"{tool}: {size} bytes"
    text = result.content[0].text
    if result.is_error:
        return None, text, steps
    found = json.loads(text)
    assert found == result.structured_content, f"{tool}: the structured content differs from the text"
    return found, "", steps


async def prove(session, name):
    patch = (PATCHES / (name + ".diff")).read_text()
    verdict, failed, steps = await call(session, "prove", patch=patch, wait_seconds=5)
    while not failed and verdict["state"] in ("waiting", "running"):
        verdict, failed, more = await call(session, "prove_status", job=verdict["job"], wait_seconds=30)
        steps += more
    assert not failed and verdict["state"] == "done", failed or verdict
    print(f"prove {name}: {verdict['outcome']}; progress notifications: {'yes' if steps else 'no'}")
    return verdict


async def loop(session):
    hello = await session.initialize()
    print("server:", hello.server_info.name, "with instructions:", bool(hello.instructions))
    tools = (await session.list_tools()).tools
    print("tools:", ", ".join(sorted(t.name for t in tools)))
    recorded, failed, _ = await call(
        session, "record", package=".", args=["-addr", "{addr}"], seconds=2,
        load={"urls": ["http://{addr}/report?n=200"]},
    )
    assert not failed, failed
    print("record:", "cpu profile" if any("cpu" in p for p in recorded["parts"]) else recorded["parts"])
    hot, failed, _ = await call(session, "hot_lines")
    assert not failed, failed
    line = hot["lines"][0]
    print("hot_lines:", line["function"], line["file"])
    found, failed, _ = await call(session, "find")
    assert not failed, failed
    place = found["findings"][0]
    print("find:", place["title"], place["file"])
    evidence, failed, _ = await call(session, "line_evidence", file=place["file"], line=place["line"])
    assert not failed, failed
    print("line_evidence:", evidence["function"], "benchmarks:", ", ".join(evidence["benchmarks"]))
    wrong = await prove(session, "wrong")
    call_of = [line.strip() for line in wrong["test"].splitlines() if ":= Join(" in line][0]
    print("  reason:", wrong["reason"].splitlines()[0], "counterexample:", call_of.split("(")[0] + "(…)")
    if not os.environ.get("WHET_MCP_SHORT"):
        await prove(session, "slower")
    evidence, failed, _ = await call(
        session, "line_evidence", file=place["file"], line=place["line"], skip_benchmarks=True)
    print("line_evidence: failed candidates:", ", ".join(f["outcome"] for f in evidence["failed"]))
    if not os.environ.get("WHET_MCP_SHORT"):
        await prove(session, "right")
    _, failed, _ = await call(session, "hot_lines", recording="/etc/passwd")
    print("outside of the roots:", failed.splitlines()[0])


async def main():
    if sys.argv[1] == "stdio":
        server = StdioServerParameters(command=sys.argv[2], args=["mcp", "--root", sys.argv[3]])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await loop(session)
        return
    url, token = sys.argv[2:]
    async with httpx2.AsyncClient() as client:
        refused = await client.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
        print("without a token:", refused.status_code)
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + token}, timeout=300) as client:
        async with streamable_http_client(url, http_client=client) as (read, write):
            async with ClientSession(read, write) as session:
                await loop(session)


asyncio.run(main())
