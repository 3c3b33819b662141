"""Users whose due packages cannot be changed: found by halving the batch, kept with the reason, retried, listed.

A dead letter waits for the operator. What failed for a reason that passes is retried by the sweep, with a back-off.
"""
