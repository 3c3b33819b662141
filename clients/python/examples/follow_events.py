"""Prints every event once, also when it is stopped and started again. Usage: follow_events.py POSITION_FILE [--once]"""

import sys

from access import URL, basic

from sitewright_client import Client, EventsGone, FilePosition


def main() -> None:
    position = FilePosition(sys.argv[1])
    with Client(URL, basic()) as client:
        try:
            for event in client.events(position, types=["*"], follow="--once" not in sys.argv):
                print(event["sequence"], event["eventName"], flush=True)
        except EventsGone as error:
            sys.exit(f"read the state of all accounts first, then delete {sys.argv[1]}: {error.detail}")


if __name__ == "__main__":
    main()
