package profile

import (
	"fmt"
	"regexp"
	"strings"
)

// pruneUninteresting drops the frames selected by the producer's DropFrames and KeepFrames: a
// matching function and what it calls. Frames above the first other one, seen from the root,
// remain, so that no stack is lost. A pattern that does not compile drops nothing and gives a
// warning.
func (p *Profile) pruneUninteresting() {
	if p.DropFrames == "" {
		return
	}
	drop, err := regexp.Compile("^(" + p.DropFrames + ")$")
	if err != nil {
		p.Warnings.Add(fmt.Errorf("drop_frames %q: %w", p.DropFrames, err))
		return
	}
	var keep *regexp.Regexp
	if p.KeepFrames != "" {
		if keep, err = regexp.Compile("^(" + p.KeepFrames + ")$"); err != nil {
			p.Warnings.Add(fmt.Errorf("keep_frames %q: %w", p.KeepFrames, err))
			return
		}
	}
	dropped := make([]bool, len(p.Functions))
	any := false
	for i, fn := range p.Functions {
		if fn.Name == "" {
			continue
		}
		name := withoutArguments(fn.Name)
		dropped[i] = drop.MatchString(name) && (keep == nil || !keep.MatchString(name))
		any = any || dropped[i]
	}
	if !any {
		return
	}
	const (
		whole   = 1 // the location's outermost frame is dropped
		beneath = 2 // an inlined frame of it is
	)
	prune := make([]uint8, len(p.Locations))
	for i := range p.Locations {
		l := &p.Locations[i]
		frames := p.Frames(uint32(i))
		for j := len(frames) - 1; j >= 0; j-- {
			if fn := frames[j].Function; fn == None || !dropped[fn] {
				continue
			}
			if j == len(frames)-1 {
				prune[i] = whole
			} else {
				prune[i] = beneath
				l.First += uint32(j) + 1
				l.Num -= uint32(j) + 1
			}
			break
		}
	}
	for i := range p.stacks {
		user, stack := false, p.stack(i)
		for j := int(stack.depth) - 1; j >= 0; j-- {
			how := prune[stack.at(j)]
			if how == 0 {
				user = true
				continue
			}
			if !user {
				continue
			}
			if how == whole {
				j++
			}
			p.stacks[i] = p.stacks[i].from(j)
			break
		}
	}
}

// pruneFrom applies Query.PruneFrom to the visible frames of a view's locations.
type pruneFrom struct {
	v       *View
	matches []bool // per function
}

// newPruneFrom returns nil if there is nothing to prune.
func newPruneFrom(v *View) *pruneFrom {
	if v.q.PruneFrom == nil {
		return nil
	}
	x := &pruneFrom{v, make([]bool, len(v.p.Functions))}
	for i := range v.p.Functions {
		name := v.p.Functions[i].Name
		x.matches[i] = name != "" && v.q.PruneFrom.MatchString(withoutArguments(name))
	}
	v.pruned = make([]bool, len(v.p.Locations))
	return x
}

// location removes what is below the innermost match among the frames from first on, those of
// location i.
func (x *pruneFrom) location(i, first int) {
	if x == nil {
		return
	}
	for j := first; j < len(x.v.frames); j++ {
		if fn := x.v.p.Lines[x.v.frames[j]].Function; fn != None && x.matches[fn] {
			x.v.frames = append(x.v.frames[:first], x.v.frames[j:]...)
			x.v.pruned[i] = true
			return
		}
	}
}

// withoutArguments removes a C++ name's argument list, which begins at the first parenthesis that
// is not part of the name.
func withoutArguments(name string) string {
	name = strings.TrimPrefix(name, ".") // PPC ELF v1
	for i := 0; i < len(name); {
		j := strings.IndexByte(name[i:], '(')
		if j < 0 {
			break
		}
		j += i
		if strings.HasPrefix(name[j:], "(anonymous namespace)") {
			i = j + len("(anonymous namespace)")
			continue
		}
		if strings.HasSuffix(name[:j], "operator") && strings.HasPrefix(name[j:], "()") {
			i = j + 2
			continue
		}
		return name[:j]
	}
	return name
}
