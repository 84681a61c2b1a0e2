package goroutines

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
)

// canonical removes the runtime's frames from a stack: those at the leaf, where a profile shows how
// the goroutine parked and a dump does not, and runtime.main, runtime.goexit and the compiler's
// wrapper of the go statement at the root. A stack of runtime frames only is returned unchanged.
// The result aliases stack.
func canonical(stack []Frame) []Frame {
	end := len(stack)
	for end > 0 {
		f := stack[end-1].Func
		if !goruntime.Of(f).Starts && wrapped(f) == "" {
			break
		}
		end--
	}
	start := 0
	for start < end && goruntime.In(stack[start].Func) {
		start++
	}
	if start == end {
		return stack
	}
	return stack[start:end]
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
		f := goruntime.Of(fn)
		switch {
		case f.State == goruntime.Waiting && f.Wait != "":
			return f.Wait, EvidenceStack
		case f.State == goruntime.Waiting:
			parked = true // its caller shows what for
			continue
		case f.State == goruntime.Running:
			return "running", EvidenceStack
		case f.State == goruntime.Syscall:
			return "syscall", EvidenceStack
		}
		if !goruntime.In(fn) {
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

// blockedOnOthers reports whether a goroutine with this wait reason is woken only by another
// goroutine of its program: not by the network, a timer or the scheduler. That is how leaked
// goroutines look.
func blockedOnOthers(reason string) bool {
	switch reason {
	case "chan receive", "chan send", "select", "sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.Lock",
		"sync.RWMutex.RLock", "sync.WaitGroup.Wait", "semacquire":
		return true
	}
	return blockedForever(reason)
}

// blockedForever reports whether nothing can end a wait with this reason.
func blockedForever(reason string) bool {
	switch reason {
	case "chan receive (nil chan)", "chan send (nil chan)", "select (no cases)":
		return true
	}
	return false
}

// creatorOf derives the creator of a goroutine from its outermost frame, if possible.
func creatorOf(stack []Frame) Creator {
	end := len(stack)
	for end > 0 && stack[end-1].Func == goruntime.Exit {
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

// enclosing returns F of "F.func1", the first closure in F, and G.func1 of "G.func1.2", the second
// closure in that closure (cmd/compile/internal/ir.closureName). A closure of a package-level
// variable ("glob..func1") has no enclosing function. If F was inlined, its name follows that of
// the function it was inlined into.
//
// The enclosing function of a closure is nearly always the one that runs it in a go statement. The
// exception is a closure that is passed on and started elsewhere.
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
