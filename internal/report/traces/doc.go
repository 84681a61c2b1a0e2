// Package traces renders execution traces: summary, goroutines, requests, contention, exports,
// and the timeline page.
//
// Data flow:
//  1. Constructors such as [NewSummary] turn results of trace/summary, trace/requests and
//     internal/trace/contention into documents, each with a schema.
//  2. The function named after each writes it as text that fits a layout.Style.
//  3. [NewTimeline] has the data of the timeline page from internal/trace/window.
//     [WriteTimelinePage] embeds it.
//
// The package holds no state.
package traces
