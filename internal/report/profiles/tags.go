package profiles

import (
	"io"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteTags writes Tags as text.
func WriteTags(w io.Writer, s layout.Style, d documents.Tags) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	if len(d.Keys) == 0 {
		t.Line()
		if d.Empty {
			t.Line(layout.NothingToShow)
		} else {
			t.Line("no labels; a program sets them with pprof.Do of runtime/pprof")
		}
	}
	for _, k := range d.Keys {
		weights := layout.Each(k.Values, func(v *documents.TagValue) int64 { return v.Weight })
		value := column(&d.Header, d.Header.Total, weights)
		valueW := max(columnWidth("", value, weights), layout.Columns(value(k.Total)), layout.Columns(value(k.Left)))
		room := s.Remaining(ownShareW+2+valueW+2, 10)
		t.Line()
		t.Line(layout.Right(unit.Percent(k.Total, d.Header.Total), ownShareW), "  ", layout.Right(value(k.Total), valueW),
			"  ", s.Paint(layout.Bold, layout.Cut(layout.Clean(k.Key), room)))
		for _, v := range k.Values {
			t.Line(s.Paint(layout.Heat(v.Share), layout.Right(unit.Percent(v.Weight, d.Header.Total), ownShareW)), "  ",
				layout.Right(value(v.Weight), valueW), "    ", layout.CutMiddle(layout.Clean(v.Value), room-2))
		}
		if k.Hidden > 0 {
			t.Line(s.Paint(layout.Dim, layout.Right(unit.Percent(k.Left, d.Header.Total), ownShareW)+"  "+
				layout.Right(value(k.Left), valueW)+
				"    "+layout.Cut(more(k.Hidden, "more value", "more values"), room-2)))
		}
	}
	return t.Result()
}
