"""The running processes of all nodes: each writes a heartbeat while it runs."""
