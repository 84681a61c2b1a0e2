package documents

import (
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/profile"
)

// The schemas of List and Disasm.
const (
	ListSchema   = "whet.list/2"
	DisasmSchema = "whet.disasm/2"
)

// List is the document of whet list: the annotated source of the matching functions, heaviest
// first.
type List struct {
	Schema    string                 `json:"schema"`
	Header    Header                 `json:"profile"`
	Functions []listing.ListFunction `json:"functions"`
	Warnings  diag.Warnings          `json:"warnings,omitempty"`
}

// NewList returns the document of a view's source.
func NewList(h Header, v *profile.View, o listing.ListOptions) (*List, error) {
	functions, err := listing.List(v, o)
	return &List{Schema: ListSchema, Header: h, Functions: functions}, err
}

// Disasm is the document of whet disasm: the annotated machine code of the matching functions,
// heaviest first.
type Disasm struct {
	Schema    string                   `json:"schema"`
	Header    Header                   `json:"profile"`
	Functions []listing.DisasmFunction `json:"functions"`
	Warnings  diag.Warnings            `json:"warnings,omitempty"`
}

// NewDisasm returns the document of a view's machine code.
func NewDisasm(h Header, v *profile.View, o listing.DisasmOptions) (*Disasm, error) {
	functions, err := listing.Disasm(v, o)
	return &Disasm{Schema: DisasmSchema, Header: h, Functions: functions}, err
}

// MissingSource lists the files whose source was not found, each once.
func (d *List) MissingSource() []string {
	var files []string
	for _, f := range d.Functions {
		if f.NoSource != "" && f.File != "" && !slices.Contains(files, f.File) {
			files = append(files, f.File)
		}
	}
	return files
}
