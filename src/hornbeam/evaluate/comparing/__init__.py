"""What `compare` needs, and what it finds: methods, tests, results in words and as charts."""
