package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/measured"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

// pushFlags are the flags of whet push.
type pushFlags struct {
	storeFlags
	Service string
	Type    string
	Time    string
	Labels  []string
	Whole   bool
	Commit  string
	JSON    bool
}

func (a *app) pushCommand() *cobra.Command {
	f := &pushFlags{}
	cmd := &cobra.Command{
		Use:   "push FILE...",
		Short: "Store profiles, to see them over time",
		Long: `Store profiles, to see them over time with whet query.

A FILE is a pprof profile or a recording (.whet), of which each profile is
stored. A profile belongs to a service (default: the name of the program in the
profile) and has labels, such as its version or region. It is stored once, even
if it is pushed again.

A FILE can also be what whet load, find, fix or prove wrote with --json. It is
stored as a result of the commit that is checked out, or of --commit, for whet
query results.

The store is a directory, which is created, the address of whet serve --store,
or that of ClickHouse. Only one process at a time can write to a directory.`,
		Example: `  whet push cpu.pb.gz --store profiles --service shop --label version=v1.4
  whet push before.whet after.whet --store profiles
  whet push load.json proof.json --store profiles --service shop --commit HEAD
  whet push cpu.pb.gz --store http://localhost:7070 --token-file token
  whet push cpu.pb.gz --store clickhouse://whet@db1:9000,db2:9000/whet`,
		Args: someArgs("no file given", "name a pprof file or a recording: `whet push cpu.pb.gz --store DIR`"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.registerStore(fs, true)
	fs.StringVar(&f.Service, "service", "", "`NAME` of the service (default: the name of the program)")
	fs.StringArrayVar(&f.Labels, "label", nil, "add the label `NAME=VALUE`; may repeat")
	fs.StringVar(&f.Type, "type", "",
		"the `KIND` of a pprof file: cpu, heap, allocs, block, mutex, … (default: by its content)")
	fs.StringVar(&f.Time, "time", "",
		"the `DATE` of a pprof file or result without one, such as 2026-11-01T12:00:00Z or 2026-11-01")
	fs.StringVar(&f.Commit, "commit", "",
		"the commit of results, any `REV` that git accepts (default: HEAD, without other changes)")
	fs.BoolVar(&f.Whole, "whole", false, "also store recordings as they are, for whet query recordings")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.push(cmd.Context(), args, f) }
	return cmd
}

func (a *app) push(ctx context.Context, args []string, f *pushFlags) error {
	labels := map[string]string{}
	for _, text := range f.Labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return diag.Usagef("--label", fmt.Sprintf("%q is not NAME=VALUE", text), "write --label version=v1.4")
		}
		labels[name] = value
	}
	doc := documents.NewPush(plainStore(f.Store))
	var all []store.Profile
	var whole []wholeRecording
	var documented []string
	for _, file := range args {
		if isDocument(file) {
			documented = append(documented, file)
			continue
		}
		ps, parts, err := a.profilesOf(file, f, labels)
		if err != nil {
			return err
		}
		if f.Whole {
			one, err := wholeOf(file, ps[0].Service, labels)
			if err != nil {
				return err
			}
			whole = append(whole, one)
		}
		all = append(all, ps...)
		for i := range ps {
			doc.Add(file, parts[i], &ps[i])
		}
	}
	results, err := resultsOf(ctx, documented, f)
	if err != nil {
		return err
	}
	s, err := a.openStore(ctx, "push", &f.storeFlags, local.Options{Create: true})
	if err != nil {
		return err
	}
	err = s.Write(ctx, f.Tenant, all)
	if err == nil && len(results) > 0 {
		err = writeResults(ctx, s, f.Tenant, results)
		for i := range results {
			doc.Results = append(doc.Results, documents.PushedResult{
				File: documented[i], Entry: measured.NewEntry(&results[i], false),
			})
		}
	}
	if err == nil {
		doc.Recordings, err = writeWhole(ctx, s, f.Tenant, whole)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	doc.Warnings = a.warned
	return show(a, f.JSON, doc, stores.WritePush)
}

// profilesOf reads the profiles in a file, and their names if it is a recording.
func (a *app) profilesOf(
	file string, f *pushFlags, labels map[string]string,
) (ps []store.Profile, parts []string, err error) {
	if !isRecordingFile(file) {
		p, err := profile.ReadFile(file, profile.ReadOptions{})
		if err != nil {
			hint := "a pprof profile or a recording is wanted"
			if errors.Is(err, fs.ErrNotExist) {
				hint = ""
			}
			return nil, nil, &diag.Error{Op: "push", Subject: file, Err: err, Hint: hint}
		}
		if p.Time.IsZero() && f.Time != "" {
			at, err := parseTime(f.Time)
			if err != nil {
				return nil, nil, diag.Usagef("--time", err.Error(), "write --time 2026-11-01T12:00:00Z")
			}
			timed := *p
			timed.Time, p = at, &timed
		}
		kind := f.Type
		if kind == "" {
			kind = store.KindOf(p, file)
		}
		one, err := stored(file, kind, p, f.Service, labels)
		return []store.Profile{one}, []string{""}, err
	}
	if f.Type != "" {
		return nil, nil, diag.Usagef("push", "--type has no effect on a recording, whose profiles have names", "leave it out")
	}
	rec, err := recording.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rec.Close() }() // only read
	a.warn(rec.Warnings...)
	meta := rec.Meta()
	service := f.Service
	if service == "" && meta.Build != nil {
		service = path.Base(filepath.ToSlash(meta.Build.Path))
	}
	for _, name := range rec.ProfileNames() {
		p, err := rec.Profile(name)
		if err != nil {
			return nil, nil, err
		}
		own := map[string]string{}
		for k, v := range labels {
			own[k] = v
		}
		if dir := path.Dir(name); dir != "." {
			own["part"] = dir
		}
		copied := *p
		if copied.Time.IsZero() {
			copied.Time = meta.Created
		}
		one, err := stored(file, store.NewKind(path.Base(name)), &copied, service, own)
		if err != nil {
			return nil, nil, err
		}
		one.Labels = one.Labels.WithRevision(meta.Build.Revision())
		ps, parts = append(ps, one), append(parts, name)
	}
	if len(ps) == 0 {
		return nil, nil, &diag.Error{Op: "push", Subject: file, Err: errors.New("the recording has no profile")}
	}
	return ps, parts, nil
}

// writeResults stores documents of measurements.
func writeResults(ctx context.Context, s store.Store, tenant string, results []store.Result) error {
	to, ok := s.(store.ResultStore)
	if !ok {
		return fmt.Errorf("push: a store of type %T takes no results", s)
	}
	return to.WriteResults(ctx, tenant, results)
}

// isDocument reports whether a file is one of JSON. If it cannot be read, reading it as a profile says why.
func isDocument(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(bytes.TrimSpace(head[:n]), []byte("{"))
}

// isRecordingFile reports whether a file begins as a recording does. If it cannot be read, reading
// it as a profile says why.
func isRecordingFile(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return recording.IsRecording(head[:n])
}

// stored returns what is stored of a profile in a file.
func stored(file, kind string, p *profile.Profile, service string, labels map[string]string) (store.Profile, error) {
	if service == "" && len(p.Mappings) > 0 {
		service = path.Base(filepath.ToSlash(p.Mappings[0].File))
	}
	one := store.Profile{
		Service: service, Kind: kind, Labels: store.NewLabels(labels), Start: p.Time, Duration: p.Duration, Data: p,
	}
	switch {
	case service == "" || service == "." || service == "/":
		return one, diag.Usagef("push", file+" does not name its program", "name the service with --service")
	case p.Time.IsZero():
		return one, &diag.Error{
			Op: "push", Subject: file, Err: errors.New("the profile has no time"),
			Hint: "say when it began with --time 2026-11-01T12:00:00Z",
		}
	}
	return one, nil
}
