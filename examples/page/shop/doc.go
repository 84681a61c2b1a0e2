// Package shop has what both versions of the page service share: the goods, the page's
// template, the input of a request. None of it is slow, so there is one version.
//
// Results belong to the caller, and functions are safe for concurrent use.
package shop
