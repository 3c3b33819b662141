"""`make soak`: hours of mixed load at half of what the service can do; what it uses must stay flat."""
