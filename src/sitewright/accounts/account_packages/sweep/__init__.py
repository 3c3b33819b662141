"""The sweep over due packages: trials end, periods renew, packages that do not renew are replaced by the default one.

Brands take turns, each with an even share of a round. A brand's due changes are written in batches, in the order they
were due, by one worker at a time (advisory lock). A change is due when the service's clock has passed `due_at`.
Applying it moves `due_at` or ends the package, so that it is applied exactly once, however late the sweep is and
however often it runs.
"""
