package diagnosis

import (
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
)

// A class gives functions whose names begin with one of several prefixes a kind of cost.
type class struct {
	kind     Kind
	prefixes []string
}

// mechanisms are functions of the runtime and of package sync. The first match decides.
var mechanisms = [...]class{
	{MapGrowth, []string{
		"runtime.hashGrow", "runtime.growWork", "runtime.evacuate", "runtime.makemap",
		"internal/runtime/maps.(*table).grow", "internal/runtime/maps.(*table).rehash",
		"internal/runtime/maps.(*table).split", "internal/runtime/maps.(*Map).growTo",
		"internal/runtime/maps.newTable", "internal/runtime/maps.newarray", "internal/runtime/maps.newGroups",
		"internal/runtime/maps.NewMap", "internal/runtime/maps.NewEmptyMap",
	}},
	{MapAccess, []string{
		"runtime.mapaccess", "runtime.mapassign", "runtime.mapdelete", "runtime.mapclear", "runtime.mapiter",
		"runtime.mapIter", "runtime.mapLoop", "internal/runtime/maps.", "runtime.aeshash", "runtime.memhash",
		"runtime.strhash", "runtime.interhash", "runtime.nilinterhash", "runtime.typehash", "aeshashbody",
	}},
	{SliceGrowth, []string{"runtime.growslice", "runtime.nextslicecap", "runtime.moveSlice", "slices.Grow"}},
	{Interface, []string{
		"runtime.convT", "runtime.convI", "runtime.assertE2", "runtime.assertI2", "runtime.typeAssert",
		"runtime.getitab", "runtime.interfaceSwitch", "runtime.efaceeq", "runtime.ifaceeq",
		"runtime.panicdottype",
	}},
	{Conversion, []string{
		"runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring",
		"runtime.intstring", "runtime.rawstring", "runtime.rawbyteslice", "runtime.rawruneslice",
		"runtime.decoderune", "runtime.encoderune", "runtime.countrunes", "runtime.bytealg_MakeNoZero",
	}},
	{Concatenation, []string{"runtime.concatstring", "runtime.concatbyte"}},
	{Copying, []string{
		"runtime.memmove", "runtime.memclr", "runtime.duffcopy", "runtime.duffzero", "runtime.typedmemmove",
		"runtime.typedslicecopy", "runtime.slicecopy", "runtime.wbMove", "runtime.wbZero",
		"runtime.bulkBarrier", "runtime.typedmemclr", "runtime.reflect_typedmemmove",
		"runtime.reflect_typedslicecopy",
	}},
	{Comparison, []string{
		"runtime.memequal", "runtime.cmpstring", "runtime.strequal", "runtime.interequal",
		"runtime.nilinterequal", "memeqbody", "cmpbody", "internal/bytealg.Compare", "internal/bytealg.Equal",
	}},
	{Channel, []string{
		"runtime.chan", "runtime.selectgo", "runtime.selectnb", "runtime.makechan", "runtime.closechan",
		"runtime.send", "runtime.recv", "runtime.sellock", "runtime.block",
	}},
	{Scheduling, []string{
		"runtime.newproc", "runtime.gopark", "runtime.goready", "runtime.ready", "runtime.mcall",
		"runtime.schedule", "runtime.park_m", "runtime.findRunnable", "runtime.Gosched", "runtime.gosched",
		"runtime.goexit", "runtime.wakep", "runtime.startm", "runtime.stopm", "runtime.LockOSThread",
		"runtime.UnlockOSThread", "runtime.coro", "iter.Pull",
	}},
	{Lock, []string{
		"runtime.lock", "runtime.unlock", "runtime.semacquire", "runtime.semrelease", "runtime.futex",
		"runtime._LostContendedRuntimeLock", "sync.runtime_Semacquire", "sync.runtime_Semrelease",
		"internal/sync.runtime_Sem", "internal/sync.(*Mutex)", "sync.(*Mutex)", "sync.(*RWMutex)",
		"sync.(*rlocker)", "internal/poll.(*fdMutex)",
	}},
	{Wait, []string{
		"sync.(*WaitGroup)", "sync.(*Cond)", "sync.runtime_notifyList", "golang.org/x/sync/errgroup.",
		"golang.org/x/sync/semaphore.",
	}},
	{Pool, []string{"sync.(*Pool)", "sync.(*pool", "sync.runtime_procPin", "sync.runtime_procUnpin"}},
	{MapAccess, []string{"sync.(*Map)", "internal/sync.(*HashTrieMap"}},
	{Atomic, []string{"sync/atomic.", "internal/runtime/atomic.", "runtime/internal/atomic."}},
	{Clock, []string{
		"time.now", "time.Now", "time.Since", "time.Until", "time.runtimeNano", "time.(*Timer)",
		"time.(*Ticker)", "time.NewTimer", "time.NewTicker", "time.After", "time.Tick", "time.Sleep",
		"time.newTimer", "time.stopTimer", "time.resetTimer", "runtime.nanotime", "runtime.walltime",
		"runtime._VDSO", "runtime.(*timer", "time.LoadLocation",
	}},
	{Cgo, []string{"runtime.cgocall", "runtime.asmcgocall", "runtime.cgoCheck", "runtime._ExternalCode"}},
	{Panic, []string{
		"runtime.defer", "runtime.gopanic", "runtime.gorecover", "runtime.panic", "runtime.Callers",
		"runtime.Caller", "runtime.callers", "runtime.sigpanic", "runtime.(*unwinder)",
	}},
	{StackGrowth, []string{"runtime.morestack", "runtime.newstack", "runtime.copystack"}},
	{Collection, []string{
		"runtime.GC", "runtime.gc", "runtime.scan", "runtime.greyobject", "runtime.mark", "runtime.sweep",
		"runtime.bgsweep", "runtime.wbBuf", "runtime.deductSweepCredit", "runtime.deductAssistCredit",
		"runtime.tryDeferToSpanScan", "runtime/debug.FreeOSMemory",
	}},
	{StoppedWorld, []string{
		"runtime.ReadMemStats", "runtime.readmemstats", "runtime.stopTheWorld", "runtime.startTheWorld",
		"runtime.GoroutineProfile", "runtime.goroutineProfile", "runtime.pprof_goroutineProfile",
	}},
	{Allocation, []string{
		"runtime.mallocgc", "runtime.newobject", "runtime.newarray", "runtime.makeslice", "runtime.malloc",
		"runtime.(*mcache)", "runtime.(*mcentral)", "runtime.(*mheap)", "runtime.nextFreeFast",
		"runtime.heapSetType", "runtime.publicationBarrier",
	}},
	{SystemCall, []string{
		"runtime.entersyscall", "runtime.exitsyscall", "syscall.", "internal/runtime/syscall",
		"runtime/internal/syscall", "internal/syscall/", "golang.org/x/sys/", "runtime.read",
		"runtime.write1", "runtime.madvise", "runtime.mmap",
	}},
}

// packages are the packages whose functions have one kind of cost, by path; one that ends in a
// slash includes those below it. The first match decides.
var packages = [...]class{
	{Regexp, []string{"regexp", "regexp/"}},
	{Reflection, []string{"reflect", "internal/reflectlite", "internal/fmtsort"}},
	{Logging, []string{
		"log", "log/", "go.uber.org/zap", "go.uber.org/zap/", "github.com/rs/zerolog",
		"github.com/sirupsen/logrus", "github.com/go-kit/log", "k8s.io/klog/v2",
	}},
	{Formatting, []string{"fmt"}},
	{Conversion, []string{"strconv", "internal/strconv"}},
	{Text, []string{
		"strings", "bytes", "unicode", "unicode/", "internal/stringslite", "internal/bytealg", "text/scanner",
		"text/tabwriter", "path", "path/filepath", "internal/filepathlite", "golang.org/x/text/", "mime",
		"unique",
	}},
	{Sorting, []string{"sort", "container/heap"}},
	{Hashing, []string{
		"hash", "hash/", "crypto/sha1", "crypto/sha256", "crypto/sha512", "crypto/sha3", "crypto/md5",
		"crypto/hmac", "crypto/internal/fips140/sha256", "crypto/internal/fips140/sha512",
		"crypto/internal/fips140/sha3", "crypto/internal/fips140/hmac", "golang.org/x/crypto/blake2b",
		"golang.org/x/crypto/sha3", "github.com/cespare/xxhash", "github.com/cespare/xxhash/",
		"github.com/zeebo/xxh3", "github.com/twmb/murmur3",
	}},
	{Random, []string{
		"math/rand", "math/rand/", "crypto/rand", "internal/chacha8rand", "crypto/internal/sysrand",
	}},
	{Encryption, []string{"crypto", "crypto/", "golang.org/x/crypto/"}},
	{Encoding, []string{
		"encoding", "encoding/", "image/", "google.golang.org/protobuf/", "github.com/gogo/protobuf/",
		"gopkg.in/yaml.v2", "gopkg.in/yaml.v3", "go.yaml.in/yaml/", "github.com/json-iterator/go",
		"github.com/goccy/go-json", "github.com/goccy/go-json/", "github.com/segmentio/encoding/",
		"github.com/bytedance/sonic", "github.com/bytedance/sonic/", "github.com/vmihailenco/msgpack/",
		"github.com/BurntSushi/toml", "archive/", "mime/", "github.com/fxamacker/cbor/",
		"golang.org/x/net/html", "internal/saferio",
	}},
	{Compression, []string{
		"compress/", "github.com/klauspost/compress/", "github.com/andybalholm/brotli",
		"github.com/golang/snappy",
	}},
	{Template, []string{"text/template", "text/template/", "html/template", "html"}},
	{Database, []string{
		"database/sql", "database/sql/", "github.com/jackc/pgx/", "github.com/lib/pq",
		"github.com/go-sql-driver/mysql", "modernc.org/sqlite", "modernc.org/sqlite/",
		"github.com/mattn/go-sqlite3", "go.mongodb.org/mongo-driver/", "github.com/redis/go-redis/",
		"go.etcd.io/bbolt",
	}},
	{Math, []string{"math", "math/big", "math/bits", "math/cmplx"}},
	{Source, []string{"go/", "golang.org/x/tools/", "cmd/"}},
	{HTTP, []string{
		"net/http", "net/http/", "golang.org/x/net/http2", "golang.org/x/net/http2/", "net/textproto",
		"net/url",
	}},
	{Network, []string{"net", "net/", "internal/poll"}},
	{Files, []string{"os", "os/", "io/fs", "io/ioutil", "internal/testlog"}},
	{Streams, []string{"bufio", "io"}},
	{Context, []string{"context"}},
}

// exceptions are functions whose kind is not that of their package. The first match decides.
var exceptions = [...]class{
	// What they call decides: writing to a buffer is growth or copying.
	{Streams, []string{
		"strings.(*Builder)", "strings.(*Reader)", "bytes.(*Buffer)", "bytes.(*Reader)", "bytes.growSlice",
		"strings.NewReader", "bytes.NewBuffer", "bytes.NewReader", "internal/poll.(*FD).Write",
		"internal/poll.(*FD).Read",
	}},
	{Sorting, []string{
		"slices.Sort", "slices.pdq", "slices.insertionSort", "slices.heapSort", "slices.siftDown",
		"slices.stable", "slices.symMerge", "slices.partition", "slices.choosePivot", "slices.BinarySearch",
		"slices.median", "slices.breakPatterns",
	}},
	{SliceGrowth, []string{"slices.Insert", "slices.AppendSeq", "slices.Collect"}},
	{Copying, []string{
		"slices.Clone", "slices.Concat", "bytes.Clone", "strings.Clone", "maps.Clone", "maps.Copy",
	}},
	{Formatting, []string{
		"time.Time.Format", "time.Time.AppendFormat", "time.Time.String", "time.Time.appendFormat",
		"time.Parse", "time.parse", "time.Duration.String", "time.Time.MarshalJSON",
		"time.Time.appendStrictRFC3339",
	}},
	{SystemCall, []string{"os.Getpid", "os.Hostname", "os.Stat", "os.Lstat"}},
	// A handler reads the values of an entry; what writes entries is around it.
	{Interface, []string{"log/slog.Value.Any", "log/slog.AnyValue"}},
	{Database, []string{"database/sql."}},
	{Hashing, []string{"hash/maphash."}},
}

// Class returns the kind of cost of a function, by its full name as profiles have it. The zero name
// has no kind.
func Class(function string) Kind {
	if function == "" {
		return ""
	}
	for _, c := range exceptions {
		if hasPrefix(function, c.prefixes) {
			return c.kind
		}
	}
	for _, c := range mechanisms {
		if hasPrefix(function, c.prefixes) {
			return c.kind
		}
	}
	path := packageOf(function)
	for _, c := range packages {
		for _, p := range c.prefixes {
			if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
				return c.kind
			}
		}
	}
	switch {
	case goruntime.In(function):
		return Runtime
	case goruntime.Standard(function):
		return Library
	}
	return Dependency
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// packageOf returns the path of a function's package.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // type arguments have paths, too
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + strings.ReplaceAll(name, "%2e", ".")
}
