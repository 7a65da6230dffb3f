"""Parts of one thing, run side by side: one cannot go on without the others."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def together(*parts: Coroutine[Any, Any, T]) -> T:
    """Run parts until one ends, and cancel the others; return its result or raise its failure."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        results = [task.result() for task in done]  # two may end in one turn: a failure goes first
        return results[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
