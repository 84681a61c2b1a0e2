// Package traces renders execution traces: summary, goroutines, requests, contention, exports,
// and the timeline page.
//
// Data flow:
//  1. Constructors such as [NewSummary] turn results of trace/summary, trace/requests and
//     internal/trace/contention into documents, each with a schema.
//  2. The function named after each writes it as text that fits a layout.Style.
//  3. [NewTimeline] makes the data of the timeline page, which [WriteTimelinePage] embeds.
//
// The package holds no state.
package traces
