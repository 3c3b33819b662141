"""Machines of a test's own, on which the blocks of guides run as they stand."""
