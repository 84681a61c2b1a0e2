package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
)

// A session measures studies on this machine, one after the other.
type session struct {
	root string // of the module
	bin  string // where the examples' services are built to
	time time.Duration
	// fixTime and fuzzTime are the times that whet fix gets, of services as published, for a benchmark and
	// for the comparison of a function.
	fixTime, fuzzTime time.Duration
	log               io.Writer
	// whet runs whet in dir and returns its standard output.
	whet func(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// killWait is how long a program may take to end after a request to.
const killWait = 20 * time.Second

// command runs a program that ends when ctx does, and returns its standard output. Its standard
// error goes to stderr.
func command(ctx context.Context, stderr io.Writer, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "COLUMNS=110") // the width of the pages
	cmd.Stderr = stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = killWait
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
	}
	return out, nil
}

// measure runs the steps of a study and adds their results to r.
func (b *session) measure(ctx context.Context, s study, r *results) error {
	if s.published != nil {
		return b.measurePublished(ctx, s, r)
	}
	if s.services {
		if err := b.build(ctx, s.name); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "whet-cases-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Nothing reads the packets: the kernel drops them when its buffer is full.
	sink, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = sink.Close() }()

	for _, st := range s.steps {
		_, _ = fmt.Fprintf(b.log, "%s: %s\n", s.name, st.name)
		if err := b.step(ctx, s, st, dir, sink.LocalAddr().String(), r); err != nil {
			return fmt.Errorf("step %s: %w", st.name, err)
		}
	}
	return nil
}

// build builds both versions of an example's service.
func (b *session) build(ctx context.Context, name string) error {
	for _, v := range []struct{ suffix, tags string }{{"-slow", ""}, {"-fast", "fast"}} {
		out := filepath.Join(b.bin, name+v.suffix)
		if _, err := command(ctx, b.log, filepath.Join(b.root, "examples", name), "go", "build", "-tags", v.tags, "-o",
			out, "."); err != nil {
			return err
		}
	}
	return nil
}

func (b *session) step(ctx context.Context, s study, st step, dir, sink string, r *results) error {
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	typed := st.args(s, b.time)
	args := make([]string, len(typed)) // with real addresses and file names
	for i, arg := range typed {
		if st.service == nil {
			arg = strings.ReplaceAll(arg, "{addr}", addr)
		}
		arg = strings.ReplaceAll(arg, "{sink}", sink)
		arg = strings.ReplaceAll(arg, ".bin/", b.bin+"/")
		arg = strings.ReplaceAll(arg, fixedExample, filepath.Join(dir, fixedDir, s.name))
		args[i] = arg
	}
	if s.published != nil {
		run := strings.Join(proven(r.Settings[fixStep]).Run, " ")
		for _, list := range [][]string{typed, args} {
			for i := range list {
				list[i] = strings.TrimSpace(strings.ReplaceAll(list[i], "{run}", run))
			}
		}
	}
	shown := shellLine(append([]string{"whet"}, typed...), st.service == nil)
	switch {
	case st.fix != nil && s.published != nil:
		return b.fixPublished(ctx, s, st, dir, r)
	case st.fix != nil:
		return b.fix(ctx, s, st, dir, r)
	case st.show != nil:
		out, err := b.whet(ctx, dir, args...)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(out), addr, shownAddr)
		r.Outputs[st.name] = output{shown, b.clean(text, st.head)}
	case st.record != nil:
		in := dir
		if st.inside {
			in = filepath.Join(b.root, "examples", s.name)
			shown = "cd examples/" + s.name + " && " + shown
			args[2] = filepath.Join(dir, args[2])
		}
		if _, err := b.whet(ctx, in, args...); err != nil {
			return err
		}
		r.Outputs[st.name] = output{Command: shown}
	default:
		out, err := b.whet(ctx, b.root, append(args, "--json")...)
		if err != nil {
			return err
		}
		c, err := decode(out)
		if err != nil {
			return err
		}
		c.Command = shown
		r.Comparisons[st.name] = *c
	}
	return nil
}

// serviceTimes is how many times longer than a benchmark a service is measured, as its rounds are
// longer.
const serviceTimes = 5

// args returns the arguments of whet.
func (st step) args(s study, limit time.Duration) []string {
	dir := "./" + s.example()
	switch {
	case st.fix != nil:
		return append([]string{"fix"}, st.fix...)
	case st.show != nil:
		return st.show
	case st.record != nil:
		return append([]string{"record", "-o", st.name + ".whet"}, st.record...)
	case st.service != nil:
		return append([]string{"bench", "--service"},
			append(st.service, "--same-answers", "--max-time", (serviceTimes*limit).String(), "--precision", "2%")...)
	default:
		other, flags := dir, "-tags fast"
		switch {
		case st.other != "":
			other, flags = st.other, st.flags
		case st.flags != "":
			other, flags = fixedExample, st.flags
		}
		args := []string{"bench", "--a", dir, "--b", other}
		if flags != "" {
			args = append(args, "--b-flags", flags)
		}
		return append(args, "--bench", st.bench, "--max-time", limit.String(), "--precision", "2%")
	}
}

// servicesResult is the part of a comparison of services that is needed here.
type servicesResult struct {
	AB             *ab.Result    `json:"ab"`
	Warnings       diag.Warnings `json:"warnings"`
	FailuresDiffer bool          `json:"failures_differ"`
}

// servicesSchema is the schema of a comparison of services.
const servicesSchema = "whet.bench-service/3"

// decode decodes the output of whet bench --json for benchmarks or services, and drops the single
// rounds.
func decode(data []byte) (*comparison, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("read result of whet bench: %w", err)
	}
	c := &comparison{}
	var err error
	switch head.Schema {
	case ab.Schema:
		err = json.Unmarshal(data, &c.Result)
	case servicesSchema:
		var r servicesResult
		err = json.Unmarshal(data, &r)
		c.Result, c.Warnings = r.AB, r.Warnings
		if r.FailuresDiffer {
			return nil, errors.New("requests fail more often on one side")
		}
	default:
		err = fmt.Errorf("schema %q (want %s or %s)", head.Schema, ab.Schema, servicesSchema)
	}
	if err != nil {
		return nil, fmt.Errorf("read result of whet bench: %w", err)
	}
	if c.Result == nil || c.Result.Interrupted {
		return nil, errors.New("whet bench was interrupted")
	}
	for _, s := range c.Result.Subjects {
		if s.Error != "" {
			return nil, fmt.Errorf("%s: %s", s.Name, s.Error)
		}
	}
	dropRounds(c.Result)
	return c, nil
}

// dropRounds removes the rounds that the figures of a comparison were computed from.
func dropRounds(r *ab.Result) {
	for _, s := range r.Subjects {
		for j := range s.Units {
			s.Units[j].Rounds = [2][]float64{}
		}
	}
}

// clean prepares a view for a page: without paths of this machine, and with only its first head
// paragraphs.
func (b *session) clean(text string, head int) string {
	text = strings.ReplaceAll(text, b.root+string(filepath.Separator), "")
	paragraphs := strings.Split(strings.TrimRight(text, "\n"), "\n\n")
	if head > 0 && len(paragraphs) > head {
		paragraphs = append(paragraphs[:head:head], "…")
	}
	var out bytes.Buffer
	for line := range strings.Lines(strings.Join(paragraphs, "\n\n")) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// plain matches words that need no quotes in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Addresses as they are shown.
const (
	shownAddr = "127.0.0.1:8080"
	shownSink = "127.0.0.1:8125"
)

// shellLine writes words as a user would type them. With addr, {addr} becomes an address; without,
// it stays, for whet to fill in.
func shellLine(words []string, addr bool) string {
	var line strings.Builder
	for i, word := range words {
		if i > 0 {
			line.WriteByte(' ')
		}
		word = strings.ReplaceAll(word, "{sink}", shownSink)
		if addr {
			word = strings.ReplaceAll(word, "{addr}", shownAddr)
		}
		if !plain.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line.WriteString(word)
	}
	return line.String()
}
