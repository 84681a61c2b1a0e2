package goroutines

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"strings"
)

// canonical removes the runtime's frames from a stack: those at the leaf, where a profile shows how
// the goroutine parked and a dump does not, and runtime.main, runtime.goexit and the compiler's
// wrapper of the go statement at the root. A stack of runtime frames only is returned unchanged.
// The result aliases stack.
func canonical(stack []Frame) []Frame {
	end := len(stack)
	for end > 0 {
		f := stack[end-1].Func
		if f != "runtime.goexit" && f != "runtime.main" && wrapped(f) == "" {
			break
		}
		end--
	}
	start := 0
	for start < end && isRuntime(stack[start].Func) {
		start++
	}
	if start == end {
		return stack
	}
	return stack[start:end]
}

// isRuntime reports whether a dump omits the function (runtime.showframe).
func isRuntime(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/runtime/")
}

// Key identifies the group's stack across snapshots of one binary, from profiles, dumps and traces
// alike.
func (g *Group) Key() uint64 {
	if g.key == 0 {
		g.key = stackKey(g.Stack)
	}
	return g.key
}

func stackKey(stack []Frame) uint64 {
	h := fnv.New64a()
	hashStack(h, stack)
	return h.Sum64() | 1 // 0 means "not computed"
}

func hashStack(w io.Writer, stack []Frame) {
	var num [9]byte // a zero byte ends the names
	for i := range stack {
		f := &stack[i]
		writeSymbol(w, f.Func)
		_, _ = w.Write(num[8:])
		_, _ = io.WriteString(w, f.File)
		binary.LittleEndian.PutUint64(num[:8], uint64(f.Line))
		_, _ = w.Write(num[:])
	}
}

// writeSymbol writes a symbol with its type arguments as "[...]", as dumps print them.
func writeSymbol(w io.Writer, s string) {
	i := strings.IndexByte(s, '[')
	j := strings.LastIndexByte(s, ']')
	if i < 0 || j < i {
		_, _ = io.WriteString(w, s)
		return
	}
	_, _ = io.WriteString(w, s[:i])
	_, _ = io.WriteString(w, "[...]")
	_, _ = io.WriteString(w, s[j+1:])
}

// waitReason infers from the innermost frames what a goroutine waits for, in the runtime's terms.
// With runtimeFrames the stack includes the runtime's own frames, and a goroutine that did not park
// is running, runnable or in a system call; without them (debug=1 text) a channel wait cannot be
// distinguished from running.
func waitReason(stack []Frame, runtimeFrames bool) (string, Evidence) {
	parked := false
	for i := range stack {
		fn := stack[i].Func
		if r, ok := parkReason(fn); ok {
			return r, EvidenceStack
		}
		switch fn {
		case "runtime.gopark", "runtime.goparkunlock", "runtime.semacquire1", "runtime.semacquire",
			"runtime.semacquireRWMutex":
			parked = true
			continue
		case "runtime.goroutineProfileWithLabels", "runtime.pprof_goroutineProfileWithLabels", "runtime.Stack",
			"runtime.goroutineLeakProfileWithLabels":
			return "running", EvidenceStack
		case "syscall.Syscall", "syscall.Syscall6", "syscall.RawSyscall", "syscall.RawSyscall6",
			"syscall.syscall", "syscall.syscalln",
			"internal/runtime/syscall/linux.Syscall6", "internal/runtime/syscall.Syscall6", "runtime.cgocall",
			"runtime.notetsleepg", "runtime.entersyscall":
			return "syscall", EvidenceStack
		}
		if !isRuntime(fn) {
			break
		}
	}
	switch {
	case parked:
		return "waiting", EvidenceStack
	case runtimeFrames: // no frames: it has not run yet
		return "runnable", EvidenceStack
	}
	return "", EvidenceNone
}

// parkReason maps the function in which a goroutine is parked to the runtime's name for the wait
// (runtime.waitReasonStrings).
func parkReason(fn string) (string, bool) {
	switch fn {
	case "runtime.chanrecv", "runtime.chanrecv1", "runtime.chanrecv2":
		return "chan receive", true
	case "runtime.chansend", "runtime.chansend1":
		return "chan send", true
	case "runtime.selectgo":
		return "select", true
	case "runtime.block":
		return "select (no cases)", true
	case "runtime.netpollblock", "internal/poll.runtime_pollWait", "internal/poll.runtime_pollWaitCanceled":
		return "IO wait", true
	case "time.Sleep", "runtime.timeSleep":
		return "sleep", true
	case "sync.runtime_notifyListWait", "runtime.notifyListWait":
		return "sync.Cond.Wait", true
	case "sync.runtime_SemacquireMutex", "internal/sync.runtime_SemacquireMutex":
		return "sync.Mutex.Lock", true
	case "sync.runtime_SemacquireRWMutexR":
		return "sync.RWMutex.RLock", true
	case "sync.runtime_SemacquireRWMutex":
		return "sync.RWMutex.Lock", true
	case "sync.runtime_SemacquireWaitGroup", "sync.(*WaitGroup).Wait":
		return "sync.WaitGroup.Wait", true
	case "sync.runtime_Semacquire", "internal/poll.runtime_Semacquire":
		return "semacquire", true
	case "internal/synctest.Run", "internal/synctest.Wait":
		return "synctest." + fn[strings.LastIndexByte(fn, '.')+1:], true
	case "runtime.coroswitch", "runtime.coroswitch_m", "runtime.corostart":
		return "coroutine", true
	case "runtime.gcBgMarkWorker":
		return "GC worker (idle)", true
	case "runtime.gcAssistAlloc", "runtime.gcParkAssist":
		return "GC assist wait", true
	case "runtime.bgsweep":
		return "GC sweep wait", true
	case "runtime.bgscavenge", "runtime.(*scavengerState).park", "runtime.(*scavengerState).sleep":
		return "GC scavenge wait", true
	case "runtime.runfinq", "runtime.runFinalizers":
		return "finalizer wait", true
	case "runtime.runCleanups":
		return "cleanup wait", true
	case "runtime.forcegchelper":
		return "force gc (idle)", true
	case "runtime.updateMaxProcsGoroutine":
		return "GOMAXPROCS updater (idle)", true
	case "runtime.ReadTrace", "runtime.traceReader":
		return "trace reader (blocked)", true
	}
	return "", false
}

// BlockedOnOthers reports whether a goroutine with this wait reason is woken only by another
// goroutine of its program: not by the network, a timer or the scheduler. That is how leaked
// goroutines look.
func BlockedOnOthers(reason string) bool {
	switch reason {
	case "chan receive", "chan send", "select", "sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.Lock",
		"sync.RWMutex.RLock", "sync.WaitGroup.Wait", "semacquire":
		return true
	}
	return BlockedForever(reason)
}

// BlockedForever reports whether nothing can end a wait with this reason.
func BlockedForever(reason string) bool {
	switch reason {
	case "chan receive (nil chan)", "chan send (nil chan)", "select (no cases)":
		return true
	}
	return false
}

// creatorOf derives who started a goroutine from its outermost frame, if possible.
func creatorOf(stack []Frame) Creator {
	end := len(stack)
	for end > 0 && stack[end-1].Func == "runtime.goexit" {
		end--
	}
	if end == 0 {
		return Creator{}
	}
	root := stack[end-1].Func
	if by := wrapped(root); by != "" {
		return Creator{Func: by, From: EvidenceClosure}
	}
	if by := enclosing(root); by != "" {
		return Creator{Func: by, From: EvidenceClosure}
	}
	if by := soleStarter(root); by != "" {
		return Creator{Func: by, From: EvidenceStart}
	}
	return Creator{}
}

// wrapped returns F of "F.gowrap3": the compiler makes such a function for a go
// statement in F whose call takes arguments
// (cmd/compile/internal/ir.closureName).
func wrapped(fn string) string {
	i := strings.LastIndex(fn, ".gowrap")
	if i <= 0 || !digits(fn[i+len(".gowrap"):]) {
		return ""
	}
	return fn[:i]
}

// enclosing returns F of "F.func1", the first closure in F, and G.func1 of
// "G.func1.2", the second closure in that closure
// (cmd/compile/internal/ir.closureName). A closure of a package-level variable
// ("glob..func1") has no function around it. When F was inlined, its name is
// preceded by that of the function it was inlined into.
//
// The function around a closure is nearly always the one that runs it in a go
// statement; it is not when the closure is handed on and started elsewhere.
func enclosing(fn string) string {
	i := strings.LastIndexByte(fn, '.')
	if i <= 0 || i < strings.LastIndexByte(fn, '/') {
		return ""
	}
	outer, last := fn[:i], fn[i+1:]
	if n, ok := strings.CutPrefix(last, "func"); ok && digits(n) {
		pkg := strings.LastIndexByte(outer, '/') + 1
		if !strings.Contains(outer[pkg:], ".") || strings.HasSuffix(outer, ".glob.") || strings.HasSuffix(outer, ".init") {
			return ""
		}
		return outer
	}
	if digits(last) && (enclosing(outer) != "" || strings.Contains(outer, ".glob..func")) {
		return outer
	}
	return ""
}

func digits(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// soleStarter returns the only function in the standard library that starts fn in a go statement.
func soleStarter(fn string) string {
	switch fn {
	case "net/http.(*conn).serve":
		return "net/http.(*Server).Serve"
	case "net/http.(*connReader).backgroundRead":
		return "net/http.(*connReader).startBackgroundRead"
	case "net/http.(*persistConn).readLoop", "net/http.(*persistConn).writeLoop":
		return "net/http.(*Transport).dialConn"
	case "net/http.(*http2serverConn).readFrames":
		return "net/http.(*http2serverConn).serve"
	case "net/http.(*http2ClientConn).readLoop":
		return "net/http.(*http2Transport).newClientConn"
	case "net/http/internal/http2.(*serverConn).readFrames": // since Go 1.27
		return "net/http/internal/http2.(*serverConn).serve"
	case "net/http/internal/http2.(*ClientConn).readLoop":
		return "net/http/internal/http2.(*Transport).newClientConn"
	case "database/sql.(*DB).connectionOpener":
		return "database/sql.OpenDB"
	case "database/sql.(*DB).connectionCleaner":
		return "database/sql.(*DB).startCleanerLocked"
	case "os/signal.loop":
		return "os/signal.Notify.func1.1"
	case "runtime/pprof.profileWriter":
		return "runtime/pprof.StartCPUProfile"
	}
	return ""
}
