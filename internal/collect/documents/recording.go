package documents

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// RecordingSchema is the schema of Recording.
const RecordingSchema = "whet.recording/1"

// Recording is the document of whet recording: what a file has.
type Recording struct {
	Schema string         `json:"schema"`
	Path   string         `json:"path"`
	Bytes  int64          `json:"bytes"`
	Meta   recording.Meta `json:"meta"`
	Load   *load.Result   `json:"load,omitempty"`
	// Arguments describe the calls that were copied, by function; Calls are the calls themselves, where they are
	// requested.
	Arguments []arguments.Summary `json:"arguments,omitempty"`
	Calls     []support.Function  `json:"calls,omitempty"`
	// NotCopied are functions that were to be copied.
	NotCopied []instrument.Left `json:"not_copied,omitempty"`
	Warnings  diag.Warnings     `json:"warnings,omitempty"`
}

// RecordingOptions configure ReadRecording.
type RecordingOptions struct {
	Functions *regexp.Regexp // whose calls are described; nil means all
	Calls     bool           // list the calls themselves
}

// ReadRecording reads what the recording at a path has.
func ReadRecording(path string, o RecordingOptions) (d Recording, err error) {
	r, err := recording.Open(path)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	d = Recording{Schema: RecordingSchema, Path: path, Meta: r.Meta(), Warnings: r.Warnings}
	if fi, err := os.Stat(path); err == nil {
		d.Bytes = fi.Size()
	}
	if r.Has(recording.LoadPart) {
		d.Load = &load.Result{}
		if err := r.JSON(recording.LoadPart, d.Load); err != nil {
			d.Load = nil
			d.Warnings.Add(err)
		}
	}
	all, err := ReadArguments(r)
	if err != nil {
		d.Warnings.Add(err)
		return d, nil
	}
	if all == nil {
		return d, nil
	}
	d.NotCopied = all.Left
	if re := o.Functions; re != nil {
		var some []support.Function
		for _, f := range all.Functions {
			if re.MatchString(f.Package + "." + f.Name) {
				some = append(some, f)
			}
		}
		if len(some) == 0 {
			return d, &diag.Error{
				Op: "match functions", Subject: fmt.Sprintf("%q", re), Err: errors.New("no calls of such a function were copied"),
				Hint: "whet recording " + path + " lists them all",
			}
		}
		all.Functions = some
	}
	d.Arguments = arguments.Summarize(all)
	if o.Calls {
		d.Calls = all.Functions
	}
	return d, nil
}

// ReadArguments reads the calls of a recording; nil if it has none.
func ReadArguments(r *recording.Recording) (d *arguments.Document, err error) {
	if !r.Has(recording.ArgumentsPart) {
		return nil, nil //nolint:nilnil // there are none, as documented
	}
	part, err := r.Part(recording.ArgumentsPart)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	data, err := io.ReadAll(io.LimitReader(part, arguments.MaxDocument+1))
	if err != nil {
		return nil, err
	}
	return arguments.Decode(data)
}
