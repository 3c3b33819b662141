"""Test clocks: a test brand's clock is moved forwards, and everything due on the way is done (decision 0164)."""
