package workbench

import (
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/internal/profile/flame"
)

// A class is whose code a sample's cost is spent in.
type class uint8

const (
	own class = iota
	dependency
	standard
	collector
	scheduler
	systemCall
	inRuntime
	other
	numClasses
)

// String returns the name of a class in answers.
func (c class) String() string {
	return [...]string{"own", "dep", "std", "gc", "scheduler", "syscall", "runtime", "other"}[c]
}

// classes sums the values of an input's samples by the code at their leaf. A wait always ends in the
// runtime: there, it is the code that waits.
func classes(in *input.Input) [numClasses]int64 {
	var sums [numClasses]int64
	kind := flameKind(in)
	waits := in.Type.Type == "delay" || in.Type.Type == "contentions"
	known := map[uint32]runtimeClass{}
	for s := range in.View.Stacks() {
		sums[classOf(in, s.Nodes, kind, waits, known)] += s.Value
	}
	return sums
}

// A runtimeClass is what a function says of a sample.
type runtimeClass struct {
	of     class
	decide bool // it says what the sample is
	skip   bool // it is in the runtime, so that its caller may say more
}

func classOf(
	in *input.Input, nodes []uint32, kind func(uint32) flame.Kind, waits bool, known map[uint32]runtimeClass,
) class {
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

func ofKind(k flame.Kind) class {
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
