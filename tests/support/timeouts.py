"""The one timeout of everything that only keeps a test from hanging, so that no test fails on a slow machine.

It is no statement about speed: a time that is the subject of a test is set in that test, by the service's settings.
"""

HANG_SECONDS = 180.0
