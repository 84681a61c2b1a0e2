package goruntime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/goruntime"
)

func TestOf(t *testing.T) {
	for symbol, want := range map[string]goruntime.Func{
		"main.main":            {},
		"":                     {},
		"runtime.mallocgc":     {},
		"runtime.goexit":       {Purpose: goruntime.OfRuntime, Starts: true},
		"runtime.asyncPreempt": {Injected: true},
		"runtime.gopark":       {State: goruntime.Waiting},
		"runtime.chanrecv1":    {State: goruntime.Waiting, Wait: "chan receive"},
		"runtime.cgocall":      {State: goruntime.Syscall},
		"runtime.Stack":        {State: goruntime.Running},
		"runtime.gcDrain":      {Collector: goruntime.InProgram},
		"runtime.gcBgMarkWorker": {
			Purpose: goruntime.Collecting, State: goruntime.Waiting, Wait: "GC worker (idle)", Collector: goruntime.Background,
		},
		"runtime._GC": {Purpose: goruntime.Collecting, Collector: goruntime.Background},
	} {
		if got := goruntime.Of(symbol); got != want {
			t.Errorf("%s: %+v, want %+v", symbol, got, want)
		}
	}
}

func TestPackages(t *testing.T) {
	for symbol, want := range map[string]struct{ in, sync, virtual, collector bool }{
		"runtime.gopark":                            {in: true},
		"runtime._VDSO":                             {in: true, virtual: true},
		"runtime.gcMarkDone":                        {in: true, collector: true},
		"runtime.GC":                                {in: true, collector: true},
		"internal/runtime/maps.(*Iter).Next":        {in: true},
		"runtime/internal/syscall.Syscall6":         {in: true},
		"runtime/debug.FreeOSMemory":                {},
		"runtime/pprof.StartCPUProfile":             {},
		"sync.(*Mutex).Lock":                        {sync: true},
		"internal/sync.(*Mutex).lockSlow":           {sync: true},
		"internal/poll.(*FD).Read":                  {sync: true},
		"golang.org/x/sync/errgroup.(*Group).Wait":  {},
		"example.com/runtime.gcAll":                 {},
		"github.com/whet-go/whet/internal/lint.All": {},
	} {
		got := want
		got.in, got.sync = goruntime.In(symbol), goruntime.Sync(symbol)
		got.virtual, got.collector = goruntime.Virtual(symbol), goruntime.ForCollector(symbol)
		if got != want {
			t.Errorf("%s: %+v, want %+v", symbol, got, want)
		}
	}
}

// TestCollectors finds the functions whose callees a profile counts as garbage collection in the
// source of this version of Go: one that is renamed there would no longer count.
func TestCollectors(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/runtime/*.go"))
	if err != nil || len(files) == 0 {
		t.Skipf("no source of the runtime: %v", err)
	}
	var source strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(data)
	}
	all := goruntime.Collectors()
	if len(all) != 14 || !slices.IsSorted(all) {
		t.Errorf("%d functions: %v", len(all), all)
	}
	for _, symbol := range all {
		name := strings.TrimPrefix(symbol, "runtime.")
		declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
		if !declared.MatchString(source.String()) {
			t.Errorf("the runtime has no function %s", name)
		}
	}
}

func TestStandard(t *testing.T) {
	for symbol, want := range map[string]bool{
		"net/http.(*conn).serve": true, "runtime.gopark": true, "main.main": false,
		"main.(*pool).get": false, "example.com/m/sub.F": false, "golang.org/x/net/http2.(*pipe).Read": false,
	} {
		if got := goruntime.Standard(symbol); got != want {
			t.Errorf("%s: %v, want %v", symbol, got, want)
		}
	}
}
