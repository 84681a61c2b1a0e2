package findings

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/internal/report/layout"
)

// TestAdvice shows advice in text, Markdown, HTML and SARIF.
func TestAdvice(t *testing.T) {
	r := findResult()
	r.Advice = []advice.Advice{{
		Kind: advice.CallsInLoop, Title: "queries in a loop", Share: 0.4, Of: "the requests' time",
		Place:    advice.Place{File: "shop/list.go", Line: 59, Function: "(*shop).list", Code: "p := s.get(id)"},
		Also:     []advice.Place{{File: "shop/list.go", Line: 58, What: "the loop", Code: "for _, id := range ids {"}},
		Evidence: "12.0 times each", Do: "ask once",
	}}
	var text, markdown, page, sarif strings.Builder
	if err := Find(r).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := WriteFindSARIF(&sarif, r, nil, "test"); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "Markdown": markdown.String(), "page": page.String()} {
		for _, want := range []string{
			"1 piece of advice", "queries in a loop", "list.go:59", "list.go:58", "the loop", "12.0 times each", "ask once",
			"for _, id := range ids {",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("the %s does not contain %q:\n%s", name, want, out)
			}
		}
	}
	for _, want := range []string{
		`"ruleId": "advice"`, "Queries in a loop: 12.0 times each. Ask once.", `"startLine": 59`, `"startLine": 58`,
	} {
		if !strings.Contains(sarif.String(), want) {
			t.Errorf("SARIF does not contain %s:\n%s", want, sarif.String())
		}
	}
	var without strings.Builder
	if err := Find(&find.Result{Module: "m"}).Write(&without, layout.Style{}); err != nil ||
		strings.Contains(without.String(), "advice") {
		t.Errorf("error %v, text %q; want none about advice", err, without.String())
	}
}
