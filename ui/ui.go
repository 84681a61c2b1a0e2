package ui

import _ "embed" // for the scripts

//go:embed dist/flame.js
var flameJS string

// FlameJS returns the script of the flame graph page. It is a classic script
// that brings its own styles, looks for the data in the element with the id
// "whet-flame" and makes no request. It never holds "</script" or "<!--", so it
// may stand inline.
func FlameJS() string { return flameJS }
