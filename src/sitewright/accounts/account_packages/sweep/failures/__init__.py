"""Users whose due packages cannot be changed: found by bisecting the batch, stored with the reason, retried, listed.

A dead letter waits for the operator. A transient failure is retried by the sweep, with a back-off.
"""
