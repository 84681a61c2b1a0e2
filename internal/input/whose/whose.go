package whose

import (
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// Kinds returns a function that says whose code a frame on a trace's stacks is: own, std or dep. It may be called
// concurrently. It is nil if own is nil: then that is unknown.
func Kinds(x *index.Index, own func(stacks.Frame) bool) func(stacks.Frame) string {
	if own == nil {
		return nil
	}
	kinds := map[[2]string]string{} // by function and file
	for _, f := range x.Frames() {
		key := [2]string{f.Func, f.File}
		if _, ok := kinds[key]; ok {
			continue
		}
		switch {
		case own(f):
			kinds[key] = "own"
		case profile.IsStd(profile.PackagePath(f.Func)):
			kinds[key] = "std"
		default:
			kinds[key] = "dep"
		}
	}
	return func(f stacks.Frame) string { return kinds[[2]string{f.Func, f.File}] }
}
