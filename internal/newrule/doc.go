// Command newrule creates the directory of a new rule, find/rules/NAME, with a doc.go to fill in, an
// analyzer that reports nothing yet, its test and testdata, and rewrites the index of all rules:
//
//	go run ./internal/newrule NAME
//	go run ./internal/newrule -index
//
// Run it in the repository's root. It overwrites nothing but the index.
package main
