// Package loads renders loads: results, running loads, capacities and comparisons.
//
// The writers for package load's results, and those of load/capacity and load/compare, write text
// ([Write], [WriteCapacity], [WriteComparison]), a page ([WritePage]) and, while a load runs, a
// block of lines that is redrawn in place ([WriteLive]). The package holds no state.
package loads
