"""The performance figures of the service, each a ratio to a peer measured in the same run. `make bench` prints them."""
