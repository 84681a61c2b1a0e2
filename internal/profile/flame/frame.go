package flame

import (
	"fmt"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
)

// A Kind is the origin of a frame's code. The zero kind means unknown.
type Kind uint8

// MaxNodes is the number of nodes per tree that a page can draw well: more than any screen shows at
// once, few enough to redraw within a frame.
const MaxNodes = 60_000

// The kinds of frames.
const (
	Unknown    Kind = iota // not Go, not symbolized, or unknown
	Own                    // the user's own code
	Std                    // the standard library and the runtime
	Dependency             // other modules
)

// String returns the name of the kind: own, std, dep; "" for Unknown.
func (k Kind) String() string { return [...]string{Own: "own", Std: "std", Dependency: "dep"}[k] }

// MarshalText encodes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText decodes the name of a kind; other text is Unknown.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Unknown
	for _, kind := range []Kind{Own, Std, Dependency} {
		if kind.String() == string(text) {
			*k = kind
		}
	}
	return nil
}

// A Frame is the page's data about one node of a view. Strings may have any bytes: unprintable
// ones are escaped.
type Frame struct {
	Name    string
	Package string // "" if there is none
	File    string // "" if unknown
	Line    int    // 0 if unknown
	Kind    Kind
}

// NewFrame returns the frame of a view's node. Its name includes the line or address if the
// view distinguishes them. A node without a name gets that of NodeName.
func NewFrame(n profile.Node, kind Kind) Frame {
	f := Frame{Name: n.Name, File: n.File, Line: n.Line, Kind: kind}
	if n.Name == "" {
		f.Name = nodes.Name(n, profile.ByLine)
		return f
	}
	f.Package = profile.PackagePath(n.Name)
	if n.Line != 0 {
		f.Name = fmt.Sprintf("%s:%d", n.Name, n.Line)
	}
	if n.Address != 0 {
		f.Name += fmt.Sprintf(" %#x", n.Address)
	}
	return f
}

// A View is one tree of a page: one sample type.
type View struct {
	Type profile.ValueType
	// Total is 100% for shares, View.Total. 0 means the tree's own sum.
	Total int64
	// Tree is top-down, with at most MaxNodes nodes for a responsive page.
	Tree *profile.Tree
	// Weights are the costs of whole functions, View.Nodes, for the page's table and details.
	// Without them the page sums the tree, which lacks nodes too light for it.
	Weights []profile.Weight
	// Frame describes the node with the given id. The page treats ids with equal frames as the same
	// function.
	Frame func(id uint32) Frame
	// Ordered is set if the children of a node are in the order of time, not by weight.
	Ordered bool
}
