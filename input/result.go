package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// maxLoadFile is the maximum size of a file with a load's result: that of a day has 86 400 seconds
// of about 150 bytes.
const maxLoadFile = 256 << 20

// Load returns the result of a load, from the JSON of whet load or from a recording with a load.
// "-" is stdin.
func Load(name string, stdin io.Reader) (*load.Result, error) {
	if isRecording(name) {
		return recordedLoad(name)
	}
	fails := func(err error) (*load.Result, error) {
		return nil, &diag.Error{
			Op: "read result", Subject: name, Err: err,
			Hint: "give what `whet load -o FILE` has written, or a recording with a load",
		}
	}
	data, err := ReadFile(name, stdin, maxLoadFile)
	if err != nil {
		return nil, &diag.Error{Op: "read result", Err: err}
	}
	r := new(load.Result)
	if err := json.Unmarshal(data, r); err != nil {
		return fails(fmt.Errorf("not the JSON of a load result: %w", err))
	}
	if r.Schema != load.Schema {
		return fails(fmt.Errorf("unknown schema %q (want %q)", terminal.Clean(r.Schema), load.Schema))
	}
	return r, nil
}

// isRecording reports whether a file begins as recordings do.
func isRecording(name string) bool {
	f, err := os.Open(name)
	if err != nil || name == "-" {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return recording.IsRecording(head[:n])
}

func recordedLoad(name string) (*load.Result, error) {
	rec, err := recording.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rec.Close() }() // only read
	if !rec.Has(recording.LoadPart) {
		return nil, &diag.Error{
			Op: "read result", Subject: name, Err: errors.New("the recording has no load"),
			Hint: "record with --load URL",
		}
	}
	r := new(load.Result)
	if err := rec.JSON(recording.LoadPart, r); err != nil {
		return nil, err
	}
	r.Schema = load.Schema // older recordings have none
	return r, nil
}
