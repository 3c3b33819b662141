"""The account holder's own profile, and the messages of their visitors."""
