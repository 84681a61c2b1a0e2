package profile

import (
	"io"
	"iter"
)

// TEMPORARY: signatures that the engine is about to fill.

// ReadOptions bounds what Read accepts.
type ReadOptions struct {
	// MaxBytes bounds the memory that decoding may take; 0 means
	// DefaultMaxBytes of the input's size.
	MaxBytes int64
}

// Read decodes one profile: protobuf, gzipped or not, or a legacy format.
func Read(r io.Reader, opt ReadOptions) (*Profile, error) { panic("stub") }

// ReadFile is Read of a file.
func ReadFile(path string, opt ReadOptions) (*Profile, error) { panic("stub") }

// Parse is Read of bytes in memory.
func Parse(data []byte, opt ReadOptions) (*Profile, error) { panic("stub") }

// WriteTo encodes the profile as gzipped protobuf.
func (p *Profile) Write(w io.Writer) error { panic("stub") }

// Merge adds profiles with equal sample types into one; equal samples are summed.
func Merge(ps ...*Profile) (*Profile, error) { panic("stub") }

// Subtract returns p with base's samples negated. Equal samples cancel. With
// normalize, p is first scaled so that each sample type's sum equals base's.
// (pprof's -base)
func Subtract(p, base *Profile, normalize bool) (*Profile, error) { panic("stub") }

// DiffBase is Subtract, but totals (and so shares) are those of base alone, and
// equal samples do not cancel until they are aggregated (pprof's -diff_base).
func DiffBase(p, base *Profile, normalize bool) (*Profile, error) { panic("stub") }

// PackagePath returns the package path of a Go symbol ("net/http" of
// "net/http.(*conn).serve"); "" when there is none.
func PackagePath(symbol string) string { panic("stub") }

// GuessModule guesses a package's module from its path: "std" when the first
// element has no dot, the usual three elements otherwise.
func GuessModule(pkg string) string { panic("stub") }

// A View is a profile seen through a query.
type View struct{}

// View binds a query. It fails on a tag filter that does not parse or a sample type out of range.
func (p *Profile) View(q Query) (*View, error) { panic("stub") }

// Profile returns the profile that v shows.
func (v *View) Profile() *Profile { panic("stub") }

// Type returns the sample type shown.
func (v *View) Type() ValueType { panic("stub") }

// Total is the sum of |value| over all samples before filters (unless
// Query.Relative); for a DiffBase profile, of the base alone.
func (v *View) Total() int64 { panic("stub") }

// Samples is the number of samples that the filters keep.
func (v *View) Samples() int { panic("stub") }

// Node returns the node with the given id.
func (v *View) Node(id uint32) Node { panic("stub") }

// Nodes returns all nodes with flat or cum weight, heaviest flat first
// (heaviest cum first with cum).
func (v *View) Nodes(cum bool) []Weight { panic("stub") }

// Graph returns the nodes for which keep is true (nil: all) and the calls between them.
// Frames that are left out make residual edges.
func (v *View) Graph(keep func(Weight) bool) *Graph { panic("stub") }

// Own charges each sample to its innermost own frame.
func (v *View) Own(own func(fn Function) bool) *OwnReport { panic("stub") }

// Tree returns the call tree of the maxNodes heaviest nodes (0: all of them). With bottomUp,
// the root's children are leaves of stacks.
func (v *View) Tree(maxNodes int, bottomUp bool) *Tree { panic("stub") }

// Stack is one distinct stack of a view, after filters.
type Stack struct {
	Nodes  []uint32 // node ids, leaf first; valid until the next iteration
	Value  int64
	Labels []Label
	Sample int // index of the sample
}

// Stacks yields the samples that the filters keep, with their visible nodes, in file order.
func (v *View) Stacks() iter.Seq[Stack] { panic("stub") }
