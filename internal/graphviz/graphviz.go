package graphviz

import (
	"bytes"
	"context"
	_ "embed" // for graphviz.wasm
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// MaxMemory limits the memory of one drawing, in bytes. A call graph of 80 nodes takes 17 MB.
const MaxMemory = 1 << 30

const pageSize = 1 << 16 // of WebAssembly

//go:embed graphviz.wasm
var module []byte

// The exports of graphviz.wasm in use, under the names that emscripten's minifier gave them (see
// assignWasmExports in the package's backend.js).
const (
	exportInit         = "A" // __wasm_call_ctors()
	exportVersion      = "D" // viz_get_graphviz_version() *char
	exportMalloc       = "F" // malloc(size) *void
	exportRead         = "I" // viz_read_one_graph(text *char) *graph
	exportNewContext   = "V" // viz_create_context() *context
	exportLayout       = "X" // viz_layout(*context, *graph, engine *char) int
	exportResetErrors  = "Z" // viz_reset_errors()
	exportRender       = "_" // viz_render(*context, *graph, format *char) *char
	exportMemory       = "z"
	layoutEngine       = "dot"
	outputFormat       = "svg"
	maxMessages        = 16 << 10 // bytes of Graphviz's messages kept per call
	cacheSubdirectory  = "whet/graphviz"
	compilationWorkers = 4 // more do not help: parsing the module is serial
)

// A Renderer draws graphs. Make one with New and Close it after use.
type Renderer struct {
	ready chan struct{} // closed when the fields below are set

	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	err      error
}

// New returns a Renderer and starts to prepare it in the background; ctx bounds only that
// preparation. SVG reports a failure to prepare.
//
// Compiled code is kept in whet/graphviz below the user's cache directory. If that is missing or
// not writable, every process compiles again.
func New(ctx context.Context) *Renderer {
	dir, err := os.UserCacheDir()
	if err != nil {
		return newRenderer(ctx, "")
	}
	return newRenderer(ctx, filepath.Join(dir, filepath.FromSlash(cacheSubdirectory)))
}

func newRenderer(ctx context.Context, cacheDir string) *Renderer {
	r := &Renderer{ready: make(chan struct{})}
	go func() {
		defer close(r.ready)
		if writable(cacheDir) {
			cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
			if err == nil {
				if r.err = r.compile(ctx, cache); r.err == nil || ctx.Err() != nil {
					return
				}
			}
			// The cache is damaged (wazero checks a sum) or the disk is full: remove its contents
			// and do without.
			_ = os.RemoveAll(cacheDir)
		}
		r.err = r.compile(ctx, wazero.NewCompilationCache())
	}()
	return r
}

// writable reports whether only this user can create files in dir: what is there will be executed.
// It creates dir if necessary. (wazero compiles first and fails afterwards if it cannot create a
// file.)
func writable(dir string) bool {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	info, err := os.Stat(dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return false
	}
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return false
	}
	err = f.Close()
	return errors.Join(err, os.Remove(f.Name())) == nil
}

// compile sets the fields of r, or closes what it opened and returns an error.
func (r *Renderer) compile(ctx context.Context, cache wazero.CompilationCache) (err error) {
	config := wazero.NewRuntimeConfig().
		WithCompilationCache(cache).
		WithMemoryLimitPages(MaxMemory / pageSize)
	rt := wazero.NewRuntimeWithConfig(ctx, config)
	defer func() {
		if err != nil {
			_ = rt.Close(ctx)
			_ = cache.Close(ctx)
		}
	}()
	if err := instantiateHost(ctx, rt); err != nil {
		return fmt.Errorf("prepare graphviz: %w", err)
	}
	workers := min(runtime.GOMAXPROCS(0), compilationWorkers)
	compiled, err := rt.CompileModule(experimental.WithCompilationWorkers(ctx, workers), module)
	if err != nil {
		return fmt.Errorf("prepare graphviz: %w", err)
	}
	r.cache, r.runtime, r.compiled = cache, rt, compiled
	return nil
}

// Close releases the compiled code. It waits for the preparation that New started and must not be
// called while SVG runs.
func (r *Renderer) Close() error {
	<-r.ready
	if r.err != nil {
		return nil
	}
	ctx := context.Background()
	return errors.Join(r.runtime.Close(ctx), r.cache.Close(ctx))
}

// SVG lays out a graph written in the DOT language with Graphviz's dot and returns it as an SVG
// document. If Graphviz rejects the graph, the error is an *Error with Graphviz's messages; if the
// context ends first, the error wraps its cause.
func (r *Renderer) SVG(ctx context.Context, dot []byte) ([]byte, error) {
	in, err := r.instance(ctx)
	if err != nil {
		return nil, err
	}
	defer in.close()

	text, err := in.alloc(dot)
	if err != nil {
		return nil, err
	}
	engine, err := in.alloc([]byte(layoutEngine))
	if err != nil {
		return nil, err
	}
	format, err := in.alloc([]byte(outputFormat))
	if err != nil {
		return nil, err
	}

	graph, err := in.call(exportRead, text)
	if err != nil {
		return nil, err
	}
	if graph == 0 {
		return nil, in.refused("read graph")
	}
	gvc, err := in.call(exportNewContext)
	if err != nil {
		return nil, err
	}
	if _, err := in.call(exportResetErrors); err != nil {
		return nil, err
	}
	status, err := in.call(exportLayout, gvc, graph, engine)
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, in.refused("lay out graph")
	}
	svg, err := in.call(exportRender, gvc, graph, format)
	if err != nil {
		return nil, err
	}
	if svg == 0 {
		return nil, in.refused("render graph")
	}
	return in.cString(svg)
}

// version returns Graphviz's version from the module.
func (r *Renderer) version(ctx context.Context) (string, error) {
	in, err := r.instance(ctx)
	if err != nil {
		return "", err
	}
	defer in.close()
	p, err := in.call(exportVersion)
	if err != nil {
		return "", err
	}
	v, err := in.cString(p)
	return string(v), err
}

// An Error is Graphviz's refusal to draw a graph.
type Error struct {
	Op       string // "read graph", "lay out graph", "render graph" or, for a crash, "draw graph"
	Messages string // what Graphviz printed, its warnings included; may be empty
}

func (e *Error) Error() string {
	var errs, rest []string
	for line := range strings.Lines(e.Messages) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if msg, ok := strings.CutPrefix(line, "Error: "); ok {
			errs = append(errs, msg)
		} else {
			rest = append(rest, line)
		}
	}
	if len(errs) == 0 {
		errs = rest
	}
	if len(errs) == 0 {
		return "graphviz: " + e.Op + ": no reason given"
	}
	return "graphviz: " + e.Op + ": " + strings.Join(errs, "; ")
}

// An instance is one run of the module. It belongs to one goroutine.
type instance struct {
	ctx context.Context // carries log to the host functions
	mod api.Module
	log *messages
}

func (r *Renderer) instance(ctx context.Context) (*instance, error) {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return nil, interrupted(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	in := &instance{log: new(messages)}
	in.ctx = context.WithValue(ctx, messagesKey{}, in.log)
	config := wazero.NewModuleConfig().
		WithName(""). // anonymous, so that instances do not clash
		WithStartFunctions()
	mod, err := r.runtime.InstantiateModule(in.ctx, r.compiled, config)
	if err != nil {
		return nil, fmt.Errorf("graphviz: start module: %w", err)
	}
	in.mod = mod
	if _, err := in.call(exportInit); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

func (in *instance) close() { _ = in.mod.Close(in.ctx) }

func interrupted(ctx context.Context) error {
	return fmt.Errorf("graphviz: interrupted: %w", context.Cause(ctx))
}

// call runs an export; the result of one without a result is 0. An error here is a trap, an exit or
// the end of the context, not a rejected graph.
func (in *instance) call(export string, args ...uint64) (uint64, error) {
	f := in.mod.ExportedFunction(export)
	if f == nil {
		return 0, fmt.Errorf("graphviz: module has no export %q", export)
	}
	results, err := f.Call(in.ctx, args...)
	if err != nil {
		if in.ctx.Err() != nil {
			return 0, interrupted(in.ctx)
		}
		if in.log.Len() > 0 {
			return 0, &Error{Op: "draw graph", Messages: in.log.String()}
		}
		return 0, fmt.Errorf("graphviz: %w", err)
	}
	if len(results) == 0 {
		return 0, nil
	}
	return results[0], nil
}

func (in *instance) refused(op string) error {
	return &Error{Op: op, Messages: in.log.String()}
}

// alloc copies b into the module's memory as a C string and returns its address.
func (in *instance) alloc(b []byte) (uint64, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return 0, &Error{Op: "read graph", Messages: fmt.Sprintf("NUL byte at offset %d", i)}
	}
	if len(b) >= MaxMemory {
		return 0, &Error{Op: "read graph", Messages: fmt.Sprintf("%d bytes are too much", len(b))}
	}
	p, err := in.call(exportMalloc, uint64(len(b)+1))
	if err != nil {
		return 0, err
	}
	mem := in.mod.Memory()
	addr := api.DecodeU32(p)
	if addr == 0 || !mem.Write(addr, b) || !mem.WriteByte(addr+uint32(len(b)), 0) {
		return 0, &Error{Op: "read graph", Messages: fmt.Sprintf("no memory for %d bytes", len(b))}
	}
	return p, nil
}

// cString copies the C string at p out of the module's memory.
func (in *instance) cString(p uint64) ([]byte, error) {
	s, ok := readCString(in.mod.Memory(), api.DecodeU32(p))
	if !ok {
		return nil, fmt.Errorf("graphviz: result at %#x lies outside the module's memory", p)
	}
	return s, nil
}
