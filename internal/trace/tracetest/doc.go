// Package tracetest has helpers for tests of packages that read traces. The traces themselves are
// in package indextest, or made by the tests. Tests in package index cannot use this package, which
// imports it.
package tracetest
