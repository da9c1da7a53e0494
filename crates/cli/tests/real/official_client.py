"""Drives the server at argv[1] by the official client: greets it, lists its tools, observes the window of process argv[2] and
clicks its "Save" once, in the way argv[3] says (legacy or auto). Prints what came of it as one JSON object."""

import asyncio
import json
import os
import re
import sys

from mcp import Client, StdioServerParameters


async def main():
    program, process, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    server = StdioServerParameters(command=program, args=["mcp"], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        revision = client.protocol_version
        tools = await client.list_tools()
        seen = await client.call_tool("observe", {"pid": process})
        text = seen.content[0].text
        observation = re.search(r"observation=(\S+)", text).group(1)
        element = int(re.search(r'^ *(\d+) button "Save"', text, re.MULTILINE).group(1))
        clicked = await client.call_tool("click", {"observation": observation, "element": element})
        repeated = await client.call_tool("click", {"observation": observation, "element": element})
    report = {
        "revision": revision,
        "tools": sorted(tool.name for tool in tools.tools),
        "observed": {"failed": bool(seen.is_error), "structured": seen.structured_content is not None},
        "clicked": clicked.structured_content,
        "repeated": repeated.structured_content,
    }
    print(json.dumps(report))


asyncio.run(main())
