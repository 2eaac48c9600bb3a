# Fits trees with rpart, one job after another, for against_rpart.py.
#
# Each line of the standard input is the path of a job file: lines of a key and its values, separated by tabs. Numbers
# travel as binary doubles, so that both programs learn from the same bits. The reply goes to the standard output, in
# sections that begin with a line "#name", and ends with a line "#end".

suppressPackageStartupMessages(library(rpart))
options(warn = -1)

read_job <- function(path) {
  lines <- strsplit(readLines(path, encoding = "UTF-8"), "\t", fixed = TRUE)
  job <- list(columns = list())
  for (words in lines) {
    if (words[1] == "column") job$columns[[length(job$columns) + 1]] <- words[-1]
    else job[[words[1]]] <- words[-1]
  }
  job
}

read_rows <- function(job) {
  n <- as.integer(job$rows) + as.integer(job$asked)
  source <- file(job$data, "rb")
  on.exit(close(source))
  frame <- list()
  for (words in job$columns) {
    values <- readBin(source, "double", n)
    values[is.nan(values)] <- NA
    if (words[1] == "nominal") {
      levels <- words[-(1:2)]
      values <- factor(levels[values + 1], levels = levels)
    }
    frame[[words[2]]] <- values
  }
  as.data.frame(frame, stringsAsFactors = FALSE)
}

fit_tree <- function(job, training) {
  limits <- as.list(as.numeric(job$control))
  names(limits) <- c("cp", "minsplit", "minbucket", "maxsurrogate", "maxdepth")
  control <- do.call(rpart.control, c(limits, list(maxcompete = 0, xval = 0)))
  parms <- list()
  if (job$method == "class") {
    parms$split <- job$split
    training$target <- droplevels(training$target)
    if (!is.null(job$prior)) parms$prior <- as.numeric(job$prior)
    if (!is.null(job$loss)) {
      size <- sqrt(length(job$loss))
      parms$loss <- matrix(as.numeric(job$loss), size, size, byrow = TRUE)
    }
  }
  weights <- training$weight
  features <- setdiff(names(training), c("weight", "target"))
  formula <- as.formula(paste("target ~", paste(features, collapse = " + ")))
  given <- list(formula = formula, data = training[c("target", features)], method = job$method, control = control)
  if (length(parms)) given$parms <- parms
  if (!is.null(weights)) given$weights <- weights
  do.call(rpart, given)
}

digits <- function(values) paste(sprintf("%.17g", values), collapse = "\t")

reply <- function(job) {
  rows <- read_rows(job)
  n <- as.integer(job$rows)
  fit <- fit_tree(job, rows[seq_len(n), , drop = FALSE])
  cat("#text\n")
  print(fit)
  cat("#table\n")
  for (i in seq_len(nrow(fit$cptable))) cat(digits(fit$cptable[i, 1:3]), "\n", sep = "")
  cat("#importance\n")
  for (name in names(fit$variable.importance)) cat(name, "\t", digits(fit$variable.importance[[name]]), "\n", sep = "")
  cat("#surrogates\n")
  place <- 0
  for (i in seq_len(nrow(fit$frame))) {
    if (as.character(fit$frame$var[i]) == "<leaf>") next
    place <- place + 1 + fit$frame$ncompete[i]
    for (each in seq_len(fit$frame$nsurrogate[i])) {
      split <- fit$splits[place + each, ]
      cut <- if (abs(split[["ncat"]]) < 2) split[["index"]] else NaN
      cat(row.names(fit$frame)[i], "\t", rownames(fit$splits)[place + each], "\t",
          digits(c(cut, split[["improve"]], split[["adj"]])), "\n", sep = "")
    }
    place <- place + fit$frame$nsurrogate[i]
  }
  cat("#answers\n")
  asked <- rows[-seq_len(n), , drop = FALSE]
  answers <- predict(fit, asked, type = if (job$method == "class") "prob" else "vector")
  if (is.matrix(answers)) {
    cat(colnames(answers), sep = "\t")
    cat("\n")
    labels <- as.character(predict(fit, asked, type = "class"))
    for (i in seq_len(nrow(answers))) cat(labels[i], "\t", digits(answers[i, ]), "\n", sep = "")
  } else {
    for (answer in answers) cat(digits(answer), "\n", sep = "")
  }
}

input <- file("stdin", "r")
repeat {
  path <- readLines(input, n = 1)
  if (!length(path)) break
  tryCatch(reply(read_job(path)), error = function(problem) cat("#error\n", conditionMessage(problem), "\n", sep = ""))
  cat("#end\n")
  flush(stdout())
}
