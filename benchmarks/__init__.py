"""The performance figures of the service, each a ratio to a reference implementation measured in the same run (`make
bench`)."""
