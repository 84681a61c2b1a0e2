// Package discover finds targets to scrape: in files, by SRV records of DNS, and among the pods of a
// Kubernetes cluster.
//
// Data flow:
//
//  1. A [Files], [DNS] or [Kubernetes] runs until its context ends. It reads its source again and
//     again, or watches it.
//  2. It passes every complete list of targets to a function, with what went wrong: a target does
//     not vanish from it because a name server is down.
//  3. A target is a set of labels as Prometheus names them: __address__, __meta_*, and those of a
//     file. Package relabel chooses among them.
//
// A source calls its function from one goroutine. Answers and files are limited in size. Tokens are
// read from files for each request, and never part of an error. The package contacts no targets.
package discover
