"""Account holders and what they have: users, packages, resellers, profiles, charges, reports, mailed links."""
