package graphviz

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// sharedCache is a cache for the tests that are not about it. TestMain sets it.
var sharedCache string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "whet-graphviz")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		sharedCache = filepath.Join(dir, "cache")
		r := newRenderer(context.Background(), sharedCache)
		_ = r.Close() // has compiled
		return m.Run()
	}())
}

// renderer returns a Renderer with the given cache directory.
func renderer(tb testing.TB, cacheDir string) *Renderer {
	tb.Helper()
	r := newRenderer(tb.Context(), cacheDir)
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return r
}

// texts returns the text content of an SVG document by element name, and fails
// when the document is not well-formed XML.
func texts(t *testing.T, svg []byte) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	dec := xml.NewDecoder(bytes.NewReader(svg))
	dec.Strict = true
	dec.Entity = nil
	var open []string
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("output is not well-formed XML: %v\n%s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			open = append(open, tok.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				name := open[len(open)-1]
				found[name] = append(found[name], string(tok))
			}
		}
	}
}

func readTestdata(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestSVG(t *testing.T) {
	t.Parallel()
	r := renderer(t, sharedCache)
	svg, err := r.SVG(t.Context(), readTestdata(t, "calls.dot"))
	if err != nil {
		t.Fatal(err)
	}
	found := texts(t, svg)
	for element, want := range map[string][]string{
		"title": {"n1", "n2", "n1->n2", "n4->n4", "legend"},
		"text":  {"1.20s (60%)", `Sprintf <&> "quoted"`, "naïve λ 世界", " recursion"},
	} {
		for _, w := range want {
			if !contains(found[element], w) {
				t.Errorf("no <%s> with %q in %q", element, w, found[element])
			}
		}
	}
	again, err := r.SVG(t.Context(), readTestdata(t, "calls.dot"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(svg, again) {
		t.Error("the same text gave two drawings")
	}
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " ")) == strings.TrimSpace(want) {
			return true
		}
	}
	return false
}

func TestVersion(t *testing.T) {
	t.Parallel()
	v, err := renderer(t, sharedCache).version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v != "16.1.0" {
		t.Errorf("version %q: NOTICE and this test speak of 16.1.0", v)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := renderer(t, sharedCache)
	for _, c := range []struct{ name, dot, want string }{
		{"syntax", "digraph {\n a -> -> b\n}", "graphviz: read graph: syntax error in line 2"},
		{"empty", "", "graphviz: read graph: "},
		{"NUL", "digraph { a\x00b }", "NUL byte at offset 11"},
		{"not DOT", "\x1f\x8b\x08", "graphviz: read graph: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			svg, err := r.SVG(t.Context(), []byte(c.dot))
			var refused *Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %d bytes and error %v, want a *Error with %q", len(svg), err, c.want)
			}
		})
	}
	// A refusal spoils nothing.
	if _, err := r.SVG(t.Context(), []byte("digraph { a -> b }")); err != nil {
		t.Error(err)
	}
}

// slowGraph takes dot minutes to lay out.
func slowGraph() []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	b.WriteString("digraph {\n")
	for range 900 {
		fmt.Fprintf(&b, "n%d -> n%d\n", rng.IntN(300), rng.IntN(300))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func TestContextEndsCall(t *testing.T) {
	t.Parallel()
	r := renderer(t, sharedCache)
	if _, err := r.version(t.Context()); err != nil { // compiled
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := r.SVG(ctx, slowGraph())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want that the deadline is exceeded", err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v to notice a deadline of 50ms", d)
	}
	if _, err := r.SVG(t.Context(), []byte("digraph { a }")); err != nil {
		t.Errorf("next graph: %v", err)
	}
}

func TestPreparationCanceled(t *testing.T) {
	t.Parallel()
	r := renderer(t, sharedCache)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.SVG(ctx, []byte("digraph { a }")); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that the context is canceled", err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	r := renderer(t, sharedCache)
	const n = 4
	var wg sync.WaitGroup
	out, errs := make([][]byte, n), make([]error, n)
	for i := range n {
		wg.Go(func() {
			out[i], errs[i] = r.SVG(t.Context(), fmt.Appendf(nil, "digraph { caller%d -> callee }", i))
		})
	}
	wg.Wait()
	for i := range n {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if want := fmt.Sprintf("caller%d", i); !contains(texts(t, out[i])["title"], want) {
			t.Errorf("drawing %d has no node %s", i, want)
		}
	}
}

// cached lists the files below dir.
func cached(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "whet", "graphviz")
	draw := func() {
		t.Helper()
		if _, err := renderer(t, dir).SVG(t.Context(), []byte("digraph { a -> b }")); err != nil {
			t.Fatal(err)
		}
	}
	draw()
	files := cached(t, dir)
	if len(files) != 1 {
		t.Fatalf("cache holds %q, want one file", files)
	}
	before, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	draw()
	after, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the second run compiled again")
	}

	for name, damage := range map[string]func([]byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"flipped":   func(b []byte) []byte { b[len(b)/2] ^= 0xff; return b },
		"empty":     func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			draw() // refills the cache after the damage before
			files := cached(t, dir)
			if len(files) != 1 {
				t.Fatalf("cache holds %q, want one file", files)
			}
			b, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			draw()
			if left := cached(t, dir); len(left) != 0 {
				t.Errorf("damaged cache is still there: %q", left)
			}
		})
	}
}

func TestUnusableCache(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "below"), shared} {
		if _, err := renderer(t, dir).SVG(t.Context(), []byte("digraph { a -> b }")); err != nil {
			t.Errorf("cache directory %q: %v", dir, err)
		}
	}
	if files := cached(t, filepath.Dir(shared)); len(files) != 0 {
		t.Errorf("code was kept where others may write: %q", files)
	}
}

func FuzzSVG(f *testing.F) {
	f.Add(readTestdata(f, "calls.dot"))
	f.Add([]byte("digraph { a [label=<<b>x</b>>] }"))
	f.Add([]byte("strict graph { a -- b; rankdir=LR }"))
	f.Add([]byte("digraph { a -> {b c} [label=\"\\N\\l\\\\\"] }"))
	r := renderer(f, sharedCache)
	f.Fuzz(func(t *testing.T, dot []byte) {
		if len(dot) > 4096 {
			t.Skip("long graphs only take long")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		svg, err := r.SVG(ctx, dot)
		if (svg == nil) == (err == nil) {
			t.Errorf("%d bytes and error %v", len(svg), err)
		}
	})
}

// BenchmarkStart measures from New to the first small drawing.
func BenchmarkStart(b *testing.B) {
	draw := func(b *testing.B, dir string) {
		r := newRenderer(b.Context(), dir)
		if _, err := r.SVG(b.Context(), []byte("digraph { a -> b }")); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cache=none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			draw(b, "")
		}
	})
	b.Run("cache=warm", func(b *testing.B) {
		dir := b.TempDir()
		draw(b, dir)
		b.ReportAllocs()
		for b.Loop() {
			draw(b, dir)
		}
	})
}

// BenchmarkSVG draws a call graph as large as whet graph draws by default.
func BenchmarkSVG(b *testing.B) {
	r := renderer(b, sharedCache)
	dot := callGraph(80, 160)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.SVG(b.Context(), dot); err != nil {
			b.Fatal(err)
		}
	}
}

func callGraph(nodes, edges int) []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(3, 4))
	b.WriteString("digraph { node [shape=box]\n")
	for i := range nodes {
		fmt.Fprintf(&b, "n%d [label=\"package/path\\n(*Type).Method%d\\n1.2s (3.4%%)\" fontsize=%d]\n", i, i, 8+rng.IntN(16))
	}
	for i := 1; i < nodes; i++ {
		fmt.Fprintf(&b, "n%d -> n%d [label=\" 1.2s\" weight=%d]\n", rng.IntN(i), i, 1+rng.IntN(100))
	}
	for range edges - nodes {
		i := 1 + rng.IntN(nodes-1)
		fmt.Fprintf(&b, "n%d -> n%d [label=\" 1.2s\"]\n", rng.IntN(i), i)
	}
	b.WriteString("}\n")
	return b.Bytes()
}
