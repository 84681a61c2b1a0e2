// Command newrule makes the directory of a new rule, find/rules/NAME, with a doc.go to fill in, an
// analyzer that reports nothing yet, its test and its testdata, and writes the index of all rules
// anew:
//
//	go run ./internal/newrule NAME
//	go run ./internal/newrule -index
//
// It is run in the repository's root, and overwrites nothing but the index.
package main
