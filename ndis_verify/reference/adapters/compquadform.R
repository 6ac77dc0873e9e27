# R's CompQuadForm behind the line protocol: Rscript compquadform.R [davies|imhof]
# Needs the packages jsonlite and CompQuadForm. The two distribution functions of N26-T4.1 for diagonal covariances, and
# generalized chi-square laws without a Gaussian part; everything else is refused.
suppressPackageStartupMessages({library(jsonlite); library(CompQuadForm)})
method <- c(commandArgs(trailingOnly = TRUE), "davies")[1]
number <- function(x) as.numeric(unlist(x))
upper <- function(x, weights, dofs, noncentralities) {
  if (method == "imhof") return(imhof(x, weights, dofs, noncentralities, epsabs = 1e-14, epsrel = 1e-12, limit = 100000)$Qq)
  answer <- davies(x, weights, dofs, noncentralities, lim = 1000000, acc = 1e-14)
  if (answer$ifault != 0) stop(paste("davies: ifault", answer$ifault))
  answer$Qq
}
tail_probability <- function(i) {
  if (number(i$std) != 0) stop("no Gaussian part")
  upper(number(i$x) - number(i$shift), number(i$weights), number(i$dofs), number(i$noncentralities))
}
hockey_stick <- function(i) {
  if (is.list(i$cov_p[[1]]) || is.list(i$cov_q[[1]])) stop("diagonal covariances only")
  d <- length(i$mean_p); p <- rep_len(number(i$cov_p), d); q <- rep_len(number(i$cov_q), d)
  m2 <- (number(i$mean_p) - number(i$mean_q))^2 / q; alpha <- p / q - 1; epsilon <- number(i$epsilon)
  if (any(alpha == 0 & m2 != 0)) stop("no Gaussian part")
  use <- alpha != 0; alpha <- alpha[use]; m2 <- m2[use]
  if (length(alpha) == 0) return(max(0, 1 - exp(epsilon)))
  edge <- epsilon + sum(log1p(alpha)) / 2 + sum(m2 / alpha) / 2 # Pr[L > epsilon] = Pr[sum alpha chi2 / 2 > edge]
  first <- upper(edge, alpha / 2, rep(1, length(alpha)), (1 + alpha) * m2 / alpha^2)
  first - exp(epsilon) * upper(edge, alpha / (2 * (1 + alpha)), rep(1, length(alpha)), m2 / alpha^2)
}
quantities <- list(hockey_stick = hockey_stick, generalized_chi2_sf = tail_probability,
                   generalized_chi2_cdf = function(i) 1 - tail_probability(i))
lines <- file("stdin", "r")
while (length(line <- readLines(lines, 1)) > 0) {
  request <- fromJSON(line, simplifyVector = FALSE); answer <- list(id = request$id)
  if (identical(request$command, "start")) {
    answer <- c(answer, list(protocol = "1.0", name = paste("CompQuadForm", method), version = as.character(packageVersion("CompQuadForm")),
                             quantities = names(quantities)))
  } else if (identical(request$command, "stop")) answer <- c(answer, list(protocol = "1.0", stopped = TRUE))
  else answer <- c(answer, tryCatch(list(value = sprintf("%.17g", quantities[[request$quantity]](request$inputs))),
                                    error = function(e) list(error = list(kind = "domain", message = conditionMessage(e)))))
  cat(toJSON(answer, auto_unbox = TRUE), "\n", sep = ""); flush(stdout())
  if (!is.null(answer$stopped)) break
}
