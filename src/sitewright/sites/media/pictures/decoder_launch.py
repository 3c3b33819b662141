"""Starts a decoder process. Its priority is lowered before it imports libraries, which takes 0.2 s of CPU time.

It has a process group of its own, which Ctrl-C does not reach and which is killed as a whole, but no session: Linux may
share the CPUs among sessions first, and then niceness counts only within each of them (decision 0185).
"""

import os
import sys


def main() -> None:
    os.setpgid(0, 0)
    os.nice(int(sys.argv[2]))
    from sitewright.sites.media.pictures import decoder_process  # noqa: PLC0415 - see above

    decoder_process.main()


if __name__ == "__main__":
    main()
