// Package micro holds ten small functions, each in two versions that do the
// same: slow, as a plain programmer might write it, and fast. A build has one of
// them: the slow ones, or with -tags fast the fast ones. See README.md.
package micro
