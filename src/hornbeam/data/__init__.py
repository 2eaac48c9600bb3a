"""READ: files, frames and arrays become a typed `Table`; example sets; first looks at a table."""
