// Package micro has ten small functions, each in two versions that behave the
// same: a slow one, as it might be written first, and a fast one. A build has the
// slow ones, or with -tags fast the fast ones. See README.md.
package micro
