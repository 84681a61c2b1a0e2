package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/collect/copies"
	recorded "github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/plan"
	"github.com/whet-go/whet/recording"
)

// Limits of what a client may request.
const (
	maxSeconds     = 600
	maxConnections = 10_000
	maxBody        = 1 << 20 // of a request that a load sends
)

// loadInput is a load as a client describes it. It has no files but a body: files of requests may name others.
type loadInput struct {
	URLs        []string `json:"urls"`
	Connections int      `json:"connections,omitempty"`
	Rate        string   `json:"rate,omitempty"`
	Method      string   `json:"method,omitempty"`
	Headers     []string `json:"headers,omitempty"`
	Body        string   `json:"body,omitempty"`
}

// options returns the options of a load. addr replaces {addr}; "" if there is no program.
func (l *loadInput) options(s *Server, addr string) (load.Options, diag.Warnings, error) {
	var none load.Options
	if len(l.URLs) == 0 {
		return none, nil, errors.New("urls is empty: name the addresses to request")
	}
	var urls []string
	for _, u := range l.URLs {
		if addr != "" {
			u = strings.ReplaceAll(u, "{addr}", addr)
		}
		if err := guard.CheckTarget(u, s.o.Targets); err != nil {
			return none, nil, err
		}
		urls = append(urls, u)
	}
	if l.Connections < 0 || l.Connections > maxConnections {
		return none, nil, fmt.Errorf("connections is %d (want 1 to %d)", l.Connections, maxConnections)
	}
	body := l.Body
	if name, ok := strings.CutPrefix(body, "@"); ok {
		file, err := s.roots.Existing(name)
		if err != nil {
			return none, nil, err
		}
		body = "@" + file
	}
	if len(body) > maxBody {
		return none, nil, fmt.Errorf("body has %d bytes (want at most %d)", len(body), maxBody)
	}
	p := plan.Plan{
		Connections: l.Connections, Rate: l.Rate, Method: l.Method, Headers: l.Headers, Body: body,
		AllowRemote: guard.Remote(urls),
	}
	if err := p.Check(); err != nil {
		return none, nil, err
	}
	return p.Options(urls, nil)
}

// window returns the duration that a client requests.
func window(seconds float64, standard time.Duration) (time.Duration, error) {
	if math.IsNaN(seconds) || seconds < 0 || seconds > maxSeconds {
		return 0, fmt.Errorf("seconds is %v (want 0.1 to %d)", seconds, maxSeconds)
	}
	if seconds == 0 {
		return standard, nil
	}
	return max(time.Duration(seconds*float64(time.Second)), 100*time.Millisecond), nil
}

type recordInput struct {
	URL      string     `json:"url,omitempty"`
	Package  string     `json:"package,omitempty"`
	Args     []string   `json:"args,omitempty"`
	Bench    string     `json:"bench,omitempty"`
	Packages []string   `json:"packages,omitempty"`
	Capture  string     `json:"capture,omitempty"`
	Rate     *float64   `json:"capture_rate,omitempty"`
	Dir      string     `json:"dir,omitempty"`
	Load     *loadInput `json:"load,omitempty"`
	Seconds  float64    `json:"seconds,omitempty"`
	Output   string     `json:"output,omitempty"`
}

type recordResult struct {
	Recording   string             `json:"recording"`
	Program     string             `json:"program,omitempty"`
	Seconds     float64            `json:"seconds"`
	Parts       []string           `json:"parts"`
	Sources     int                `json:"source_files"`
	Captured    []capturedFunction `json:"captured,omitempty"`
	NotCaptured []string           `json:"not_captured,omitempty"`
	Missing     []string           `json:"missing,omitempty"`
	Load        *loaded            `json:"load,omitempty"`
	Failures    []string           `json:"failures,omitempty"`
	Output      string             `json:"program_output,omitempty"`
	Warnings    []string           `json:"warnings,omitempty"`
	fit.Truncated
}

// A capturedFunction is a function of which calls were copied.
type capturedFunction struct {
	Function string `json:"function"`
	Calls    int64  `json:"calls"`
}

func (r *recordResult) Shrink() bool {
	return fit.Clip(&r.Output, 500) || fit.Drop(&r.Parts, 0) || fit.Drop(&r.NotCaptured, 3) ||
		fit.Drop(&r.Failures, 1) || fit.Drop(&r.Missing, 1) || fit.Drop(&r.Warnings, 1) || fit.Drop(&r.Captured, 1)
}

// addCaptured adds which calls the recording has.
func (r *recordResult) addCaptured() (err error) {
	rec, err := recording.Open(r.Recording)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	d, err := recorded.ReadArguments(rec)
	if err != nil || d == nil {
		return err
	}
	for _, f := range d.Functions {
		if f.Taken > 0 {
			r.Captured = append(r.Captured, capturedFunction{Function: f.Package + "." + f.Name, Calls: f.Taken})
		}
	}
	for _, l := range d.Left {
		r.NotCaptured = append(r.NotCaptured, l.Function+": "+l.Why)
	}
	return nil
}

// capture returns which calls the client wants copied; nil for none. Secrets are always left out.
func (in *recordInput) capture() (*collect.Capture, error) {
	if in.Capture == "" {
		if in.Rate != nil {
			return nil, errors.New("capture_rate has no effect without capture: give \"capture\": \"hot\"")
		}
		return nil, nil //nolint:nilnil // nothing is copied, as documented
	}
	if in.URL != "" {
		return nil, errors.New("capture is for programs that whet builds: give package or bench instead of url")
	}
	o := &collect.Capture{}
	if in.Rate != nil {
		if !(*in.Rate > 0 && *in.Rate <= 100) {
			return nil, fmt.Errorf("capture_rate is %v (want above 0, up to 100: percent of the CPU time)", *in.Rate)
		}
		o.Share = *in.Rate / 100
	}
	if in.Capture == copies.Hot {
		return o, nil
	}
	if err := guard.CheckRegexp("capture", in.Capture); err != nil {
		return nil, err
	}
	var err error
	o.Functions, err = regexp.Compile(in.Capture)
	return o, err
}

// record is the tool record.
func (c *call) record(ctx context.Context, in recordInput) (_ *recordResult, _ string, err error) {
	s := c.server
	o := collect.Options{Version: s.o.Version}
	if o.Duration, err = window(in.Seconds, collect.DefaultDuration); err != nil {
		return nil, "", err
	}
	if err := in.check(s); err != nil {
		return nil, "", err
	}
	if o.Capture, err = in.capture(); err != nil {
		return nil, "", err
	}
	if o.Out = s.newRecording(); in.Output != "" {
		if o.Out, err = s.roots.Output(in.Output); err != nil {
			return nil, "", err
		}
	}
	addr := ""
	if in.Package != "" || in.Bench != "" {
		if o.Dir, err = s.roots.Module(in.Dir); err != nil {
			return nil, "", err
		}
	}
	if in.Package != "" {
		if addr, err = freeAddress(ctx); err != nil {
			return nil, "", err
		}
	}
	var warnings diag.Warnings
	if in.Load != nil {
		sent, more, err := in.Load.options(s, addr)
		if err != nil {
			return nil, "", err
		}
		o.Load, warnings = &sent, more
	}
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	output := &tail{}
	switch {
	case in.URL != "":
		o.URL = in.URL
	case in.Package != "":
		o.Command = []string{"go", "run", in.Package} // collect builds it, twice
		if o.Capture == nil {
			c.progress(ctx, 0, "build "+in.Package)
			bin, remove, err := s.build(ctx, o.Dir, in.Package)
			if err != nil {
				return nil, "", err
			}
			defer remove()
			o.Command = []string{bin}
		}
		for _, arg := range in.Args {
			o.Command = append(o.Command, strings.ReplaceAll(arg, "{addr}", addr))
		}
		o.TargetLog = output
	default:
		o.Packages, o.Bench = in.Packages, in.Bench
		if len(o.Packages) == 0 {
			o.Packages = []string{"./..."}
		}
	}
	o.Progress = func(p collect.Progress) {
		text := strings.Join(p.Running, ", ")
		if p.Note != "" {
			text = p.Note
		}
		c.progress(ctx, p.Elapsed.Seconds(), text)
	}
	o.Abort, o.Discard = ctx.Done(), true // the client has gone
	sum, err := collect.Run(ctx, o)
	if err != nil {
		if text := output.String(); text != "" {
			err = fmt.Errorf("%w\nthe program printed:\n%s", err, text)
		}
		return nil, "", err
	}
	if ctx.Err() != nil {
		return nil, "", errors.Join(ctx.Err(), os.Remove(o.Out))
	}
	doc := recorded.NewRecord(sum)
	doc.Warnings = append(warnings, sum.Warnings...)
	uri, err := c.keep("record", doc)
	if err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	c.session.recording = sum.Path
	c.mu.Unlock()
	r := &recordResult{
		Recording: sum.Path, Seconds: math.Round(sum.Meta.Duration.Seconds()*10) / 10, Parts: []string{},
		Failures: doc.Failures, Warnings: fit.Texts(doc.Warnings),
	}
	if sum.Meta.Build != nil {
		r.Program = sum.Meta.Build.Path
	}
	for _, p := range sum.Meta.Parts {
		if strings.HasPrefix(p.Name, "source/") {
			r.Sources++
			continue
		}
		r.Parts = append(r.Parts, p.Name)
	}
	for _, m := range sum.Meta.Missing {
		text := m.Part + ": " + m.Reason
		if m.Hint != "" {
			text += " (" + m.Hint + ")"
		}
		r.Missing = append(r.Missing, text)
	}
	if sum.Load != nil {
		r.Load = loadedOf(sum.Load)
	}
	if len(sum.Failures) > 0 {
		r.Output = output.String()
	}
	if o.Capture != nil {
		if err := r.addCaptured(); err != nil {
			return nil, "", err
		}
	}
	return r, whole(uri), nil
}

// check refuses arguments that name something outside of the roots, flags, or several targets.
func (in *recordInput) check(s *Server) error {
	given := 0
	for _, is := range []bool{in.URL != "", in.Package != "", in.Bench != "" || len(in.Packages) > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		return &diag.Error{
			Op: "record", Err: errors.New("want one of url, package and bench"),
			Hint: "url is the address of a running service, package a main package to start, and bench a regular " +
				"expression of benchmarks",
		}
	}
	if in.Package != "" {
		if err := guard.CheckPackages(in.Package); err != nil {
			return err
		}
		if strings.HasSuffix(in.Package, "...") {
			return fmt.Errorf("%q is several packages: name the main package to start", in.Package)
		}
	}
	if len(in.Args) > 0 && in.Package == "" {
		return errors.New("args are for a package that is started: give package")
	}
	if len(in.Packages) > 0 && in.Bench == "" {
		in.Bench = "."
	}
	if in.Bench != "" && in.Load != nil {
		return errors.New("benchmarks are not loaded: omit load")
	}
	if err := errors.Join(guard.CheckPackages(in.Packages...), guard.CheckRegexp("bench", in.Bench)); err != nil {
		return err
	}
	if in.URL != "" {
		return guard.CheckTarget(in.URL, s.o.Targets)
	}
	return nil
}

// build builds a main package of a module, and returns the program.
func (s *Server) build(ctx context.Context, dir, pkg string) (bin string, remove func(), err error) {
	temp, err := os.MkdirTemp(s.roots.Made, "build-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(temp) } // Close removes it otherwise
	bin = filepath.Join(temp, filepath.Base(filepath.Join(dir, pkg)))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, pkg)
	cmd.Dir = dir
	output := &tail{}
	cmd.Stdout, cmd.Stderr = output, output
	if err := procgroup.RunGo(cmd); err != nil {
		remove()
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		return "", nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, output)
	}
	info, err := os.Stat(bin)
	if err != nil || info.Mode().Perm()&0o111 == 0 {
		remove()
		return "", nil, fmt.Errorf("%s is not a main package", pkg)
	}
	return bin, remove, nil
}

// freeAddress returns an address of the loopback interface that nothing listens on.
func freeAddress(ctx context.Context) (string, error) {
	l, err := loopback.Listen(ctx, loopback.DefaultAddr)
	if err != nil {
		return "", err
	}
	addr := l.Addr().String()
	_, _, err = net.SplitHostPort(addr)
	return addr, errors.Join(err, l.Close())
}

// maxTail is how much of a program's output is kept.
const maxTail = 4000

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
	cut  bool
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - maxTail; n > 0 {
		t.text, t.cut = append([]byte{}, t.text[n:]...), true
	}
	return len(p), nil
}

// String returns the end of the output.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(bytes.ToValidUTF8(bytes.TrimSpace(t.text), nil))
	if t.cut {
		text = "…" + text
	}
	return text
}

// waitForTurn is how long recordings and loads wait for a running proof: clients give up on calls that take long.
const waitForTurn = 30 * time.Second

// enter waits until nothing else is measured, for a short time. The caller calls leave.
func (c *call) enter(ctx context.Context) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, waitForTurn)
	defer cancel()
	q := c.server.queue
	err = q.enter(wait, func(ahead int) {
		c.progress(ctx, 0, fmt.Sprintf("waiting for another measurement to end (%d before this one)", ahead+1))
	})
	switch {
	case err == nil:
		return q.leave, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &diag.Error{
			Op: "measure", Err: errors.New("another measurement is still running, and both would disturb each other"),
			Hint: "wait for it with prove_status, or end it with prove_cancel",
		}
	}
	return nil, err
}
