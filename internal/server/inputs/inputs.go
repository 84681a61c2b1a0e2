package inputs

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

// A Cache keeps the inputs that were last used, because decoding is most of the work of a view.
type Cache struct {
	files *files.Set
	own   []string
	open  func(context.Context, []string, input.Options) (*input.Input, error)

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
	stop  context.CancelFunc // ends the opening, or nil
	out   bool               // no longer in the list: the last user closes it
}

// New returns a cache of files. own are patterns of further own code.
func New(f *files.Set, own []string) *Cache {
	c := &Cache{files: f, own: own}
	c.open = c.Opener("open").Open
	return c
}

// Opener returns what opens the arguments of a request.
func (c *Cache) Opener(op string) *input.Opener {
	return &input.Opener{Op: op, OpenFile: c.files.OpenFile}
}

// Open returns the input of a part of a file, less base if it is not empty. release must be called
// when it is no longer used.
func (c *Cache) Open(ctx context.Context, name, part, base string) (in *input.Input, release func(), err error) {
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
		return nil, nil, diag.Usagef("file", "no file is named", "/api/v1/files lists them")
	}
	e, found := c.get(k)
	release = sync.OnceFunc(func() { c.release(e) })
	if !found {
		// Others may wait for this: it ends when none of them is left, whoever came first.
		end := context.AfterFunc(ctx, release)
		opening, stop := context.WithCancel(context.WithoutCancel(ctx))
		c.begin(e, stop)
		in, err := c.open(opening, args, input.Options{Type: part, DiffBase: bases, Own: c.own})
		c.opened(e, in, err)
		stop()
		if !end() {
			return nil, nil, ctx.Err()
		}
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		release()
		return nil, nil, ctx.Err()
	}
	if e.err != nil {
		release()
		return nil, nil, e.err
	}
	c.trim()
	return e.in, release, nil
}

// begin keeps how to stop the opening of an entry, and stops it if its only user has left already.
func (c *Cache) begin(e *kept, stop context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.stop = stop
	if e.users == 0 {
		stop()
	}
}

// opened ends the wait for an entry.
func (c *Cache) opened(e *kept, in *input.Input, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.in, e.err, e.stop = in, err, nil
	close(e.ready)
	if err != nil {
		c.drop(e)
	}
	c.closeUnused(e)
}

// get returns the entry of a key, which it adds if it is not found.
func (c *Cache) get(k key) (e *kept, found bool) {
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
func (c *Cache) trim() {
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

func (c *Cache) release(e *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	select {
	case <-e.ready:
	default:
		if e.users == 0 { // whoever comes now opens it again
			c.drop(e)
			if e.stop != nil {
				e.stop()
			}
		}
	}
	c.closeUnused(e)
}

// closeUnused closes an input that is neither kept nor used. The lock is held.
func (*Cache) closeUnused(e *kept) {
	if e.out && e.users == 0 && e.in != nil {
		e.in.Close()
		e.in = nil
	}
}

// drop removes an entry that could not be opened, so that it is tried again. The lock is held.
func (c *Cache) drop(e *kept) {
	for i := range c.kept {
		if c.kept[i] == e {
			c.kept = append(c.kept[:i:i], c.kept[i+1:]...)
			break
		}
	}
	e.out = true
}

// Close closes all inputs.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.kept {
		e.out = true
		c.closeUnused(e)
	}
	c.kept = nil
}

// Source returns the text of a file named in in's profile: from its recording, or from a directory
// that was named at the start.
func (c *Cache) Source(in *input.Input) func(file string) (lines []string, where string, err error) {
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

// Profiles returns the input of decoded profiles: that with a name, less base if it is not empty. It is not kept.
func (c *Cache) Profiles(
	ctx context.Context, profiles map[string]*profile.Profile, name, base string,
) (*input.Input, error) {
	o := c.Opener("open")
	o.Profiles = profiles
	opt := input.Options{Own: c.own}
	if base != "" {
		opt.DiffBase = []string{base}
	}
	return o.Open(ctx, []string{name}, opt)
}
