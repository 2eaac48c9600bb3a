"""Serving a model over HTTP, for programs on this machine (extra ``web``: starlette and uvicorn).

- app: the server: its endpoints, its limits, and its error messages.
- rows: rows sent as JSON or CSV become a table of the model's columns.
- description: the OpenAPI description of the server.
"""
