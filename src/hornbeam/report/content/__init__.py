"""The content of a report, before it is a page or Markdown.

blocks: texts, tables and pictures that the content is made of; numbers and names as text.
top: the summary and the headline.
sections: the sections.
models: the section about the models compared.
model: the section about the model.
columns: the section about importance and effects of columns.
judged: the section of metrics and curves.
threshold: the threshold of two classes.
card: the model card.
sparks: small pictures of columns.
"""
