package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestSecretsStay runs every command that sends headers or tokens with an address that redirects to
// another port, and checks that nothing arrives there.
func TestSecretsStay(t *testing.T) {
	var mu sync.Mutex
	var reached []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		reached = append(reached, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header))
		mu.Unlock()
	}))
	defer other.Close()
	asked := 0
	redirects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if strings.Contains(fmt.Sprint(r.Header), "secret") {
			asked++
		}
		mu.Unlock()
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer redirects.Close()

	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := redirects.URL + "/debug/pprof/heap?token=secret"
	// The arguments of a command in addition to the address.
	args := map[string][]string{
		"record": {redirects.URL, "-o", filepath.Join(dir, "r.whet"), "-d", "1s"},
		"watch":  {redirects.URL, "-o", dir, "--heap", "1GB"},
		"load":   {redirects.URL, "-n", "3", "-c", "1"},
		"peek":   {".", address}, "list": {".", address}, "disasm": {".", address},
		"diff":       {address, address},
		"flame":      {address, "-o", filepath.Join(dir, "f.html")},
		"graph":      {address, "-o", filepath.Join(dir, "g.svg")},
		"goroutines": {redirects.URL}, "memory": {redirects.URL},
		"find":          {address},
		"trace cut":     {address, "--from", "1s", "-o", filepath.Join(dir, "cut")},
		"trace export":  {address, "--perfetto", filepath.Join(dir, "perfetto")},
		"trace profile": {"sync", address},
		"pgo merge":     {address, "-o", filepath.Join(dir, "default.pgo")},
	}
	commands := headerCommands(t, nil)
	if len(commands) < 15 {
		t.Fatalf("only %q send headers", commands)
	}
	for _, command := range commands {
		if command == "bench service" {
			continue // its services are its own; the load follows no redirects
		}
		extra, ok := args[command]
		if !ok {
			extra = []string{address}
		}
		line := append(strings.Fields(command), extra...)
		_, help, _ := runWhet(t, append(strings.Fields(command), "--help")...)
		line = append(line, "-H", "X-Key: secret")
		for _, flag := range []string{"--token-file", "--target-token-file"} {
			if strings.Contains(help, " "+flag) && command != "pgo" { // there, it is for the load
				line = append(line, flag, token)
			}
		}
		if strings.Contains(help, " --target ") {
			line = append(line, "--target", redirects.URL)
		}
		mu.Lock()
		asked, reached = 0, nil
		mu.Unlock()
		code, _, stderr := runWhet(t, line...)
		mu.Lock()
		if asked == 0 {
			t.Errorf("whet %q sent nothing: code %d\n%s", line, code, stderr)
		}
		if len(reached) > 0 {
			t.Errorf("whet %q: the other port got %q", line, reached)
		}
		mu.Unlock()
		if command != "load" && (code != 1 || !strings.Contains(stderr, "another host, port or scheme")) {
			t.Errorf("whet %q: code %d\n%s", line, code, stderr)
		}
	}
}

// headerCommands lists the commands whose help has --header.
func headerCommands(t *testing.T, parent []string) []string {
	var out []string
	_, help, _ := runWhet(t, append(parent, "--help")...)
	if strings.Contains(help, "--header") {
		out = append(out, strings.Join(parent, " "))
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z][a-z-]+)  +[A-Z]`).FindAllStringSubmatch(help, -1) {
		switch m[1] {
		case "help", "completion", "pprof", "man":
			continue // pprof has a separate test
		}
		child := append(parent[:len(parent):len(parent)], m[1])
		if _, its, _ := runWhet(t, append(child, "--help")...); its == help {
			continue // it was a word of the text
		}
		out = append(out, headerCommands(t, child)...)
	}
	return out
}
