// Package reporttest holds what the tests of the report packages share:
// TypeScript types generated from Go, and walks through pages in a real browser.
package reporttest
