"""A backup that is restored into a scratch server and compared with the database it was made from."""

from sitewright.kit.dump_check.service import Verified, write_verified_dump

__all__ = ["Verified", "write_verified_dump"]
