"""Starts a decoder process. Its priority is lowered before it imports libraries, which takes 0.2 s of CPU time."""

import os
import sys


def main() -> None:
    os.nice(int(sys.argv[2]))
    from sitewright.sites.media.pictures import decoder_process  # noqa: PLC0415 - see above

    decoder_process.main()


if __name__ == "__main__":
    main()
