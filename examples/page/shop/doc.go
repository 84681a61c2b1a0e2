// Package shop has what both versions of the page service share: the goods, the page's
// template, the input of a request. None of it is slow, so there is one version.
//
// What it returns belongs to the caller, and its functions may be called by several
// goroutines at once.
package shop
