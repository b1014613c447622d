"""Changes that wait for a person: proposals, decisions, receipts."""
