package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/benchmarks"
)

// A Bench is what a file has about benchmarks. One of its fields is set, or Run and Compared.
type Bench struct {
	Compared *bench.Comparison // results of one run, or of several, compared
	Run      *rounds.Result    // how the results of Compared were measured
	AB       *ab.Result        // two builds
	History  *history.Report   // along commits
}

// BenchDocument is what a page about benchmarks shows. One of its fields is set.
type BenchDocument struct {
	Measured *benchmarks.Document        `json:"measured,omitempty"` // one run, or two builds compared
	History  *benchmarks.HistoryDocument `json:"history,omitempty"`  // along commits
}

// Bench reads the benchmarks of a file: the output of go test -bench, or what whet bench writes with --json. With a
// base, which is the name of an earlier result, it compares the two.
func (r *Reader) Bench(ctx context.Context, name, base string) (*Bench, error) {
	b, err := r.bench(ctx, name)
	if err != nil || base == "" {
		return b, err
	}
	before, err := r.bench(ctx, base)
	if err != nil {
		return nil, err
	}
	var inputs []bench.Input
	for _, one := range []struct {
		name string
		b    *Bench
	}{{base, before}, {name, b}} {
		text, err := one.b.text()
		if err != nil {
			return nil, &diag.Error{
				Op: "compare benchmarks", Subject: one.name, Err: err, Kind: diag.Usage,
				Hint: "choose the results of one run: of `go test -bench` or `whet bench --json`",
			}
		}
		inputs = append(inputs, bench.Input{Path: path.Base(one.name), Label: one.name, Reader: strings.NewReader(text)})
	}
	c, err := bench.Compare(ctx, inputs, options())
	if err != nil {
		return nil, err
	}
	return &Bench{Compared: c}, nil
}

// options are those of comparisons: what describes a measurement may differ.
func options() bench.Options {
	return bench.Options{Ignore: strings.Join(bench.DescriptiveKeys(), ",")}
}

// bench reads a file.
func (r *Reader) bench(ctx context.Context, name string) (b *Bench, err error) {
	data, err := r.read(name)
	if err != nil {
		return nil, err
	}
	unreadable := func(err error) error {
		return &diag.Error{
			Op: "read benchmarks", Subject: name, Err: err,
			Hint: "`go test -bench` and `whet bench --json` write such files",
		}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		c, err := bench.Compare(ctx, []bench.Input{
			{Path: path.Base(name), Label: path.Base(name), Reader: bytes.NewReader(data)},
		}, options())
		if err != nil {
			return nil, unreadable(err)
		}
		return &Bench{Compared: c}, nil
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, unreadable(err)
	}
	b = &Bench{}
	var into any
	switch head.Schema {
	case bench.Schema:
		b.Compared = &bench.Comparison{}
		into = b.Compared
	case rounds.Schema:
		b.Run = &rounds.Result{}
		into = b.Run
	case ab.Schema:
		b.AB = &ab.Result{}
		into = b.AB
	case history.Schema:
		b.History = &history.Report{}
		into = b.History
	default:
		return nil, unreadable(fmt.Errorf("unknown schema %.40q (want %q, %q, %q or %q)",
			head.Schema, rounds.Schema, bench.Schema, ab.Schema, history.Schema))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, unreadable(err)
	}
	if b.Run != nil {
		b.Run.Summary.Warnings = b.Run.Warnings
		b.Compared = &b.Run.Summary
	}
	// The file may be from elsewhere, and refer to commits or machines that it does not have.
	if _, err := b.Document(); err != nil {
		return nil, unreadable(err)
	}
	return b, nil
}

// Document returns what a page shows.
func (b *Bench) Document() (doc *BenchDocument, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, errors.New("its parts contradict each other")
		}
	}()
	switch {
	case b.History != nil:
		d := benchmarks.NewHistoryDocument(b.History)
		return &BenchDocument{History: &d}, nil
	case b.AB != nil:
		d := benchmarks.NewABDocument(b.AB)
		return &BenchDocument{Measured: &d}, nil
	}
	d := benchmarks.NewDocument(b.Compared)
	return &BenchDocument{Measured: &d}, nil
}

// WritePage writes the self-contained page.
func (b *Bench) WritePage(w io.Writer) error {
	switch {
	case b.History != nil:
		return benchmarks.WriteHistoryPage(w, b.History)
	case b.AB != nil:
		return benchmarks.WriteABPage(w, b.AB)
	}
	return benchmarks.WritePage(w, b.Compared)
}

// text returns the results of one run in Go's benchmark format. A cell has at most bench.MaxValues of them.
func (b *Bench) text() (string, error) {
	if b.Compared == nil {
		return "", errors.New("it is a comparison of builds or commits")
	}
	var out strings.Builder
	for _, t := range b.Compared.Tables {
		if len(t.Columns) != 1 {
			return "", errors.New("it is a comparison already")
		}
		for _, f := range t.Config {
			if f.Key != "" && !strings.HasPrefix(f.Key, ".") && !strings.ContainsAny(f.Key+f.Value, "\r\n") {
				fmt.Fprintf(&out, "%s: %s\n", f.Key, f.Value)
			}
		}
		for _, row := range t.Rows {
			if row.Name == "" || strings.ContainsAny(row.Name+t.Unit, " \t\r\n") || len(row.Cells) != 1 || row.Cells[0] == nil {
				continue // the format cannot represent it
			}
			for _, v := range row.Cells[0].Values {
				fmt.Fprintf(&out, "Benchmark%s 1 %v %s\n", row.Name, v, t.Unit)
			}
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}
