"""The hash chain of the audit log: chaining, verification, seals."""
