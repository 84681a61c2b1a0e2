// Package traces renders execution traces: the documents of internal/trace/documents as text that
// fits a layout.Style, and the timeline page.
//
// [NewTimeline] has the data of the timeline page from internal/trace/window. [WriteTimelinePage]
// embeds it. The package holds no state.
package traces
