package problem

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]string{
		"":         `{"type":"about:blank","title":"Not Found","status":404,"detail":"no file"}`,
		"name one": `{"type":"about:blank","title":"Not Found","status":404,"detail":"no file","hint":"name one"}`,
	} {
		w := httptest.NewRecorder()
		Write(w, 404, "no file", hint)
		kind := w.Header().Get("Content-Type")
		if got := strings.TrimSpace(w.Body.String()); got != want || w.Code != 404 || kind != "application/problem+json" {
			t.Errorf("%d, %s: %s, want %s", w.Code, kind, got, want)
		}
	}
}
