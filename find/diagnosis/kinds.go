package diagnosis

// A Kind is a kind of cost. The zero value is none.
type Kind string

// Kinds of cost.
const (
	Formatting    Kind = "formatting"
	Regexp        Kind = "regexp"
	Reflection    Kind = "reflection"
	Conversion    Kind = "conversion" // between strings, bytes and numbers
	Concatenation Kind = "string concatenation"
	Text          Kind = "text processing" // packages strings, bytes and unicode
	MapAccess     Kind = "map access"
	MapGrowth     Kind = "map growth"
	SliceGrowth   Kind = "slice growth"
	Interface     Kind = "interface conversion"
	Escape        Kind = "escape to the heap"
	Allocation    Kind = "allocation" // without a note that says why
	Copying       Kind = "copying"    // of memory, or clearing it
	Comparison    Kind = "comparison" // of strings and memory
	Sorting       Kind = "sorting"
	Hashing       Kind = "hashing"
	Encryption    Kind = "encryption"
	Encoding      Kind = "encoding"
	Compression   Kind = "compression"
	Template      Kind = "template"
	Logging       Kind = "logging"
	Database      Kind = "database"
	HTTP          Kind = "HTTP"
	Network       Kind = "network"
	Files         Kind = "files"
	SystemCall    Kind = "system calls"
	Streams       Kind = "buffered I/O" // readers and writers, without what they do
	Lock          Kind = "lock"
	Channel       Kind = "channel"
	Wait          Kind = "wait for goroutines"
	Scheduling    Kind = "scheduling"
	Pool          Kind = "sync.Pool"
	Atomic        Kind = "atomic operations"
	Clock         Kind = "clock and timers"
	Context       Kind = "context"
	Random        Kind = "random numbers"
	Math          Kind = "math"
	Source        Kind = "Go source" // parsing and printing it
	Cgo           Kind = "C code"
	Panic         Kind = "panic" // and defer
	StackGrowth   Kind = "stack growth"
	Collection    Kind = "garbage collection"
	StoppedWorld  Kind = "stopped program"  // all goroutines stop for what a function reads or sets
	Runtime       Kind = "runtime"          // what no other kind is about
	Library       Kind = "standard library" // what no other kind is about
	Dependency    Kind = "dependency"       // instructions of another module
	Own           Kind = "own instructions"
)

// A rank orders kinds on a stack.
type rank int

// Ranks. A function with a higher one than what it calls, or the same one, decides the kind.
const (
	unknown   rank = iota
	elsewhere      // the code of a package about which nothing is known
	carrier        // passes work on: its kind is that of what it calls
	mechanism      // what the runtime does for a statement
	purpose        // says what the work is for
)

func (k Kind) rank() rank {
	switch k {
	case "":
		return unknown
	case Dependency, Library, Runtime:
		return elsewhere
	case Streams, Context, Files, Network:
		return carrier
	case MapAccess, MapGrowth, SliceGrowth, Interface, Conversion, Concatenation, Escape, Allocation, Copying, Comparison,
		Channel, Scheduling, Panic, StackGrowth, Collection, Own, SystemCall, Lock, Atomic, Cgo:
		return mechanism
	default:
		return purpose
	}
}

// Around returns the kind of a call of a function of kind k that spends its time in something of
// kind inner. Either may be "".
func (k Kind) Around(inner Kind) Kind {
	switch {
	case k == MapAccess && inner == MapGrowth: // an assignment makes the map grow
		return inner
	case k.rank() >= inner.rank():
		return k
	}
	return inner
}

// A cause describes a kind of cost.
type cause struct {
	kind Kind
	what string   // the line does, as a sentence without a full stop
	rule []string // the rules that are about it
	why  string   // there is no rewrite when these do not match, or when there are none: a clause
}

// causes are the kinds with what is known about them.
var causes = [...]cause{
	{
		Formatting, "it formats or parses values at run time by a format, a layout or their types",
		[]string{"sprintf", "appendform", "logline", "textbuild", "timeloop"},
		"they need a constant format and operands whose types print the same without package fmt",
	},
	{
		Regexp, "it compiles or matches a regular expression",
		[]string{"regexpsimple", "percall"},
		"they need a constant expression that is a comparison or a loop, or one compiled on each call",
	},
	{
		Reflection, "it handles values through reflection",
		[]string{"reflection", "sortslice"},
		"they need a static type that the code knows",
	},
	{
		Conversion, "it converts between strings, bytes and numbers",
		[]string{"convert", "appendform", "marshal"},
		"they need a use of the result that takes the original form, and no change of the bytes in between",
	},
	{
		Concatenation, "it joins strings, and copies each part into a new one",
		[]string{"concat", "textbuild", "appendform"},
		"they need a loop or several steps that build one string; a single join allocates its result once",
	},
	{
		Text, "it searches, splits or rewrites text",
		[]string{"split", "textbuild", "textarena", "percall", "repeated"},
		"they need parts or a copy that the code does not keep, or a table built on each call",
	},
	{
		MapAccess, "it hashes a key and searches a map, or iterates over one",
		[]string{"maptwice"},
		"it needs two accesses of the same key with nothing between them that may change the map",
	},
	{
		MapGrowth, "it adds keys to a map that has to grow and move its entries",
		[]string{"capacity"},
		"it needs a size that is known before the loop",
	},
	{
		SliceGrowth, "it appends to a slice that has to grow and be copied",
		[]string{"capacity", "textarena"},
		"they need a size that is known before the loop, and a slice that begins empty",
	},
	{
		Interface, "it puts a value into an interface, or takes one out",
		[]string{"boxing"},
		"it needs a value that can be passed as a pointer, or one that stays the same from call to call",
	},
	{
		Escape, "it makes a value that escapes to the heap",
		[]string{"pool", "percall", "repeated", "hashsum", "capacity"},
		"they need a value that is the same on each call, or a size that is known; to keep a value on the stack is a " +
			"change of the functions that retain it",
	},
	{
		Allocation, "it allocates memory",
		[]string{"capacity", "pool", "repeated", "percall"},
		"they need a value that is the same on each call, or a size that is known",
	},
	{
		Copying, "it copies or clears memory",
		[]string{"copylarge", "marshal", "readall"},
		"they need a copy that nothing changes or keeps",
	},
	{Comparison, "it compares strings or memory", nil, "the cost is the number of bytes compared"},
	{
		Sorting, "it sorts or searches",
		[]string{"sortslice"},
		"it needs a sort through reflection or an interface; the rest is the number of elements and comparisons",
	},
	{
		Hashing, "it computes a hash",
		[]string{"hashsum", "repeated"},
		"they need a digest, encoding or input that is allocated, or the same input; the hash itself is the algorithm's cost",
	},
	{Encryption, "it encrypts, signs or verifies", nil, "the cost is the algorithm's, and a choice of design"},
	{
		Encoding, "it encodes or decodes data",
		[]string{"jsoncodec", "marshal", "readall", "reflection"},
		"they need encoding/json or encoding/binary with types that another codec handles the same way",
	},
	{Compression, "it compresses or decompresses", nil, "the cost is the algorithm's, its level and the amount of data"},
	{
		Template, "it parses or executes a template",
		[]string{"percall", "rerender"},
		"they need a template parsed from a constant on each call, or a page of the same input",
	},
	{
		Logging, "it writes log entries",
		[]string{"logline", "unbuffered", "earlyreturn"},
		"they need a constant format and a writer that the code opens itself",
	},
	{
		Database, "it waits for or works in a database driver", nil,
		"the number of queries and their form are a matter of design",
	},
	{
		HTTP, "it sends, serves or parses HTTP",
		[]string{"httpclient", "urlquery"},
		"they need a client or transport made on each call, or a query parsed twice",
	},
	{
		Network, "it sends, receives or connects",
		[]string{"unbuffered", "metricpackets", "httpclient"},
		"they need small writes to a connection that the code opens itself",
	},
	{
		Files, "it opens, reads or writes files",
		[]string{"unbuffered", "asked"},
		"they need small reads or writes of a file that the code opens itself",
	},
	{
		SystemCall, "it calls the operating system",
		[]string{"unbuffered", "asked", "metricpackets"},
		"they need small reads or writes of a file or connection that the code opens itself, or an unchanging answer",
	},
	{
		Streams, "it reads or writes through buffers",
		[]string{"unbuffered", "readall"},
		"they need small pieces, or a body of known length",
	},
	{
		Lock, "it takes or releases a lock that others wait for",
		[]string{"locks", "falsesharing"},
		"they need a wait, formatting or encoding while the lock is held; to share less is a matter of design",
	},
	{Channel, "it sends, receives or selects on channels", nil, "how goroutines exchange work is a matter of design"},
	{Wait, "it waits for other goroutines", nil, "the cost is that of the work waited for"},
	{
		Scheduling, "it starts, parks or wakes goroutines",
		[]string{"tinygoroutine", "timeloop"},
		"they need a loop that starts a goroutine for each item, or a timer in each iteration",
	},
	{
		Pool, "it takes values from a sync.Pool or returns them",
		[]string{"pool"},
		"it needs a pool of values that are small, unbounded or used after they are returned",
	},
	{
		Atomic, "it uses atomic operations, which wait for other CPUs that write the same memory",
		[]string{"falsesharing"},
		"it needs neighboring variables that several goroutines write",
	},
	{
		Clock, "it reads the clock or handles timers",
		[]string{"timeloop", "asked"},
		"they need a clock read or a timer in each iteration of a loop",
	},
	{Context, "it makes or searches a context", nil, "what a context carries is a matter of design"},
	{Random, "it generates random numbers", nil, "which generator is safe depends on what the numbers are for"},
	{Math, "it computes in a math package", nil, "the cost is the algorithm's"},
	{Source, "it parses, checks or prints Go source", nil, "the cost is the amount of source"},
	{
		Cgo, "it calls C code, which Go profiles do not see into", nil,
		"fewer calls with more work each are a matter of design",
	},
	{
		Panic, "it defers calls, panics or recovers",
		[]string{"deferloop"},
		"it needs a deferred call in a loop",
	},
	{StackGrowth, "it makes the goroutine's stack grow", []string{"tinygoroutine"}, "it needs a goroutine for each item"},
	{
		Collection, "it collects garbage for what goroutines allocate",
		[]string{"gogc"},
		"it needs a small heap; the other way is to allocate less on the lines with allocated bytes",
	},
	{
		StoppedWorld, "it stops all goroutines of the program, to read or set what the runtime knows of them", nil,
		"runtime/metrics reads most of runtime.MemStats without a stop; otherwise call it less often",
	},
	{Runtime, "it spends its time in the Go runtime", nil, "the functions that it calls there have no cheaper form"},
	{Library, "it spends its time in the standard library", nil, "the functions that it calls have no known cheaper form"},
	{
		Dependency, "it spends its time in instructions of a dependency",
		[]string{"toolchain"},
		"a change of the dependency is needed, or fewer calls of it",
	},
	{
		Own, "it spends its time in the line's own instructions",
		[]string{"copylarge", "earlyreturn", "repeated", "pgo", "goamd64"},
		"they need a known pattern; otherwise only fewer executions, a better algorithm or layout of data save it",
	},
}

// known returns what is known about a kind.
func known(k Kind) cause {
	for _, c := range causes {
		if c.kind == k {
			return c
		}
	}
	return cause{kind: k}
}

// Kinds returns all kinds of cost.
func Kinds() []Kind {
	all := make([]Kind, 0, len(causes))
	for _, c := range causes {
		all = append(all, c.kind)
	}
	return all
}
