// Package loads renders loads: results, running loads, capacities and comparisons.
//
// Results of packages load, load/capacity and load/compare are written as text ([Write],
// [WriteCapacity], [WriteComparison]), as a page ([WritePage]) and, while a load runs, as a
// block of lines that is written over ([WriteLive]). The package holds no state.
package loads
