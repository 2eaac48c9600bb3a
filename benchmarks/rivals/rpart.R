# Fits one rpart tree with rpart's defaults and prints what it cost, as JSON.
# Arguments: a matrix of numbers and a target, both as .npy files; how many of their rows to learn from.
suppressPackageStartupMessages(library(rpart))

WARM_UP_ROWS <- 1000

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)[1], fixed = TRUE)), "arrays.R"))

arguments <- commandArgs(TRUE)
rows <- as.integer(arguments[3])
whole <- as.data.frame(read_array(arguments[1]))
target <- read_array(arguments[2])
classes <- is.integer(target)
whole$target <- if (classes) factor(target) else target
train <- whole[seq_len(rows), ]
held_out <- whole[-seq_len(rows), ]
rm(whole, target)

set.seed(0)  # folds are drawn; the tree does not depend on them
invisible(rpart(target ~ ., head(train, WARM_UP_ROWS)))
invisible(gc())
before <- proc.time()
tree <- rpart(target ~ ., train)
spent <- proc.time() - before

error <- function(some) {
  if (classes) mean(predict(tree, some, type = "class") != some$target)
  else sqrt(mean((predict(tree, some) - some$target)^2))
}
found <- c(cpu = spent[["user.self"]], wall = spent[["elapsed"]], training_error = error(train))
found <- if (classes) c(found, accuracy = 1 - error(held_out)) else c(found, rmse = error(held_out))
counts <- c(leaves = sum(tree$frame$var == "<leaf>"), size = nrow(tree$frame))
members <- c(sprintf("\"%s\": %.17g", names(found), found), sprintf("\"%s\": %d", names(counts), counts))
cat("{", paste(members, collapse = ", "), "}\n", sep = "")
