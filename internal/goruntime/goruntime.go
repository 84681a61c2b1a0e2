package goruntime

import (
	"slices"
	"strings"
	"sync"
)

// A Purpose is what a stack is for that begins with a function.
type Purpose uint8

// Purposes.
const (
	NoPurpose     Purpose = iota // the function says nothing about it
	Collecting                   // the garbage collector's own goroutines
	Finalizers                   // finalizers and cleanups
	Scheduling                   // goroutine scheduling
	GrowingStacks                // stack growth
	OnSystemStack                // the runtime on the system stack
	Outside                      // code that is not Go's, or was not seen
	Starting                     // start-up of the program
	OfRuntime                    // the runtime in general
)

// A State is the state of a goroutine whose stack shows a function in front of all others that
// have one.
type State uint8

// States.
const (
	NoState State = iota // the function says nothing about it
	Waiting              // for Func.Wait; if that is "", for what its caller shows
	Running              // it takes the profile
	Syscall              // in a system call or C code
)

// A Role is a function's part in garbage collection.
type Role uint8

// Roles.
const (
	NoRole     Role = iota
	InProgram       // its callees all collect garbage, on a goroutine of the program
	Background      // it runs a goroutine of the collector
)

// A Func is what is known of a function. The zero value is an ordinary function.
type Func struct {
	Purpose Purpose
	State   State
	// Wait is what a goroutine in the state Waiting waits for, as in text dumps
	// (runtime.waitReasonStrings).
	Wait      string
	Collector Role
	// Injected means that the runtime or the kernel makes a goroutine run the function by changing
	// its program counter: the frame above it did not call it. (The runtime also injects
	// runtime.sigpanic, but as a result of what the line did.)
	Injected bool
	// Starts means that it is outside the function that a goroutine runs.
	Starts bool
}

// Functions that callers look for on a stack.
const (
	Main    = "runtime.main"        // runs the main goroutine
	Exit    = "runtime.goexit"      // is outermost on every goroutine's stack
	Panics  = "runtime.gopanic"     // calls deferred functions while a goroutine panics
	Returns = "runtime.deferreturn" // calls them when a function returns
)

// Of returns what is known of a symbol.
func Of(symbol string) Func { return byName()[symbol] }

// byName is the table.
var byName = sync.OnceValue(func() map[string]Func { //nolint:gochecknoglobals // it is built once and only read
	t := map[string]Func{}
	add := func(f Func, symbols ...string) {
		for _, s := range symbols {
			t[s] = f
		}
	}
	waiting := func(reason string, symbols ...string) { add(Func{State: Waiting, Wait: reason}, symbols...) }

	// The garbage collector.
	background := func(reason string, symbol string) {
		add(Func{Purpose: Collecting, State: stateOf(reason), Wait: reason, Collector: Background}, symbol)
	}
	background("GC worker (idle)", "runtime.gcBgMarkWorker")
	background("GC sweep wait", "runtime.bgsweep")
	background("GC scavenge wait", "runtime.bgscavenge")
	background("", "runtime._GC")
	add(Func{State: Waiting, Wait: "GC assist wait", Collector: InProgram}, "runtime.gcAssistAlloc")
	waiting("GC assist wait", "runtime.gcParkAssist")
	waiting("GC scavenge wait", "runtime.(*scavengerState).park", "runtime.(*scavengerState).sleep")
	add(Func{Collector: InProgram}, "runtime.gcStart", "runtime.gcMarkDone", "runtime.gcMarkTermination",
		"runtime.deductSweepCredit", "runtime.gcDrain", "runtime.gcDrainN", "runtime.markroot", "runtime.wbBufFlush",
		"runtime.sweepone")

	// Other goroutines of the runtime.
	add(Func{Purpose: Finalizers, State: Waiting, Wait: "finalizer wait"}, "runtime.runfinq", "runtime.runFinalizers")
	add(Func{Purpose: Finalizers, State: Waiting, Wait: "cleanup wait"}, "runtime.runCleanups")
	waiting("force gc (idle)", "runtime.forcegchelper")
	waiting("GOMAXPROCS updater (idle)", "runtime.updateMaxProcsGoroutine")
	waiting("trace reader (blocked)", "runtime.ReadTrace", "runtime.traceReader")

	// What begins a stack.
	add(Func{Purpose: Starting, Starts: true}, Main)
	add(Func{Purpose: Starting}, "runtime.doInit", "runtime.doInit1")
	add(Func{Purpose: OfRuntime, Starts: true}, Exit)
	add(Func{Purpose: OfRuntime}, "runtime.rt0_go", "runtime.asmcgocall")
	add(Func{Purpose: Scheduling}, "runtime.mcall", "runtime.mstart", "runtime.mstart0", "runtime.mstart1",
		"runtime.schedule", "runtime.park_m", "runtime.goexit0", "runtime.sysmon", "runtime.findRunnable",
		"runtime.gopreempt_m", "runtime.goschedImpl", "runtime.gosched_m")
	add(Func{Purpose: GrowingStacks}, "runtime.morestack", "runtime.newstack", "runtime.copystack")
	add(Func{Purpose: OnSystemStack}, "runtime.systemstack")
	add(Func{Purpose: Outside}, "runtime._System", "runtime._ExternalCode", "runtime._LostExternalCode",
		"runtime._LostSIGPROFDuringAtomic64", "runtime._LostContendedRuntimeLock", "runtime._VDSO")

	// Where goroutines stop.
	waiting("", "runtime.gopark", "runtime.goparkunlock", "runtime.semacquire1", "runtime.semacquire",
		"runtime.semacquireRWMutex")
	waiting("chan receive", "runtime.chanrecv", "runtime.chanrecv1", "runtime.chanrecv2")
	waiting("chan send", "runtime.chansend", "runtime.chansend1")
	waiting("select", "runtime.selectgo")
	waiting("select (no cases)", "runtime.block")
	waiting("IO wait", "runtime.netpollblock", "internal/poll.runtime_pollWait",
		"internal/poll.runtime_pollWaitCanceled")
	waiting("sleep", "time.Sleep", "runtime.timeSleep")
	waiting("sync.Cond.Wait", "sync.runtime_notifyListWait", "runtime.notifyListWait")
	waiting("sync.Mutex.Lock", "sync.runtime_SemacquireMutex", "internal/sync.runtime_SemacquireMutex")
	waiting("sync.RWMutex.RLock", "sync.runtime_SemacquireRWMutexR")
	waiting("sync.RWMutex.Lock", "sync.runtime_SemacquireRWMutex")
	waiting("sync.WaitGroup.Wait", "sync.runtime_SemacquireWaitGroup", "sync.(*WaitGroup).Wait")
	waiting("semacquire", "sync.runtime_Semacquire", "internal/poll.runtime_Semacquire")
	waiting("synctest.Run", "internal/synctest.Run")
	waiting("synctest.Wait", "internal/synctest.Wait")
	waiting("coroutine", "runtime.coroswitch", "runtime.coroswitch_m", "runtime.corostart")
	add(Func{State: Running}, "runtime.goroutineProfileWithLabels", "runtime.pprof_goroutineProfileWithLabels",
		"runtime.Stack", "runtime.goroutineLeakProfileWithLabels")
	add(Func{State: Syscall}, "syscall.Syscall", "syscall.Syscall6", "syscall.RawSyscall", "syscall.RawSyscall6",
		"syscall.syscall", "syscall.syscalln", "internal/runtime/syscall/linux.Syscall6",
		"internal/runtime/syscall.Syscall6", "runtime.cgocall", "runtime.notetsleepg", "runtime.entersyscall")

	// What interrupts any line.
	for _, symbol := range []string{
		"runtime.asyncPreempt", "runtime.asyncPreempt2", "runtime.debugCallV2", "runtime.sigtramp",
		"runtime.sigtrampgo", "runtime.sigreturn__sigaction",
	} {
		add(Func{Injected: true}, symbol, symbol+".abi0")
	}
	return t
})

func stateOf(reason string) State {
	if reason == "" {
		return NoState
	}
	return Waiting
}

// In reports whether a function is in the runtime or its internal packages, which the compiler and
// signals call implicitly.
func In(symbol string) bool {
	return strings.HasPrefix(symbol, "runtime.") || strings.HasPrefix(symbol, "internal/runtime/") ||
		strings.HasPrefix(symbol, "runtime/internal/")
}

// Sync reports whether a function is in a package on behalf of which the runtime lets goroutines
// wait for semaphores.
func Sync(symbol string) bool {
	return strings.HasPrefix(symbol, "sync.") || strings.HasPrefix(symbol, "internal/sync.") ||
		strings.HasPrefix(symbol, "internal/poll.")
}

// Standard reports whether a function is in the standard library: its package's path has no dot
// before the first slash, and is not main.
func Standard(symbol string) bool {
	first, _, slash := strings.Cut(symbol, "/")
	if !slash {
		first, _, _ = strings.Cut(symbol, ".")
	}
	return !strings.Contains(first, ".") && first != "main"
}

// Virtual reports whether a name is invented by the runtime's profiler.
func Virtual(symbol string) bool { return strings.HasPrefix(symbol, "runtime._") }

// ForCollector reports whether a goroutine that waits in a function waits for the garbage
// collector.
func ForCollector(symbol string) bool {
	return strings.HasPrefix(symbol, "runtime.gc") || strings.HasPrefix(symbol, "runtime.GC")
}

// Collectors returns the functions whose callees are all garbage collection, in order: marking by
// the collector's goroutines and by those that allocate (assists), flushing of write barriers,
// sweeping, and returning memory to the operating system.
func Collectors() []string {
	var all []string
	for symbol, f := range byName() {
		if f.Collector != NoRole {
			all = append(all, symbol)
		}
	}
	slices.Sort(all)
	return all
}
