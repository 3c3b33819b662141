"""The clock of a brand: the service's, which a test brand can move forwards (decision 0164)."""
