"""`make growth`: the cost of requests, pages, reports and due packages for a brand with a thousand, many and a million
users."""
