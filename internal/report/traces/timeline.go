package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/trace/window"
	"github.com/whet-go/whet/trace/timeline"
	"github.com/whet-go/whet/ui"
)

// TimelineMark is near the start of every page that WriteTimelinePage writes.
const TimelineMark = `<meta name="generator" content="whet trace timeline">`

// TimelinePageMax is the maximum size of a page of WriteTimelinePage, in bytes.
const TimelinePageMax = 5_000_000

// A TimelineFile is the document of whet trace timeline --json: what the page shows.
type TimelineFile struct {
	*window.TimelineDoc
	Warnings diag.Warnings `json:"warnings,omitempty"` // those of the trace
}

// NewTimeline returns the data of a window, with names that are safe to show.
func NewTimeline(ctx context.Context, t *timeline.Timeline, o window.Options) (*window.TimelineDoc, error) {
	d, err := window.New(ctx, t, o)
	if err != nil {
		return nil, err
	}
	for i := range d.Frames {
		f := &d.Frames[i]
		f.Function, f.File = layout.Clean(f.Function), layout.Clean(f.File)
	}
	return d, nil
}

// Resolutions of a page's window: higher ones are tried while they are expected to fit and add
// detail.
const (
	timelineFirstWidth = 2048
	timelineLeastWidth = 512
	timelineLastWidth  = 1 << 14 // the limit of a timeline's answers
)

// WriteTimelinePage writes a self-contained page of a window of a timeline: one HTML file of at
// most TimelinePageMax bytes that makes no request. It has as many rows, in as much detail, as fit.
func WriteTimelinePage(ctx context.Context, w io.Writer, t *timeline.Timeline, o window.Options) error {
	room := TimelinePageMax - len(ui.TimelineJS()) - 10_000
	var best []byte
	name := ""
	for i, rows := range []int{200, 60, 20, 4} {
		last := 0
		for width := timelineFirstWidth; ; {
			o.Width, o.Rows = width, rows
			d, err := NewTimeline(ctx, t, o)
			if err != nil {
				return err
			}
			name = d.Trace.Name
			clip(d, pages.Clips[min(i, len(pages.Clips)-1)])
			packed, err := pack(d)
			if err != nil {
				return err
			}
			if len(packed) > room {
				if best != nil || width == timelineLeastWidth {
					break
				}
				width = timelineLeastWidth
				continue
			}
			best = packed
			if d.Exact() || 2*len(packed) > room || len(packed) < last+last/8 || width == timelineLeastWidth ||
				width == timelineLastWidth {
				break
			}
			last = len(packed)
			width *= 2
		}
		if best != nil {
			break
		}
	}
	if best == nil {
		return fmt.Errorf("write page: %w", errTimelineSize)
	}
	return pages.WriteData(w, timelinePage(name, string(best)))
}

// clip shortens names to n bytes.
func clip(d *window.TimelineDoc, n int) {
	rows := func(all []timeline.RowInfo) {
		for i := range all {
			all[i].Name, all[i].Kind = pages.Clip(all[i].Name, n), pages.Clip(all[i].Kind, n)
		}
	}
	rows(d.Named)
	for _, list := range d.Rows {
		rows(list.Rows)
	}
	for i := range d.Weights {
		for k := range d.Weights[i].Frames {
			f := &d.Weights[i].Frames[k]
			f.Function, f.File = pages.Clip(f.Function, n), pages.Clip(f.File, n)
		}
	}
	d.Classes = slices.Clone(d.Classes) // the timeline's
	for i := range d.Classes {
		d.Classes[i].Name = pages.Clip(d.Classes[i].Name, n)
	}
	for i := range d.Marks.Names {
		d.Marks.Names[i] = pages.Clip(d.Marks.Names[i], n)
	}
	for _, r := range d.Marks.Rows {
		for i := range r.Logs {
			r.Logs[i].Category, r.Logs[i].Text = pages.Clip(r.Logs[i].Category, n), pages.Clip(r.Logs[i].Text, n)
		}
	}
	for i := range d.Frames {
		f := &d.Frames[i]
		f.Function, f.File = pages.Clip(f.Function, n), pages.Clip(f.File, n)
	}
}

// errTimelineSize reports a window that is too large even with few rows.
var errTimelineSize = fmt.Errorf("the window does not fit into %d bytes", TimelinePageMax)

// pack encodes a document for the page: JSON, gzip, base64.
func pack(d *window.TimelineDoc) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed) // four times as fast, and a fifth larger
	if err == nil {
		err = errors.Join(json.NewEncoder(z).Encode(d), z.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return base64.StdEncoding.AppendEncode(nil, b.Bytes()), nil
}

// timelinePage returns the page of a timeline with data or, without data, the one that queries its
// server.
func timelinePage(name, data string) pages.DataPage {
	return pages.DataPage{
		Mark: TimelineMark, ID: "whet-timeline", Title: name + " · whet timeline", Script: ui.TimelineJS(), Data: data,
		Served:  data == "",
		Without: "<code>whet trace summary</code> shows figures as text.",
	}
}

// TimelineServed returns the page of a timeline that queries the server it comes from, and its
// content security policy.
func TimelineServed(name string) (page []byte, policy string, err error) {
	p := timelinePage(name, "")
	var b bytes.Buffer
	err = pages.WriteData(&b, p)
	return b.Bytes(), p.Policy(), err
}
