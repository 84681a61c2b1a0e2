// Package relabel applies relabeling rules as Prometheus defines them: they choose, rename and
// rewrite the labels of targets, and drop targets.
//
// Data flow:
//
//  1. [New] checks a [Rule] as the configuration has it and compiles its regular expression.
//  2. [Apply] runs rules in order on the labels of one target.
//
// A Rule is immutable and safe for concurrent use. Labels belong to the caller, and Apply returns a
// new map. The package does not read files: see package config.
package relabel
