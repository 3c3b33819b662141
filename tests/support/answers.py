"""What tests compare of an answer."""

import httpx


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Its status and its problem's code."""
    return answer.status_code, answer.json()["code"]
