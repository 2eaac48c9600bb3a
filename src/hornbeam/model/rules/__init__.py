"""Rules, lists of rules, and rules with exceptions."""
