// Package charts computes what charts and tables of loads show: the bars of latency histograms, the
// knee of latency over rate, and the busiest of many targets.
//
// Data flow: [Histogram] decodes the histogram of a load.Result. [Bars] sums it for one chart,
// [CommonBars] those of several loads for charts with the same edges. [NewKnee] takes the runs of a
// search for a capacity. The package holds no state and draws nothing.
package charts
