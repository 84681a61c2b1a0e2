package results

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/prove"
)

// maxSize is the size of the largest file with results, in bytes.
const maxSize = 64 << 20

// A Reader reads the files of a set.
type Reader struct{ files *files.Set }

// New returns a Reader of set.
func New(set *files.Set) *Reader { return &Reader{set} }

// Findings returns the findings in a file that whet find --json wrote.
func (r *Reader) Findings(name string) (*find.Result, error) {
	doc := &find.Result{}
	return doc, r.document(name, "findings", find.Schema, "find", doc)
}

// Proof returns the proof in a file that whet prove --json wrote.
func (r *Reader) Proof(name string) (*prove.Result, error) {
	doc := &prove.Result{}
	return doc, r.document(name, "proof", prove.Schema, "prove", doc)
}

// Fixes returns the outcomes in a file that whet fix --json wrote.
func (r *Reader) Fixes(name string) (*fix.Result, error) {
	doc := &fix.Result{}
	return doc, r.document(name, "fixes", fix.Schema, "fix", doc)
}

// document reads what a command wrote with --json into doc. what is what the file has, and schema its
// version.
func (r *Reader) document(name, what, schema, command string, doc any) error {
	data, err := r.read(name)
	if err != nil {
		return err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	err = json.Unmarshal(data, &head)
	if err == nil && head.Schema != schema {
		err = fmt.Errorf("unknown schema %.40q (want %q)", head.Schema, schema)
	}
	if err == nil {
		err = json.Unmarshal(data, doc)
	}
	if err != nil {
		return &diag.Error{
			Op: "read " + what, Subject: name, Err: err, Hint: "`whet " + command + " --json` writes such files",
		}
	}
	return nil
}

// read returns the contents of a file.
func (r *Reader) read(name string) ([]byte, error) {
	place, err := r.files.Path(name)
	if err != nil {
		return nil, err
	}
	f, err := r.files.OpenFile(place)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxSize {
		return nil, &diag.Error{Op: "read", Subject: name, Err: fmt.Errorf("more than %d MB", maxSize>>20)}
	}
	return data, nil
}
