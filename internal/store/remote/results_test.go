package remote_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/store"
)

// resultServer answers with the newest of results, at most a thousand.
func resultServer(t *testing.T, all []store.Result) *remote.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("n"))
		if err != nil || n > 1000 {
			http.Error(w, "n", http.StatusBadRequest)
			return
		}
		to := time.Now()
		if text := r.FormValue("to"); text != "" {
			to, _ = time.Parse(time.RFC3339Nano, text)
		}
		var page []store.Result
		for _, one := range all {
			if one.Time.Before(to) && len(page) < n {
				page = append(page, one)
			}
		}
		_ = json.NewEncoder(w).Encode(documents.NewResults(page, true))
	}))
	t.Cleanup(s.Close)
	return &remote.Client{Address: s.URL}
}

// TestResults reads more results than one answer has, of which several have the same time.
func TestResults(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []store.Result
	for i := range 2500 {
		all = append(all, store.Result{
			Kind: "bench", Service: "pad", Time: begin.Add(-time.Duration(i/7) * time.Minute), Document: []byte(fmt.Sprint(i)),
		})
	}
	c := resultServer(t, all)
	for limit, want := range map[int]int{1: 1, 0: 1000, 1500: 1500, 1 << 30: len(all)} {
		got, err := c.Results(t.Context(), store.ResultQuery{Limit: limit})
		if err != nil || len(got) != want {
			t.Fatalf("limit %d: got %d results, %v, want %d", limit, len(got), err, want)
		}
		for i := range got {
			if string(got[i].Document) != fmt.Sprint(i) {
				t.Fatalf("limit %d: result %d is %s", limit, i, got[i].Document)
			}
		}
	}
	for i := range all {
		all[i].Time = begin
	}
	_, err := c.Results(t.Context(), store.ResultQuery{Limit: 1 << 30})
	if err == nil || !strings.Contains(err.Error(), "have the same time") {
		t.Errorf("results of one time: %v", err)
	}
}
