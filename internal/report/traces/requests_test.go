package traces_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/trace/requests"
)

// TestUnnamedRequests says how many requests have no handler, and how they get one.
func TestUnnamedRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		classes []documents.RequestClass
		want    string // "" is no advice
	}{
		{[]documents.RequestClass{{Handler: "main.order", Count: 4}, {Handler: "task job", Task: true, Count: 9}}, ""},
		{[]documents.RequestClass{{Handler: "main.order", Count: 3}, {Handler: requests.Unnamed, Count: 1}}, "25.00%"},
		{[]documents.RequestClass{
			{Handler: "main.log (or a handler it calls)", Count: 2},
			{Handler: requests.Unnamed, Count: 2},
		}, "100%"},
	} {
		var out strings.Builder
		d := documents.Requests{Count: 4, Classes: test.classes}
		if err := traces.WriteRequests(&out, layout.Style{}, d); err != nil {
			t.Fatal(err)
		}
		advice := strings.Contains(out.String(), "trace.StartRegion(r.Context(), ")
		if advice != (test.want != "") || !strings.Contains(out.String(), test.want) {
			t.Errorf("want %q, got\n%s", test.want, &out)
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 81 {
				t.Errorf("wider than 80 columns: %s", line)
			}
		}
	}
}
