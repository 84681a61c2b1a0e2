package ui

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed dist/flame.js
var flameJS string

//go:embed dist/load.js
var loadJS string

//go:embed dist/bench.js
var benchJS string

//go:embed dist/benchhistory.js
var benchHistoryJS string

//go:embed dist/timeline.js
var timelineJS string

//go:embed dist/saved.js
var savedJS string

//go:embed src/tokens.css
var tokens string

// FlameJS returns the script of the flame graph page. It is a classic script with its styles, reads
// the data in the element with the id "whet-flame" and makes no request. It never contains
// "</script" or "<!--", so it is safe inline.
func FlameJS() string { return flameJS }

// LoadJS returns the script of the page with charts of loads, which reads JSON in the element with
// the id "whet-load". It has the properties of FlameJS.
func LoadJS() string { return loadJS }

// BenchJS returns the script of the page of compared benchmarks, which reads JSON in the element
// with the id "whet-bench". It has the properties of FlameJS.
func BenchJS() string { return benchJS }

// BenchHistoryJS returns the script of the page of benchmarks along commits, which reads JSON in
// the element with the id "whet-bench-history". It has the properties of FlameJS.
func BenchHistoryJS() string { return benchHistoryJS }

// TimelineJS returns the script of the timeline of a trace, which reads data in the element with
// the id "whet-timeline". Without data it queries the server that the page came from, package
// internal/server; with data, it has the properties of FlameJS.
func TimelineJS() string { return timelineJS }

// SavedJS returns the script of the views of a recording, which reads the answers of the API from the element with the
// id "whet-saved", as JSON, compressed. It has the properties of FlameJS.
func SavedJS() string { return savedJS }

// Tokens returns the declarations of colors and spaces that all pages share, as custom properties, in
// the light and in the dark theme.
func Tokens() (light, dark string) {
	_, rest, _ := strings.Cut(tokens, ":root {")
	light, rest, _ = strings.Cut(rest, "}")
	_, rest, _ = strings.Cut(rest, `:root[data-theme="dark"] {`)
	dark, _, _ = strings.Cut(rest, "}")
	return light, dark
}

// appFS has the pages of whet ui.
//
//go:embed all:dist/app
var appFS embed.FS

// App returns the files of the pages that package internal/server/workbench sends: index.html and
// document.html, and below assets what they load, named by their contents. They contain no data and
// make requests only to the server that they come from.
func App() fs.FS {
	sub, err := fs.Sub(appFS, "dist/app")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}
