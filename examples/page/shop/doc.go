// Package shop is what both versions of the page service share: the goods, the page's
// template, the input of a request. Nothing of it is slow, so there is one version.
//
// What it returns is the caller's own, and its functions may be called by several
// goroutines at once.
package shop
