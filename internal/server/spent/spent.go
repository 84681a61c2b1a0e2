package spent

import (
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/profile"
)

// A Class is whose code a sample's cost is spent in.
type Class uint8

const (
	own Class = iota
	dependency
	standard
	collector
	scheduler
	systemCall
	inRuntime
	other
	// NumClasses is the number of classes.
	NumClasses
)

// String returns the name of a class in answers.
func (c Class) String() string {
	return [...]string{"own", "dep", "std", "gc", "scheduler", "syscall", "runtime", "other"}[c]
}

// By sums the values of an input's samples by the code at their leaf. A wait always ends in the
// runtime: there, it is the code that waits.
func By(in *input.Input) [NumClasses]int64 {
	var sums [NumClasses]int64
	kind := Kinds(in)
	waits := in.Type.Type == "delay" || in.Type.Type == "contentions"
	known := map[uint32]runtimeClass{}
	for s := range in.View.Stacks() {
		sums[classOf(in, s.Nodes, kind, waits, known)] += s.Value
	}
	return sums
}

// A runtimeClass is what a function says of a sample.
type runtimeClass struct {
	of     Class
	decide bool // it says what the sample is
	skip   bool // it is in the runtime, so that its caller may say more
}

func classOf(
	in *input.Input, nodes []uint32, kind func(uint32) flame.Kind, waits bool, known map[uint32]runtimeClass,
) Class {
	of := func(id uint32) runtimeClass {
		c, ok := known[id]
		if !ok {
			c = ofFunction(in.View.Node(id).Name)
			known[id] = c
		}
		return c
	}
	for _, id := range nodes { // whatever the collector calls
		if c := of(id); c.decide && c.of == collector && !waits {
			return collector
		}
	}
	leafInRuntime := false
	for i, id := range nodes {
		c := of(id)
		switch {
		case c.decide && !waits:
			return c.of
		case c.skip:
			leafInRuntime = leafInRuntime || i == 0
			continue
		case leafInRuntime && !waits:
			return inRuntime
		}
		return ofKind(kind(id))
	}
	if leafInRuntime {
		return inRuntime
	}
	return other
}

func ofKind(k flame.Kind) Class {
	switch k {
	case flame.Own:
		return own
	case flame.Std:
		return standard
	case flame.Dependency:
		return dependency
	case flame.Unknown:
	}
	return other
}

// ofFunction returns what a function says by its name.
func ofFunction(name string) runtimeClass {
	f := goruntime.Of(name)
	switch {
	case f.Collector != goruntime.NoRole, f.Purpose == goruntime.Collecting:
		return runtimeClass{of: collector, decide: true}
	case f.State == goruntime.Syscall, strings.HasPrefix(name, "syscall."),
		strings.HasPrefix(name, "internal/runtime/syscall."), strings.HasPrefix(name, "runtime/internal/syscall."):
		return runtimeClass{of: systemCall, decide: true}
	case f.Purpose == goruntime.Scheduling, schedules(name):
		return runtimeClass{of: scheduler, decide: true}
	case goruntime.In(name) || goruntime.Virtual(name) || goruntime.Sync(name):
		return runtimeClass{skip: true}
	}
	return runtimeClass{}
}

// schedules reports whether a function of the runtime chooses or wakes goroutines.
func schedules(name string) bool {
	switch name {
	case "runtime.schedule", "runtime.findRunnable", "runtime.park_m", "runtime.mcall", "runtime.goschedImpl",
		"runtime.gopreempt_m", "runtime.ready", "runtime.wakep", "runtime.startm", "runtime.stopm", "runtime.netpoll",
		"runtime.mstart1", "runtime.sysmon", "runtime.futex", "runtime.notesleep", "runtime.notewakeup",
		"runtime.goready.func1", "runtime.exitsyscall", "runtime.entersyscall", "runtime.usleep", "runtime.gosched_m":
		return true
	}
	return false
}

// Kinds returns the kind of a node's code, as frames of flame graphs have it.
func Kinds(in *input.Input) func(uint32) flame.Kind {
	frame := flame.Frames(in.Profile, profile.ByFunction, in.Own.Matcher())
	known := map[uint32]flame.Kind{}
	return func(id uint32) flame.Kind {
		k, ok := known[id]
		if !ok {
			k = frame(in.View.Node(id)).Kind
			known[id] = k
		}
		return k
	}
}
