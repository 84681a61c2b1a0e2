// Package tracetest has what tests of packages that read traces share. The traces themselves are in
// package indextest, or made by the tests; package index cannot use this one, which imports it.
package tracetest
