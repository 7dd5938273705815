# Runs cells of R in the global environment. Words are hexadecimal: R has no base64 of its own.
local({
  options(warn = 1)  # told where they happen, not when the next cell is read
  unpack <- function(word) {
    if (word == "=") return("")
    places <- seq(1, nchar(word), 2)
    text <- rawToChar(as.raw(strtoi(substring(word, places, places + 1), 16L)))
    Encoding(text) <- "UTF-8"
    text
  }
  pack <- function(text) {
    text <- paste(enc2utf8(as.character(text)), collapse = "\n")
    if (nchar(text) == 0) return("=")
    paste(as.character(charToRaw(text)), collapse = "")
  }
  events <- file("/dev/fd/4", "w", raw = TRUE)
  tell <- function(...) {
    flush(stdout())
    cat(paste(...), "\n", sep = "", file = events)
    flush(events)
  }
  fail <- function(name, condition) {
    call <- conditionCall(condition)
    where <- if (is.null(call)) "" else paste0(" in ", paste(deparse(call), collapse = " "))
    message <- conditionMessage(condition)
    tell("error", pack(name), pack(message), pack(paste0("Error", where, ": ", message)))
  }
  run <- function(code) {
    expressions <- parse(text = code, keep.source = FALSE)
    for (number in seq_along(expressions)) {
      value <- withVisible(eval(expressions[[number]], globalenv()))
      if (value$visible) {
        text <- paste(capture.output(print(value$value)), collapse = "\n")
        if (number == length(expressions)) tell("result 1 text/plain", pack(text))
        else cat(text, "\n", sep = "")
      }
    }
  }
  requests <- file("/dev/fd/3", "r", raw = TRUE)
  repeat {
    line <- readLines(requests, 1)
    if (length(line) == 0) break
    words <- strsplit(line, " ")[[1]]
    pairs <- vapply(words[-(1:3)], unpack, "")
    names <- sub("=.*", "", pairs)
    before <- lapply(names, function(name) Sys.getenv(name, unset = NA))
    if (length(pairs)) do.call(Sys.setenv, setNames(as.list(sub("^[^=]*=", "", pairs)), names))
    tryCatch(run(unpack(words[3])),
      error = function(e) fail(class(e)[1], e),
      interrupt = function(e) tell("error", pack("Interrupted"), pack("The code was interrupted"), "="))
    for (i in seq_along(names)) {
      if (is.na(before[[i]])) Sys.unsetenv(names[[i]])
      else do.call(Sys.setenv, setNames(before[i], names[[i]]))
    }
    tell("done")
  }
})
