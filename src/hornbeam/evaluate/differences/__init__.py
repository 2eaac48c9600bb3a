"""Two models side by side: trees, rules, equations, and the rows that get another prediction."""
