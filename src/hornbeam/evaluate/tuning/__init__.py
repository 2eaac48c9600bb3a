"""What `tune` needs, and what it finds: settings to try, results in words and as a picture."""
