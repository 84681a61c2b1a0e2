package ui

import _ "embed" // for the scripts

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

// FlameJS returns the script of the flame graph page. It is a classic script
// that brings its own styles, looks for the data in the element with the id
// "whet-flame" and makes no request. It never holds "</script" or "<!--", so it
// may stand inline.
func FlameJS() string { return flameJS }

// LoadJS returns the script of the page with charts of loads, which looks for JSON in
// the element with the id "whet-load". What is said of FlameJS holds for it too.
func LoadJS() string { return loadJS }

// BenchJS returns the script of the page of compared benchmarks, which looks for JSON in the
// element with the id "whet-bench". What is said of FlameJS holds for it too.
func BenchJS() string { return benchJS }

// BenchHistoryJS returns the script of the page of benchmarks along commits, which looks for
// JSON in the element with the id "whet-bench-history". What is said of FlameJS holds for
// it too.
func BenchHistoryJS() string { return benchHistoryJS }

// TimelineJS returns the script of the timeline of a trace, which looks for data in the
// element with the id "whet-timeline". Without any it asks the server that the page came
// from, as internal/server answers; with data, what is said of FlameJS holds for it too.
func TimelineJS() string { return timelineJS }
