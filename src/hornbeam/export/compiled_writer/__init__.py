"""The formats ``c`` and ``rust``: a model as one file for a compiler, a fixed program and the model as tables.

- header: the entry function of ``c``, the interface of the header.
- rust_module: the entry function of ``rust``, the interface of the module.
- contents: the tables of a model and its decision rule, for both languages.
- tables: tables in the order in which they are needed.
- c_syntax: tables, numbers and texts in C syntax.
- rust_syntax: tables, numbers and texts in Rust syntax.
- models: trees, rules, equations and ensembles as tables.
- forest_tables: forests as tables.
- forest_blocks: their tables for many rows at once.
- row_models: models that keep rows or centers as tables.
"""
