"""Users whose due packages cannot be changed: found by bisecting the batch, stored with the reason, retried, listed.

They are an outbox (`retries`): a transient failure is retried with a back-off; a dead letter waits for the operator.
"""
