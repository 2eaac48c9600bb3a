# Reads arrays that NumPy wrote; shared by the scripts of R's peers.
read_array <- function(path) {  # NumPy's format, version 1, little-endian, row-major
  connection <- file(path, "rb")
  on.exit(close(connection))
  stopifnot(readBin(connection, "raw", 8)[7] == 1)
  header <- readChar(connection, readBin(connection, "integer", 1, 2, signed = FALSE, endian = "little"), TRUE)
  stopifnot(grepl("'fortran_order': False", header, fixed = TRUE))
  type <- sub(".*'descr': '<(..)'.*", "\\1", header)
  shape <- sub(".*'shape': \\(([^)]*)\\).*", "\\1", header)
  shape <- as.numeric(regmatches(shape, gregexpr("[0-9]+", shape))[[1]])
  kind <- if (startsWith(type, "i")) "integer" else "double"
  values <- readBin(connection, kind, prod(shape), as.integer(substr(type, 2, 2)), endian = "little")
  stopifnot(length(values) == prod(shape))
  if (length(shape) == 2) matrix(values, shape[1], byrow = TRUE) else values
}
