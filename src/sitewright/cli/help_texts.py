"""Makes the generated help of commands plain: flags without a type, ranges in words."""

from typing import Any

PLAIN_NAMES = {"<int>": "<number>", "<str>": "<text>", "<%Y-%m-%d>": "<YYYY-MM-DD>"}
LARGE = 2**31
"""A limit from here on is a technical one, which needs no mention."""


def simplify(command: Any, ctx: Any) -> Any:
    """Replace how the parameters of a command, and of its subcommands, are shown; returns the command."""
    for parameter in command.get_params(ctx):
        shown = _description(parameter, ctx)
        parameter.display_type_rich = _Fixed(shown)
        parameter.min = parameter.max = None  # only shown; the values are checked elsewhere
    for subcommand in getattr(command, "commands", {}).values():
        simplify(subcommand, ctx)
    return command


class _Fixed:
    def __init__(self, shown: str | None) -> None:
        self._shown = shown

    def __call__(self, ctx: Any) -> str | None:
        """Typer passes its context."""
        del ctx
        return self._shown


def _description(parameter: Any, ctx: Any) -> str | None:
    if getattr(parameter, "is_flag", False):
        return ""
    least, most = parameter.min, parameter.max
    if least is None and most is None:
        shown: str | None = parameter.display_type_rich(ctx=ctx)
        return PLAIN_NAMES.get(shown or "", shown)
    return "<number>" if most is None or most >= LARGE else f"<{least or 0} to {most}>"
