package saved

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/ui"
)

// api answers as the pages' server does, about a recording with a profile of two sample types.
func api(asked map[string]int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.RequestURI()]++
		say := func(kind, body string) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
		switch r.URL.Path {
		case "/api/v1/file":
			say("application/json", `{"trace": true, "profiles": [{"name": "heap", "types": [{"type": "inuse_space"}]},
				{"name": "cpu", "types": [{"type": "samples"}, {"type": "cpu"}]}]}`)
		case "/api/v1/files":
			say("application/json", `{"schema": "files", "files": [{"name": "other.whet"}, {"name": "a b.whet", "bytes": 7}],
				"targets": ["http://secret"], "store": true}`)
		case "/api/v1/top":
			say("application/json", `{"own": {"lines": [{"function": "main.(*T).f"}, {"function": "main.(*T).f"}]}}`)
		case "/api/v1/flame":
			say("application/octet-stream", "\x1f\x8b\xff")
		case "/api/v1/load":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail": "no load"}`)
		case "/api/v1/timeline":
			say("text/html; charset=utf-8", "<!doctype html>")
		default:
			say("application/json", `{"path": "`+r.URL.Path+`"}`)
		}
	})
}

// answersOf returns what a page has.
func answersOf(t *testing.T, page []byte) map[string]answer {
	t.Helper()
	m := regexp.MustCompile(`id="whet-saved">([^<]*)<`).FindSubmatch(page)
	if m == nil {
		t.Fatal("the page has no data")
	}
	packed, err := base64.StdEncoding.DecodeString(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]answer
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWrite(t *testing.T) {
	asked := map[string]int{}
	var page bytes.Buffer
	if err := Write(t.Context(), &page, api(asked), "/api/v1", "a b.whet"); err != nil {
		t.Fatal(err)
	}
	for uri, n := range asked {
		if n != 1 {
			t.Errorf("%d requests for %s", n, uri)
		}
	}
	all := answersOf(t, page.Bytes())
	const file = "\nfile=a b.whet"
	for key, want := range map[string]answer{
		"/api/v1/overview" + file:                            {200, "application/json", `{"path": "/api/v1/overview"}`},
		"/api/v1/overview" + file + "\ntype=cpu:cpu":         {200, "application/json", `{"path": "/api/v1/overview"}`},
		"/api/v1/flame" + file + "\nformat=packed\ntype=cpu": {200, "application/octet-stream", "H4v/"},
		"/api/v1/flame" + file + "\nformat=packed\norder=time\ntype=cpu": {
			200, "application/octet-stream", "H4v/",
		},
		"/api/v1/load" + file + "\nformat=html":     {404, "application/problem+json", `{"detail": "no load"}`},
		"/api/v1/timeline" + file + "\nformat=html": {200, "text/html", "<!doctype html>"},
		"/api/v1/list" + file + "\nfunction=main.(*T).f\ntype=heap:inuse_space": {
			200, "application/json", `{"path": "/api/v1/list"}`,
		},
		// Of what the server has, the page has this file alone.
		"/api/v1/files": {
			200, "application/json",
			`{"schema":"files","files":[{"name":"a b.whet","bytes":7}],"first":"#/overview?file=a+b.whet"}`,
		},
		"/api/v1/session": {200, "application/json", `{"logged_in":true}`},
	} {
		if all[key] != want {
			t.Errorf("%q: %+v, want %+v", key, all[key], want)
		}
	}
	if strings.Contains(page.String(), "secret") || strings.Contains(fmt.Sprint(all), "other.whet") {
		t.Error("the page has what is not about the file")
	}
	if js := ui.SavedJS(); strings.Contains(js, "</script") || strings.Contains(js, "<!--") {
		t.Error("the script cannot be inlined")
	}
	if !strings.Contains(page.String()[:300], Mark) {
		t.Error("the mark is not near the beginning")
	}
}

func TestWriteFails(t *testing.T) {
	missing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"detail": "there is no such file", "hint": "look at the list"}`)
	})
	err := Write(t.Context(), io.Discard, missing, "/api/v1", "x.whet")
	if err == nil || !strings.Contains(err.Error(), "there is no such file") || diag.Hint(err) != "look at the list" {
		t.Errorf("%v, hint %q", err, diag.Hint(err))
	}
	// A part that is damaged is explained by its view, unless no other one can be shown.
	for what, broken := range map[string]string{"overview": "/api/v1/overview", "all": "/api/v1/"} {
		damaged := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/v1/file" && r.URL.Path != "/api/v1/files" && strings.HasPrefix(r.URL.Path, broken) {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(http.StatusUnprocessableEntity)
				_, _ = io.WriteString(w, `{"detail": "it is damaged"}`)
				return
			}
			api(map[string]int{}).ServeHTTP(w, r)
		})
		err := Write(t.Context(), io.Discard, damaged, "/api/v1", "a b.whet")
		if want := what == "all"; (err != nil) != want || want && !strings.Contains(err.Error(), "it is damaged") {
			t.Errorf("%s is damaged: error %v", what, err)
		}
	}
	// What there is no room for is left out.
	large := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/flame" {
			api(map[string]int{}).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		x := uint32(1)
		b := make([]byte, MaxBytes)
		for i := range b {
			x = x*1664525 + 1013904223
			b[i] = byte(x >> 24)
		}
		_, _ = w.Write(b)
	})
	var page bytes.Buffer
	if err := Write(t.Context(), &page, large, "/api/v1", "a b.whet"); err != nil {
		t.Fatal(err)
	}
	all := answersOf(t, page.Bytes())
	if page.Len() > MaxBytes || all["/api/v1/flame\nfile=a b.whet\nformat=packed\ntype=cpu"].Status != 0 {
		t.Errorf("a page of %d bytes", page.Len())
	}
	if all["/api/v1/top\nfile=a b.whet\nn=20000\ntype=heap:inuse_space"].Status == 0 {
		t.Error("what has room is not there")
	}
}
