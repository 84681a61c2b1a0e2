package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/measured"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

// resultFlags are the flags of whet query results.
type resultFlags struct {
	queryFlags
	Service string
	Commit  string
}

func (a *app) queryResultsCommand() *cobra.Command {
	f := &resultFlags{}
	cmd := &cobra.Command{
		Use:   "results",
		Short: "List results of bench, load, find, fix and prove, by commit",
		Long: `List the results of measurements that are stored, newest first: those of whet
load, find, fix and prove that whet push stored, and those of benchmarks. -o
writes the newest of them as it was stored.

whet bench history --store shows how benchmarks changed along the commits.`,
		Example: `  whet query results --store profiles
  whet query results --store profiles --type load --service shop --since 720h
  whet query results --store profiles --type prove -n 1 -o proof.json`,
		Args: noArgs,
	}
	f.registerQuery(cmd)
	fs := cmd.Flags()
	fs.Lookup("type").Usage = "select the `KIND` bench, load, find, fix or prove"
	fs.StringVar(&f.Service, "service", "", "select the results of the service or module `NAME`")
	fs.StringVar(&f.Commit, "commit", "", "select the results of the commit `HASH`, which is whole")
	registerNumber(fs, &f.N, 20, "list", "results")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.queryResults(cmd, f) }
	return cmd
}

// maxListed is how many results a list has at most: their documents are read, too.
const maxListed = 1000

func (a *app) queryResults(cmd *cobra.Command, f *resultFlags) error {
	err := checkUseless("query results", cmd.Flags().Changed, []useless{
		{"json", f.Output != "", "with -o, which writes the newest document", "leave one out"},
	})
	if err := errors.Join(err, checkNumber("results", f.N), f.checkOutput()); err != nil {
		return err
	}
	q, _, err := f.selected("query results", nil)
	if err != nil {
		return err
	}
	opened, err := a.openQuery(cmd.Context(), &f.queryFlags)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }() // only read
	s, ok := opened.(store.ResultStore)
	if !ok {
		return fmt.Errorf("query results: a store of type %T has none", opened)
	}
	want := store.ResultQuery{
		Tenant: q.Tenant, Kind: q.Kind, Service: f.Service, Revision: f.Commit, From: q.From, To: q.To, Limit: f.N,
	}
	switch {
	case f.Output != "":
		want.Limit = 1
	case want.Limit == 0 || want.Limit > maxListed:
		want.Limit = maxListed
	}
	list, err := s.Results(cmd.Context(), want)
	if err != nil {
		return err
	}
	if f.Output == "" {
		doc := documents.NewResults(list, false)
		doc.Partial, doc.Warnings = a.lacks, a.warned
		return show(a, f.JSON, doc, stores.WriteResults)
	}
	if len(list) == 0 {
		return &diag.Error{
			Op: "query results", Err: errors.New("no results match"), Hint: "`whet query results` lists what is stored",
		}
	}
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		_, err := w.Write(list[0].Document)
		return err
	})
}

// resultsOf reads documents of measurements, all of the same commit.
func resultsOf(ctx context.Context, files []string, f *pushFlags) ([]store.Result, error) {
	if len(files) == 0 {
		if f.Commit != "" {
			return nil, diag.Usagef("push", "--commit has no effect without a result of load, find, fix or prove",
				"label profiles with --label version=VERSION")
		}
		return nil, nil
	}
	commit, err := measuredCommit(ctx, f.Commit, files)
	if err != nil {
		return nil, err
	}
	var all []store.Result
	for _, file := range files {
		r, err := resultOf(file, f)
		if err != nil {
			return nil, &diag.Error{Op: "push", Subject: file, Err: err, Hint: diag.Hint(err)}
		}
		r.Revision = commit
		all = append(all, r)
	}
	return all, nil
}

var commitHash = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// measuredCommit returns the hash of the commit that was measured; "" outside of a repository.
func measuredCommit(ctx context.Context, ref string, files []string) (string, error) {
	if commitHash.MatchString(ref) {
		return ref, nil
	}
	c, err := history.Measured(ctx, "", ref, files)
	if errors.Is(err, history.ErrNoRepository) && ref == "" {
		return "", nil
	}
	return c.Hash, err
}

func resultOf(file string, f *pushFlags) (r store.Result, err error) {
	fi, err := os.Stat(file)
	if err != nil {
		return r, err
	}
	if fi.Size() > store.MaxDocument {
		return r, fmt.Errorf("it has %s (at most %s are stored)", unit.Bytes(fi.Size()), unit.Bytes(store.MaxDocument))
	}
	document, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	about, err := measured.Read(document)
	if err != nil {
		return r, err
	}
	r = store.Result{Kind: about.Kind, Service: f.Service, Time: about.Time, Document: document}
	if f.Time != "" {
		if r.Time, err = parseTime(f.Time); err != nil {
			return r, diag.Usagef("--time", err.Error(), "write --time 2026-11-01T12:00:00Z")
		}
	}
	if r.Time.IsZero() {
		r.Time = fi.ModTime().UTC().Truncate(time.Second)
	}
	if r.Service == "" {
		r.Service = about.Module
	}
	if r.Service == "" {
		return r, diag.Usagef("push", "it does not name what was measured", "name it with --service")
	}
	return r, nil
}
