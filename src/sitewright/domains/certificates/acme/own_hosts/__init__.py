"""The service's own host names (`acme_own_hosts`), which share one certificate."""
