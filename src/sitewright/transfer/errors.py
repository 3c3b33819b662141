"""What can go wrong with an export or import, in words for operators."""


class TransferError(Exception):
    """For operators: why a brand cannot be exported or imported, and what to do."""


class ArchiveDamaged(TransferError):
    """The archive is truncated, was changed, or was not written by this software."""


class CollisionsFound(TransferError):
    """The archive contains something that exists here already. Nothing was imported."""
