# Grows one forest with ranger and prints what it cost, as JSON.
# Arguments: a matrix of numbers and a target, both as .npy files; how many of their rows to learn from; how many trees;
# how many threads.
suppressPackageStartupMessages(library(ranger))

WARM_UP_ROWS <- 1000

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)[1], fixed = TRUE)), "arrays.R"))

arguments <- commandArgs(TRUE)
rows <- as.integer(arguments[3])
n_trees <- as.integer(arguments[4])
threads <- as.integer(arguments[5])
numbers <- as.data.frame(read_array(arguments[1]))
target <- read_array(arguments[2])
classes <- is.integer(target)
if (classes) target <- factor(target)
first <- seq_len(rows)
wanted <- ceiling(sqrt(ncol(numbers)))
grow <- function(some) {
  ranger(x = numbers[some, ], y = target[some], num.trees = n_trees, mtry = wanted, min.node.size = 1,
         num.threads = threads, seed = 1, oob.error = FALSE)
}
invisible(grow(seq_len(WARM_UP_ROWS)))
invisible(gc())
before <- proc.time()
forest <- grow(first)
spent <- proc.time() - before

predictions <- predict(forest, numbers[-first, ], num.threads = threads)$predictions
found <- c(cpu = spent[["user.self"]], wall = spent[["elapsed"]])
found <- if (classes) c(found, accuracy = mean(predictions == target[-first])) else
  c(found, rmse = sqrt(mean((predictions - target[-first])^2)))
leaves <- sum(sapply(forest$forest$child.nodeIDs, function(children) sum(children[[1]] == 0)))
members <- c(sprintf("\"%s\": %.17g", names(found), found), sprintf("\"leaves\": %d", leaves))
cat("{", paste(members, collapse = ", "), "}\n", sep = "")
