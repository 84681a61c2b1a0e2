package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

func (a *app) queryRecordingsCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := a.listing("recordings [SELECTOR]", "List whole recordings, or write one to a file",
		"List the recordings that are stored as a whole, newest first: those that the\n"+
			"triggers of whet watch --config made, and those of whet push --whole.\n"+
			"--id ID -o FILE.whet writes one, for all views.",
		"  whet query recordings '{service=\"shop\",trigger=\"slow\"}' --store profiles\n"+
			"  whet query recordings --id 0a2f… -o slow.whet --store profiles", f, nil)
	fs := cmd.Flags()
	fs.StringVar(&f.ID, "id", "", "write the recording with this `ID` to -o")
	registerNumber(fs, &f.N, 20, "list", "recordings")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.queryRecordings(cmd, args, f) }
	return cmd
}

func (a *app) queryRecordings(cmd *cobra.Command, args []string, f *queryFlags) error {
	ctx := cmd.Context()
	if err := checkUseless("query recordings", cmd.Flags().Changed, []useless{
		{"type", true, "on recordings, which have profiles of several kinds", "select by service and labels"},
		{"output", f.ID == "", "without --id", "name the recording with --id"},
		{"force", f.ID == "", "without --id", "leave it out"},
		{"number", f.ID != "", "with --id", "leave it out"},
		{"json", f.ID != "", "with --id, which writes the recording", "leave it out"},
	}); err != nil {
		return err
	}
	if err := errors.Join(checkNumber("recordings", f.N), f.checkOutput()); err != nil {
		return err
	}
	if f.ID != "" && f.Output == "" {
		return diag.Usagef("query recordings", "--id without -o", "name the file with -o FILE.whet")
	}
	q, _, err := f.selected("query recordings", args)
	if err != nil {
		return err
	}
	opened, err := a.openQuery(ctx, f)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }() // only read
	s, ok := opened.(store.RecordingStore)
	if !ok {
		return fmt.Errorf("query recordings: a store of type %T has none", opened)
	}
	if f.ID != "" {
		return a.writeRecording(ctx, s, f)
	}
	limit := f.N
	if limit == 0 {
		limit = 1 << 30
	}
	list, err := s.Recordings(ctx, q, limit)
	if err != nil {
		return err
	}
	doc := documents.NewRecordings(list)
	doc.Partial, doc.Warnings = a.lacks, a.warned
	return show(a, f.JSON, doc, stores.WriteRecordings)
}

// writeRecording writes a stored recording where -o says.
func (a *app) writeRecording(ctx context.Context, s store.RecordingStore, f *queryFlags) error {
	id, err := store.ParseID(f.ID)
	if err != nil {
		return &diag.Error{Op: "--id", Err: err, Kind: diag.Usage, Hint: "`whet query recordings` lists them"}
	}
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		_, err := s.ReadRecording(ctx, f.Tenant, id, nil, w)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return &diag.Error{
			Op: "query recordings", Subject: f.ID, Err: errors.New("there is no such recording"),
			Hint: "`whet query recordings` lists them",
		}
	}
	return err
}

// A wholeRecording is a file that is to be stored as it is.
type wholeRecording struct {
	file string
	store.Recording
	content []byte
}

// wholeOf reads a recording. It is in memory until it is stored.
func wholeOf(file, service string, labels map[string]string) (w wholeRecording, err error) {
	fail := func(err error, hint string) (wholeRecording, error) {
		return w, &diag.Error{Op: "push", Subject: file, Err: err, Hint: hint}
	}
	limit := store.Limits{}.WithDefaults().Recording
	fi, err := os.Stat(file)
	if err == nil && fi.Size() > limit {
		return fail(fmt.Errorf("it has %s (at most %s are stored)", unit.Bytes(fi.Size()), unit.Bytes(limit)),
			"leave out --whole to store its profiles")
	}
	if err == nil {
		w.content, err = os.ReadFile(file)
	}
	if err != nil {
		return fail(err, "")
	}
	rec, err := recording.NewReader(bytes.NewReader(w.content), int64(len(w.content)))
	if err != nil {
		return fail(err, "--whole is for recordings: .whet files")
	}
	meta := rec.Meta()
	w.file = file
	w.Recording = store.Recording{
		Service: service, Labels: store.NewLabels(labels).WithRevision(meta.Build.Revision()), Start: meta.Created,
		Duration: meta.Duration, Size: int64(len(w.content)),
	}
	return w, nil
}

// writeWhole stores recordings, and describes them.
func writeWhole(
	ctx context.Context, s store.Store, tenant string, all []wholeRecording,
) (out []documents.PushedRecording, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	to, ok := s.(store.RecordingWriter)
	if !ok {
		return nil, fmt.Errorf("push: a store of type %T takes no recordings", s)
	}
	for _, w := range all {
		if w.ID, err = to.WriteRecording(ctx, tenant, w.Recording, w.content); err != nil {
			return out, err
		}
		out = append(out, documents.PushedRecording{File: w.file, Recording: w.Recording})
	}
	return out, nil
}
