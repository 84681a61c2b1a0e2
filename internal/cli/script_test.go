package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/sandbox"
)

// TestMain lets the scripts run the test binary as whet, and as a service to compare.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"whet": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"hello": helloService, "degrading": degradingService,
	})
}

// TestScript runs testdata/script/*.txtar. Each starts in a directory with the files of
// writeProfiles, with COLUMNS set to 80. The command serve serves the profiles over HTTP and sets
// $URL.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			if name != "sandbox" {
				return false, fmt.Errorf("unknown condition %q (want sandbox)", name)
			}
			return sandbox.Supported() == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("COLUMNS", "80")
			e.Setenv("NO_COLOR", "1")
			e.Setenv("GOROOT", goroot(t))
			e.Setenv("GOCACHE", buildCache(t))
			e.Setenv("TRACE", smallTrace(t))
			// For scripts that empty PATH.
			whet, err := exec.LookPath("whet")
			if err != nil {
				return err
			}
			e.Setenv("WHET", whet)
			return writeProfiles(e.WorkDir)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"serve": serve,
		},
	})
}

// serve starts a server like net/http/pprof's over the script's directory and sets URL. "serve
// TOKEN" requires that bearer token.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: serve [TOKEN]")
	}
	token := strings.Join(args, "")
	s := httptest.NewServer(pprofHandler(ts.MkAbs("."), token))
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL)
}

// pprofHandler answers like a Go service, with the profiles in dir.
func pprofHandler(dir, token string) http.Handler {
	files := map[string]string{
		"profile": "cpu.pb.gz", "heap": "heap.pb.gz", "allocs": "heap.pb.gz", "mutex": "mutex.pb.gz",
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "no token, no profile", http.StatusUnauthorized)
			return
		}
		name := r.PathValue("name")
		switch file := files[name]; {
		case name == "profile" && r.FormValue("seconds") == "":
			http.Error(w, "no seconds", http.StatusBadRequest)
		case name == "block":
			http.Error(w, "Could not enable CPU profiling: cpu profiling already in use", http.StatusInternalServerError)
		case file == "":
			http.Error(w, "Unknown profile", http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/octet-stream")
			http.ServeFile(w, r, filepath.Join(dir, file))
		}
	})
	mux.HandleFunc("/page/debug/pprof/heap", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html>hello</html>"))
	})
	mux.HandleFunc("/away/debug/pprof/heap", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://another.invalid/debug/pprof/heap", http.StatusFound)
	})
	return mux
}

// buildCache returns the directory of the go command's build cache, which the go command does not
// find without a home directory.
func buildCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// smallTrace is the name of a trace of a few kilobytes.
func smallTrace(t *testing.T) string {
	t.Helper()
	name, err := filepath.Abs("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	return name
}
