"""Rules as text.

rule_classic: the layouts of WEKA's rule learners
rule_exceptions: rules with exceptions, nested
rule_explanation: why a list of rules makes a prediction for a row
rule_list: numbered rules, with coverage and errors in columns
rule_table: rules as IF ... THEN lines, and as a table with accuracy and lift
"""
