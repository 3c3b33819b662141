"""Programs of the machine, run by tests."""

import asyncio


async def run(*command: str, entered: str = "") -> str:
    """The output of a program that must succeed."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    output, _ = await process.communicate(entered.encode())
    assert process.returncode == 0, output
    return output.decode()
