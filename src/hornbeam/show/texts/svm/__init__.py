"""Support vector machines as text.

- svm_text: the model, its planes or support vectors, and why a row gets its prediction
"""
