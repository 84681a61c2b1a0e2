package pprof

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/unit"
)

// The driver does not limit the memory of its reports, so whet estimates the cost of the requested
// one before it passes the profile on. The costs are in bytes, as measured.
const (
	costFrame = 110  // a line on a stack that -traces writes
	costText  = 250  // a line that -raw writes
	costNode  = 1000 // a function, or a line of one, in a graph
	costEdge  = 700  // a call in a graph
)

// perFrame is how many bytes of the memory limit allow a graph to read one more frame. The driver
// takes 0.2 to 0.3 µs a frame, and looks at each frame of each stack: a few bytes of a hostile file
// would keep it busy for hours. Files of Go programs have up to 15 frames a byte.
const perFrame = 3

// A report is the output that the arguments request.
type report struct {
	traces bool
	raw    bool
	graph  bool
	lines  bool // the graph's nodes are lines
	focus  *regexp.Regexp
	view   string // the equivalent view of whet; "" if there is none
}

// report returns the report that the options request.
func (f *flagSet) report() report {
	on := func(name string) bool {
		o := f.Lookup(name)
		return o != nil && o.Value.String() != "" && o.Value.String() != "false"
	}
	r := report{traces: on("traces"), raw: on("raw"), view: "top"}
	if pattern := f.texts["focus"]; pattern != nil && *pattern != "" {
		r.focus, _ = regexp.Compile(*pattern) // the driver reports the error
	}
	small := on("proto") || on("topproto") || on("tags") || on("comments")
	r.graph = !r.traces && !r.raw && !small || on("topproto")
	r.lines = on("lines") || on("addresses")
	for _, name := range []string{"list", "weblist", "disasm", "callgrind", "http"} {
		r.lines = r.lines || on(name)
	}
	for name, view := range map[string]string{
		"traces": "traces", "raw": "raw", "list": "list", "weblist": "list",
		"disasm": "disasm", "callgrind": "callgrind", "http": "flame", "tree": "tree", "peek": "peek",
	} {
		if on(name) {
			r.view = view
		}
	}
	return r
}

// cost estimates the memory for the report, up to a limit.
func (r *report) cost(p *gprofile.Profile, limit int64) int64 {
	var lines int64
	for _, l := range p.Location {
		lines += int64(max(1, len(l.Line)))
	}
	switch {
	case r.traces:
		return r.tracesCost(p)
	case r.raw:
		return costText * lines
	case !r.graph:
		return 0
	}
	nodes := lines
	if !r.lines {
		nodes = int64(len(p.Function))
	}
	return costNode*nodes + costEdge*min(nodes*nodes, r.calls(p, (limit-costNode*nodes)/costEdge))
}

// tracesCost returns the cost of all frames of the stacks that -focus keeps.
func (r *report) tracesCost(p *gprofile.Profile) int64 {
	wanted := map[*gprofile.Location]bool{}
	if r.focus != nil {
		for _, l := range p.Location {
			wanted[l] = matches(l, r.focus)
		}
	}
	var frames int64
	for _, s := range p.Sample {
		n, ok := int64(0), r.focus == nil
		for _, l := range s.Location {
			n += int64(max(1, len(l.Line)))
			ok = ok || wanted[l]
		}
		if ok {
			frames += n
		}
	}
	return costFrame * frames
}

// matches reports whether the driver would keep a stack with this location.
func matches(l *gprofile.Location, re *regexp.Regexp) bool {
	for _, line := range l.Line {
		if fn := line.Function; fn != nil && (re.MatchString(fn.Name) || re.MatchString(fn.Filename)) {
			return true
		}
	}
	return l.Mapping != nil && re.MatchString(l.Mapping.File)
}

// calls counts the calls in the graph, within locations and between them, and stops a little above
// most.
func (r *report) calls(p *gprofile.Profile, most int64) int64 {
	var n int64
	if r.lines {
		for _, l := range p.Location {
			n += int64(max(0, len(l.Line)-1))
		}
	}
	seen := map[[2]*gprofile.Location]struct{}{}
	for _, s := range p.Sample {
		for i := 1; i < len(s.Location); i++ {
			seen[[2]*gprofile.Location{s.Location[i-1], s.Location[i]}] = struct{}{}
		}
		if n+int64(len(seen)) > most {
			break
		}
	}
	return n + int64(len(seen))
}

// check returns an error if the report, together with the memory that holds the profile, would
// exceed the limit, or take longer than such a profile should.
func (r *report) check(p *gprofile.Profile, held, limit int64) error {
	if r.graph {
		if frames := countFrames(p); frames > limit/perFrame {
			return &diag.Error{
				Err: fmt.Errorf("the stacks have %d frames, more than the %d that this report may read", frames, limit/perFrame),
				Hint: "`whet " + r.view + "` shows the same in less time; if the profile can be trusted, raise the limit: " +
					"-max_memory " + roomy(perFrame*frames),
			}
		}
	}
	cost := held + r.cost(p, limit)
	if cost <= limit {
		return nil
	}
	hint := "if the profile can be trusted, raise the limit: -max_memory " + roomy(cost)
	if r.traces {
		hint = "show fewer stacks with -focus REGEXP; or, " + hint
	}
	return &diag.Error{
		Err: fmt.Errorf("this report needs about %v of memory, more than the %v that it may take",
			unit.Bytes(cost), unit.Bytes(limit)),
		Hint: "`whet " + r.view + "` shows the same within a limit; " + hint,
	}
}

// countFrames returns the number of frames of all stacks.
func countFrames(p *gprofile.Profile) int64 {
	var frames int64
	for _, s := range p.Sample {
		for _, l := range s.Location {
			frames += int64(max(1, len(l.Line)))
		}
	}
	return frames
}

// roomy returns a value for -max_memory that is enough for the given number of bytes.
func roomy(bytes int64) string { return fmt.Sprintf("%dGB", bytes>>30+1) }

// A shell checks the commands of the interactive shell, which are not known when profiles are read.
type shell struct {
	mu    sync.Mutex
	known []limited
}

// limited is a profile with the memory limit for its reports.
type limited struct {
	*gprofile.Profile
	held  int64 // memory of the profile
	limit int64
}

func (s *shell) add(p *gprofile.Profile, held, limit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = append(s.known, limited{p, held, limit})
}

// take adds the profiles of another shell.
func (s *shell) take(other *shell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = append(s.known, other.known...)
}

// refuse returns the error for a command line that would exceed the limit.
func (s *shell) refuse(line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	r := report{view: strings.TrimPrefix(name, "web")}
	switch name {
	case "traces":
		r.traces = true
		if words := strings.Fields(rest); len(words) > 0 && !strings.HasPrefix(words[0], "-") &&
			!strings.HasPrefix(words[0], ">") {
			r.focus, _ = regexp.Compile(words[0]) // the driver reports the error
		}
	case "raw":
		r.raw = true
	case "list", "weblist", "disasm", "callgrind":
		r.graph, r.lines = true, true
	default:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.known {
		if err := r.check(p.Profile, p.held, p.limit); err != nil {
			return err
		}
	}
	return nil
}
