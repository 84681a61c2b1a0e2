package history

import (
	"time"

	"github.com/whet-go/whet/bench"
)

// Schema is the schema of Report as JSON.
const Schema = "whet.bench-history/2"

// maxPoints is the number of commits of a series that are used: the newest.
const maxPoints = 2000

// A Report holds the contents of a directory of results.
type Report struct {
	Schema     string  `json:"schema"`
	Alpha      float64 `json:"alpha"`      // of the changes, at most this share is expected to be chance
	Confidence float64 `json:"confidence"` // of intervals, as a share: 0.95
	// Order is the order of the commits: OrderGit or OrderTime.
	Order    string         `json:"order"`
	Commits  []Commit       `json:"commits"` // oldest first
	Machines []Machine      `json:"machines"`
	Runs     int            `json:"runs"` // files
	Series   []Series       `json:"series"`
	Changes  []Change       `json:"changes"` // of all series, newest first
	Gate     []GateResult   `json:"gate,omitempty"`
	Warnings bench.Warnings `json:"warnings,omitempty"` // about files, with their lines
}

// Values of Report.Order.
const (
	OrderGit  = "git"         // ancestors before descendants
	OrderTime = "commit-time" // the repository does not know all commits, or there is none
)

// A Commit is a state that was measured.
type Commit struct {
	Hash    string    `json:"hash"`
	Time    time.Time `json:"time"`            // of the commit, not of the run
	Dirty   bool      `json:"dirty,omitempty"` // with uncommitted changes
	Subject string    `json:"subject,omitempty"`
}

// Short returns the abbreviated hash, with a mark if it was changed.
func (c Commit) Short() string {
	s := c.Hash[:min(len(c.Hash), shortHash)]
	if c.Dirty {
		s += "+"
	}
	return s
}

// A Machine describes where values were measured. Raw values are comparable only if it is equal.
// Unknown fields are empty.
type Machine struct {
	CPU        string `json:"cpu,omitempty"`
	GOOS       string `json:"goos,omitempty"`
	GOARCH     string `json:"goarch,omitempty"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Go         string `json:"go,omitempty"` // version
}

// A Series is a benchmark in a unit on a machine along commits.
type Series struct {
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark"` // without "Benchmark" and GOMAXPROCS
	Unit      string `json:"unit"`      // tidied: sec/op, B/op
	Better    string `json:"better,omitempty"`
	Machine   int    `json:"machine"` // index in Report.Machines
	// Base is the commit that the points are ratios to, measured at the same time; "" when they are
	// values.
	Base string `json:"base,omitempty"`
	// Linear reports whether some values are not above zero, so that differences are used instead
	// of ratios.
	Linear  bool     `json:"linear,omitempty"`
	Points  []Point  `json:"points"`            // in the order of the commits
	Changes []Change `json:"changes,omitempty"` // in the order of the commits
}

// A Point is a commit's measurements in a series.
type Point struct {
	Commit int         `json:"commit"` // index in Report.Commits
	Runs   int         `json:"runs"`   // files
	N      int         `json:"n"`      // measurements of the commit
	Center bench.Float `json:"center"` // median; of a ratio, Hodges and Lehmann's estimate
	// Low and High bound the confidence interval; infinite when there are too few
	// measurements.
	Low  bench.Float `json:"low"`
	High bench.Float `json:"high"`
	// Base is the base's median; 0 in a series of values.
	Base float64 `json:"base,omitempty"`

	exact bool // there are several measurements, all equal
}

// A Change is a lasting change of a series: one of the commits after After, up to At, introduced
// it.
type Change struct {
	Series int `json:"series"` // index in Report.Series
	After  int `json:"after"`  // index in Report.Commits: the last before the change
	At     int `json:"at"`     // the first after the change
	// From and To are medians: of the commits since the previous change, and until the next one.
	From bench.Float `json:"from"`
	To   bench.Float `json:"to"`
	// Delta is the relative change, 0.01 for 1%, with its interval, which is infinite when there
	// are too few commits. It is not finite when From is zero.
	Delta bench.Float `json:"delta"`
	Low   bench.Float `json:"low"`
	High  bench.Float `json:"high"`
	// P is the probability of such a change by chance in the segment where it was found, Q is P
	// adjusted for the number of tests.
	P float64 `json:"p"`
	Q float64 `json:"q"`
	// Verdict is better or worse, or changed when neither direction is better.
	Verdict string `json:"verdict"`
}

// Verdicts of a change.
const (
	Better  = "better"
	Worse   = "worse"
	Changed = "changed"
)

func verdict(delta float64, better string) string {
	switch {
	case better == "":
		return Changed
	case (delta < 0) == (better == bench.Lower):
		return Better
	default:
		return Worse
	}
}
