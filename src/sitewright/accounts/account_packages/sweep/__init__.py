"""The clock's work on packages: trials end, periods renew, what does not renew drops to the default package.

A brand's due changes are done in batches, set-wise, in the order they were due, by one worker at a time. A change is
due when the service's clock has passed `due_at`, and moves `due_at` on as it is done: once, however late and however
often anyone looks.
"""
