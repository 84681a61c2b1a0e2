package profile

import (
	"fmt"
	"regexp"
	"strings"
)

// By is a granularity: what one node of a view represents.
type By uint8

// The granularities.
const (
	ByFunction By = iota // function name
	ByLine               // function, file and line
	ByFile               // source file
	ByPackage            // Go package path
	ByModule             // Go module path, "std" for the standard library
	ByAddress            // machine address
	ByLabel              // value of the label Query.LabelKey
)

var byNames = [...]string{"function", "line", "file", "package", "module", "address", "label"}

// String returns the name of the granularity, as ParseBy accepts it; for labels "label".
func (b By) String() string {
	if int(b) < len(byNames) {
		return byNames[b]
	}
	return fmt.Sprintf("By(%d)", uint8(b))
}

// ParseBy parses the value of --by: a granularity's name or "label:KEY", for which it also returns
// KEY.
func ParseBy(s string) (By, string, error) {
	if key, ok := strings.CutPrefix(s, "label:"); ok && key != "" {
		return ByLabel, key, nil
	}
	for i, n := range byNames {
		if n == s && By(i) != ByLabel {
			return By(i), "", nil
		}
	}
	return 0, "", fmt.Errorf("unknown granularity %q "+
		"(want function, line, file, package, module, address or label:KEY)", s)
}

// A Query selects what a view shows of a profile and how it is grouped. The zero Query selects
// every sample, with the default sample type, by function. The filters have the meaning of the go
// tool pprof options with the same names.
type Query struct {
	// Type is the index of the sample type; use Profile.TypeIndex to find it by
	// name. Negative means the profile's default.
	Type int

	By       By
	LabelKey string // for ByLabel

	Focus    *regexp.Regexp // keep samples with a matching frame
	Ignore   *regexp.Regexp // drop samples with a matching frame
	Hide     *regexp.Regexp // drop matching frames
	Show     *regexp.Regexp // keep only matching frames
	ShowFrom *regexp.Regexp // drop frames above the outermost match, and samples without one
	// PruneFrom drops frames below the innermost match, which remains. It is applied last.
	PruneFrom *regexp.Regexp

	// Mean divides sums by the sums of the first sample type of the same samples, as in
	// the mean delay of a contention. View.Nodes, View.Graph and View.Total are means.
	Mean bool

	TagFocus  string // see TagFilter
	TagIgnore string

	NoInlines bool // charge inlined calls to the function they were inlined into

	// Relative makes View.Total count only what the filters keep.
	Relative bool

	// ModuleOf maps a package path to its module, for ByModule. Nil guesses
	// from the path (see GuessModule).
	ModuleOf func(pkg string) string

	// Canceled, if not nil, is called now and then while samples are added up: when it returns an error, such as that of
	// a context, the sums are not complete, and the caller drops them. It is for views that are used for one request.
	Canceled func() error
}

// A Node is what a view groups frames by. Fields that do not matter for the granularity are zero:
// under ByFunction only Name is set (and File, the file of the first function of that name), under
// ByFile only File, and so on.
type Node struct {
	Name    string // function, package, module or label value; "" if not symbolized
	File    string
	Line    int
	Address uint64
	Object  string // mapped file, if there is no name
}

// A Weight is a node with its cost.
type Weight struct {
	Node
	ID   uint32 // for View.Node
	Flat int64  // the node itself is innermost
	Cum  int64  // the node is anywhere on the stack, counted once per sample
}

// An Edge is a call between two nodes. Weight counts a sample once.
type Edge struct {
	From, To uint32 // node ids (caller, callee)
	Weight   int64
	Inlined  bool // all its calls are inlined
	Residual bool // at least one node between the two is left out
}

// A Graph is a call graph of some nodes.
type Graph struct {
	Nodes []Weight // heaviest cum first
	Edges []Edge   // From and To are indices into Nodes; heaviest first
}

// An OwnLine is a line of the user's own code with the cost of all samples in
// which it is the innermost own frame.
type OwnLine struct {
	Function string
	File     string
	Line     int
	Self     int64       // part of Cost spent in the line itself
	Cost     int64       // everything charged to the line
	Callees  []OwnCallee // what the line called, heaviest first; without Self
}

// An OwnCallee is a function called directly by an own line.
type OwnCallee struct {
	Function string
	Cost     int64
}

// An OwnReport is the own-code view of a profile.
type OwnReport struct {
	Lines []OwnLine // heaviest first
	// None has the samples without an own frame, by outermost frame (runtime.gcBgMarkWorker,
	// net/http.(*conn).serve, …), heaviest first.
	None []OwnCallee
	Own  int64 // sum over Lines
	Rest int64 // sum over None
}

// A TreeNode is one node of a call tree in which equal stacks share their
// prefix. Children follow their parent in Tree.Nodes.
type TreeNode struct {
	Node   uint32 // id for View.Node; meaningless for the root (index 0) and when Rest is set
	Parent uint32 // index in Tree.Nodes; 0 for the root itself
	Self   int64
	Total  int64 // Self plus the Totals of all children, Rest ones included
	Rest   int32 // > 0: represents this many sibling subtrees, left out to limit the size
}

// A Tree is a call tree pruned to its heaviest nodes.
type Tree struct {
	Nodes []TreeNode // preorder; [0] is the root
}
