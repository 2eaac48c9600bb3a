"""What `compare` needs, and what it finds: methods, tests, results as text and as charts."""
