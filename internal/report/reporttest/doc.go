// Package reporttest has helpers for tests of the report packages: TypeScript types generated from
// Go, and walks through pages in a real browser.
package reporttest
