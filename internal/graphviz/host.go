package graphviz

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// Error numbers of emscripten's C library (those of WASI). System calls return them negated, WASI
// functions as they are.
const (
	errnoBadf   = 8
	errnoInval  = 28
	errnoNoent  = 44
	errnoNosys  = 52
	errnoNotty  = 59
	errnoSpipe  = 70
	exitAborted = 134 // exit code of a process that calls abort
)

// messages collects Graphviz's output during one call.
type messages struct{ strings.Builder }

type messagesKey struct{}

func (m *messages) add(s string) {
	if room := maxMessages - m.Len(); room > 0 {
		m.WriteString(s[:min(len(s), room)])
	}
}

func messagesOf(ctx context.Context) *messages {
	m, ok := ctx.Value(messagesKey{}).(*messages)
	if !ok {
		return new(messages)
	}
	return m
}

// A host function reads its parameters from the stack and leaves its result, if
// any, in stack[0].
type hostFunc struct {
	name    string // in the module: minified
	symbol  string // its name in wasmImports of the package's backend.js
	params  []api.ValueType
	results []api.ValueType
	call    api.GoModuleFunc
}

// hostFuncs returns everything that the module can call in its host. There is no file system and no
// clock behind it: files are not found, streams other than standard output and error are closed,
// and the time is always the start of the epoch.
func hostFuncs() []hostFunc {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	p := func(types ...api.ValueType) []api.ValueType { return types }
	ok := result(0)
	return []hostFunc{
		{"a", "__assert_fail", p(i32, i32, i32, i32), nil, assertFail},
		{"b", "__cxa_throw", p(i32, i32, i32), nil, abortWith("C++ exception")},
		{"c", "exit", p(i32), nil, exit},
		{"d", "fd_write", p(i32, i32, i32, i32), p(i32), fdWrite},
		{"e", "fd_close", p(i32), p(i32), result(errnoBadf)},
		{"f", "__syscall_fcntl64", p(i32, i32, i32), p(i32), result(-errnoBadf)},
		{"g", "emscripten_date_now", nil, p(api.ValueTypeF64), dateNow},
		{"h", "_abort_js", nil, nil, abortWith("abort")},
		{"i", "fd_read", p(i32, i32, i32, i32), p(i32), result(errnoBadf)},
		{"j", "__syscall_ioctl", p(i32, i32, i32), p(i32), result(-errnoNotty)},
		{"k", "emscripten_resize_heap", p(i32), p(i32), resizeHeap},
		{"l", "__syscall_openat", p(i32, i32, i32, i32), p(i32), result(-errnoNoent)},
		{"m", "_mmap_js", p(i32, i32, i32, i32, i64, i32, i32), p(i32), result(-errnoNosys)},
		{"n", "_munmap_js", p(i32, i32, i32, i32, i32, i64), p(i32), result(-errnoInval)},
		{"o", "_localtime_js", p(i64, i32), p(i32), localtime},
		{"p", "viz_errorf", p(i32), p(i32), vizErrorf},
		{"q", "_tzset_js", p(i32, i32, i32, i32), nil, tzset},
		{"r", "fd_seek", p(i32, i64, i32, i32), p(i32), result(errnoSpipe)},
		{"s", "environ_get", p(i32, i32), p(i32), ok},
		{"t", "environ_sizes_get", p(i32, i32), p(i32), environSizes},
		{"u", "random_get", p(i32, i32), p(i32), randomGet},
		{"v", "__syscall_newfstatat", p(i32, i32, i32, i32), p(i32), result(-errnoNoent)},
		{"w", "__syscall_fstat64", p(i32, i32), p(i32), result(-errnoBadf)},
		{"x", "clock_time_get", p(i32, i64, i32), p(i32), clockTimeGet},
		{"y", "__syscall_faccessat", p(i32, i32, i32, i32), p(i32), result(-errnoNoent)},
	}
}

func instantiateHost(ctx context.Context, rt wazero.Runtime) error {
	host := rt.NewHostModuleBuilder("a")
	for _, f := range hostFuncs() {
		host.NewFunctionBuilder().
			WithGoModuleFunction(f.call, f.params, f.results).
			WithName(f.symbol).
			Export(f.name)
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return fmt.Errorf("link imports: %w", err)
	}
	return nil
}

// result returns a function that returns v for any parameters.
func result(v int32) api.GoModuleFunc {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = api.EncodeI32(v) }
}

// write32 stores v and returns a status for the module.
func write32(m api.Module, addr uint64, v uint32) uint64 {
	if !m.Memory().WriteUint32Le(api.DecodeU32(addr), v) {
		return errnoInval
	}
	return 0
}

func readCString(mem api.Memory, addr uint32) ([]byte, bool) {
	if addr >= mem.Size() {
		return nil, false
	}
	b, ok := mem.Read(addr, mem.Size()-addr)
	if !ok {
		return nil, false
	}
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return nil, false
	}
	return bytes.Clone(b[:n]), true
}

// vizErrorf(message *char) int is Graphviz's error reporting. A message comes in pieces: "Error",
// ": ", then the text.
func vizErrorf(ctx context.Context, m api.Module, stack []uint64) {
	if s, ok := readCString(m.Memory(), api.DecodeU32(stack[0])); ok {
		messagesOf(ctx).add(string(s))
	}
	stack[0] = 0
}

// fdWrite(fd, iovs, count, written) collects standard output and error with Graphviz's messages.
func fdWrite(ctx context.Context, m api.Module, stack []uint64) {
	fd, iovs, count := api.DecodeU32(stack[0]), api.DecodeU32(stack[1]), api.DecodeU32(stack[2])
	written := stack[3]
	if fd != 1 && fd != 2 {
		stack[0] = errnoBadf
		return
	}
	mem, log := m.Memory(), messagesOf(ctx)
	var total uint32
	for i := range count {
		base, ok1 := mem.ReadUint32Le(iovs + 8*i)
		size, ok2 := mem.ReadUint32Le(iovs + 8*i + 4)
		b, ok3 := mem.Read(base, size)
		if !ok1 || !ok2 || !ok3 {
			stack[0] = errnoInval
			return
		}
		log.add(string(b))
		total += size
	}
	stack[0] = write32(m, written, total)
}

// resizeHeap(size) grows the memory to at least size bytes, by a fifth or more, as emscripten's
// implementation does. It returns 0 at the limit.
func resizeHeap(_ context.Context, m api.Module, stack []uint64) {
	mem := m.Memory()
	old, want := uint64(mem.Size()), uint64(api.DecodeU32(stack[0]))
	stack[0] = 0
	for _, size := range []uint64{max(want, min(old+old/5, MaxMemory)), want} {
		if size > MaxMemory {
			continue
		}
		if size <= old {
			stack[0] = 1
			return
		}
		pages := (size - old + pageSize - 1) / pageSize
		if _, ok := mem.Grow(uint32(pages)); ok {
			stack[0] = 1
			return
		}
	}
}

// halt ends the instance; wazero returns the ExitError from the call in progress, and no code of
// the module runs after it.
func halt(code uint32) { panic(sys.NewExitError(code)) }

func exit(_ context.Context, _ api.Module, stack []uint64) { halt(api.DecodeU32(stack[0])) }

func abortWith(reason string) api.GoModuleFunc {
	return func(ctx context.Context, _ api.Module, _ []uint64) {
		messagesOf(ctx).add("\nError: " + reason + "\n")
		halt(exitAborted)
	}
}

// assertFail(condition, file *char, line int, function *char)
func assertFail(ctx context.Context, m api.Module, stack []uint64) {
	str := func(p uint64) string {
		s, ok := readCString(m.Memory(), api.DecodeU32(p))
		if !ok || p == 0 {
			return "?"
		}
		return string(s)
	}
	messagesOf(ctx).add(fmt.Sprintf("\nError: assertion failed: %s at %s:%d in %s\n",
		str(stack[0]), str(stack[1]), api.DecodeI32(stack[2]), str(stack[3])))
	halt(exitAborted)
}

// dateNow() f64 returns the start of the epoch. The module's loops also call it every now and then
// (see the update command), so a call ends here with its context; and, being Go code, it lets the
// garbage collector run.
func dateNow(ctx context.Context, _ api.Module, stack []uint64) {
	if ctx.Err() != nil {
		halt(exitAborted)
	}
	stack[0] = api.EncodeF64(0)
}

// localtime(seconds i64, *tm) returns 1 January 1970.
func localtime(_ context.Context, m api.Module, stack []uint64) {
	tm := api.DecodeU32(stack[1])
	var zero [44]byte // struct tm
	zero[12] = 1      // tm_mday
	zero[20] = 70     // tm_year
	zero[24] = 4      // tm_wday: a Thursday
	stack[0] = 0
	if !m.Memory().Write(tm, zero[:]) {
		stack[0] = 1
	}
}

// tzset(*timezone, *daylight, std, dst *char) sets UTC.
func tzset(_ context.Context, m api.Module, stack []uint64) {
	_ = write32(m, stack[0], 0)
	_ = write32(m, stack[1], 0)
	_ = m.Memory().WriteString(api.DecodeU32(stack[2]), "UTC\x00")
	_ = m.Memory().WriteString(api.DecodeU32(stack[3]), "UTC\x00")
}

// environSizes(*count, *bytes) returns an empty environment.
func environSizes(_ context.Context, m api.Module, stack []uint64) {
	stack[0] = max(write32(m, stack[0], 0), write32(m, stack[1], 0))
}

// randomGet(buffer, size) fills with zeros: a drawing depends only on its text.
func randomGet(_ context.Context, m api.Module, stack []uint64) {
	b, ok := m.Memory().Read(api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
	stack[0] = errnoInval
	if ok {
		clear(b)
		stack[0] = 0
	}
}

// clockTimeGet(clock, precision i64, *nanoseconds)
func clockTimeGet(_ context.Context, m api.Module, stack []uint64) {
	addr := api.DecodeU32(stack[2])
	stack[0] = errnoInval
	if m.Memory().WriteUint64Le(addr, 0) {
		stack[0] = 0
	}
}
