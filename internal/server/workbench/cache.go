package workbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/profile"
)

// Limits of what is kept open.
const (
	maxInputs      = 24
	maxInputMemory = 1 << 30 // of their profiles, in bytes; at least one is kept
)

// inputs keeps the inputs that were last used, because decoding is most of the work of a view.
type inputs struct {
	files *files.Set
	own   []string

	mu   sync.Mutex
	kept []*kept // least recently used first
}

// A key identifies an input. Of a file that changes there are several.
type key struct {
	path, part, base string
	version          string // sizes and times of the files
}

type kept struct {
	key   key
	ready chan struct{} // closed when in or err is set
	in    *input.Input
	err   error
	users int
	out   bool // no longer in the list: the last user closes it
}

func newInputs(f *files.Set, own []string) *inputs { return &inputs{files: f, own: own} }

// opener returns what opens the arguments of a request.
func (c *inputs) opener(op string) *input.Opener {
	return &input.Opener{Op: op, OpenFile: c.files.OpenFile}
}

// open returns the input of a part of a file, less base if it is not empty. release must be called
// when it is no longer used.
func (c *inputs) open(ctx context.Context, name, part, base string) (in *input.Input, release func(), err error) {
	k := key{part: part}
	var args, bases []string
	for _, f := range []struct {
		name string
		path *string
		list *[]string
	}{{name, &k.path, &args}, {base, &k.base, &bases}} {
		if f.name == "" {
			continue
		}
		if *f.path, err = c.files.Path(f.name); err != nil {
			return nil, nil, err
		}
		fi, err := os.Stat(*f.path)
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", f.name, err)
		}
		k.version += fmt.Sprintf("%d@%d ", fi.Size(), fi.ModTime().UnixNano())
		*f.list = append(*f.list, *f.path)
	}
	if len(args) == 0 {
		return nil, nil, diag.Usagef("file", "no file is named", apiBase+"/files lists them")
	}
	e, found := c.get(k)
	if !found {
		e.in, e.err = c.opener("open").Open(context.WithoutCancel(ctx), args,
			input.Options{Type: part, DiffBase: bases, Own: c.own})
		close(e.ready)
		if e.err != nil {
			c.drop(e)
		}
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		c.release(e)
		return nil, nil, ctx.Err()
	}
	if e.err != nil {
		c.release(e)
		return nil, nil, e.err
	}
	c.trim()
	return e.in, sync.OnceFunc(func() { c.release(e) }), nil
}

// get returns the entry of a key, which it adds if it is not found.
func (c *inputs) get(k key) (e *kept, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.kept {
		if e.key == k {
			c.kept = append(append(c.kept[:i:i], c.kept[i+1:]...), e)
			e.users++
			return e, true
		}
	}
	e = &kept{key: k, ready: make(chan struct{}), users: 1}
	c.kept = append(c.kept, e)
	return e, false
}

// trim closes the inputs that were not used for long.
func (c *inputs) trim() {
	c.mu.Lock()
	defer c.mu.Unlock()
	memory := int64(0)
	keep := 0
	for i := len(c.kept) - 1; i >= 0; i-- {
		e := c.kept[i]
		select {
		case <-e.ready:
			if e.in != nil {
				memory += e.in.Profile.Memory()
			}
		default:
		}
		if keep > 0 && (memory > maxInputMemory || keep >= maxInputs) {
			break
		}
		keep++
	}
	old := c.kept[:len(c.kept)-keep]
	c.kept = c.kept[len(c.kept)-keep:]
	for _, e := range old {
		e.out = true
		c.closeUnused(e)
	}
}

func (c *inputs) release(e *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	c.closeUnused(e)
}

// closeUnused closes an input that is neither kept nor used. The lock is held.
func (*inputs) closeUnused(e *kept) {
	if e.out && e.users == 0 && e.in != nil {
		e.in.Close()
		e.in = nil
	}
}

// drop removes an entry that could not be opened, so that it is tried again.
func (c *inputs) drop(e *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kept {
		if c.kept[i] == e {
			c.kept = append(c.kept[:i:i], c.kept[i+1:]...)
			break
		}
	}
	e.out = true
}

// close closes all inputs.
func (c *inputs) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.kept {
		e.out = true
		c.closeUnused(e)
	}
	c.kept = nil
}

// source returns the text of a file named in in's profile: from its recording, or from a directory
// that was named at the start.
func (c *inputs) source(in *input.Input) func(file string) (lines []string, where string, err error) {
	return func(file string) ([]string, string, error) {
		lines, where, err := in.Source(file)
		if err == nil {
			return lines, where, nil
		}
		if text, found, ok := c.files.Source(file, in.Own.Main); ok {
			return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), filepath.ToSlash(found), nil
		}
		return nil, "", &diag.Error{
			Op: "find source", Subject: file, Err: os.ErrNotExist,
			Hint: "start whet in the module's directory, or record with `whet record`, which keeps the source of hot lines",
		}
	}
}

// bind returns in with another query.
func bind(in *input.Input, sample string, q profile.Query) (*input.Input, error) {
	bound := *in
	old := in.View.Query()
	q.Type, q.ModuleOf = old.Type, old.ModuleOf
	if sample != "" {
		var err error
		if q.Type, err = in.Profile.TypeIndex(sample); err != nil {
			return nil, &diag.Error{Op: "--type", Err: err, Kind: diag.Usage}
		}
	}
	v, err := in.Profile.View(q)
	if err != nil {
		return nil, &diag.Error{
			Op: "apply filters", Err: err, Kind: diag.Usage,
			Hint: "labels are filtered by REGEXP, KEY=REGEXP or a range: 4kb, 4kb:, :1mb, 4kb:1mb",
		}
	}
	bound.View, bound.Type = v, v.Type()
	return &bound, nil
}
