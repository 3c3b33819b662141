"""A DNS client: asks resolvers and authoritative servers, within a deadline and a fair share of the queries."""
