package machinecode

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// Code opens the machine code of a profile's mappings. It is not safe for concurrent use, and must
// be closed.
type Code struct {
	Warnings diag.Warnings // about binaries that may be of another build

	in     *input.Input
	binary string
	open   []*objfile.Binary
}

// Of returns the code of an input. binary, unless it is empty, names the file to read instead of the one that the
// profile names.
func Of(in *input.Input, binary string) *Code {
	return &Code{in: in, binary: binary}
}

// Close closes the binaries that were opened. The code that Mapping returned must not be used afterwards.
func (c *Code) Close() {
	for _, b := range c.open {
		_ = b.Close() // only read
	}
}

// Mapping returns the code of a mapping, an index into Profile.Mappings or -1 for samples without one, and the name
// of where it comes from: the requested file, the file that the profile names if it is the same build, the
// recording, or the file if its build is not known.
func (c *Code) Mapping(mapping int) (code objfile.Machine, from string, err error) {
	var m profile.Mapping
	if mapping >= 0 {
		m = c.in.Profile.Mappings[mapping]
	}
	if c.binary != "" {
		b, err := c.openBinary(c.binary)
		if err != nil {
			return nil, "", &diag.Error{Op: "--binary", Err: err}
		}
		if same, known := sameBuild(b, m.BuildID); known && !same {
			c.Warnings = append(c.Warnings, diag.Warning{
				Text: fmt.Sprintf("%s is another build than the profile's (%s, not %s): "+
					"costs may be shown at the wrong instructions", c.binary, b.BuildID(), m.BuildID),
				Hint: "use the file that ran when the profile was recorded",
			})
		}
		return b, c.binary, nil
	}
	var tried []string
	var unsure *objfile.Binary
	paths := binaryPaths(m.File)
	if c.in.Confined() {
		paths = nil
	}
	for _, path := range paths {
		b, err := c.openBinary(path)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("file %s does not exist", path)
			}
			tried = append(tried, err.Error())
			continue
		}
		same, known := sameBuild(b, m.BuildID)
		switch {
		case same:
			return b, path, nil
		case known:
			tried = append(tried, fmt.Sprintf("%s is another build (%s, the profile is of %s)", path, b.BuildID(), m.BuildID))
		case unsure == nil && path == m.File:
			unsure = b
		}
	}
	pack, err := c.recorded(mapping, m)
	switch {
	case err != nil:
		tried = append(tried, err.Error())
	case pack != nil:
		return pack, "the recording", nil
	}
	if unsure != nil {
		c.Warnings = append(c.Warnings, diag.Warning{
			Text: "cannot verify that " + m.File + " is the build that was profiled: " +
				"if not, costs are shown at the wrong instructions",
			Hint: "--binary FILE names the file that ran",
		})
		return unsure, m.File, nil
	}
	if len(tried) == 0 {
		tried = []string{"the profile does not name the program"}
	}
	return nil, "", &diag.Error{
		Op: "find machine code", Subject: m.File, Err: errors.New(strings.Join(tried, "; ")),
		Hint: "--binary FILE names the program that was profiled",
	}
}

func (c *Code) openBinary(path string) (*objfile.Binary, error) {
	b, err := objfile.Open(path)
	if err != nil {
		return nil, err
	}
	c.open = append(c.open, b)
	return b, nil
}

// binaryPaths lists where the file of a mapping may be: where it was, and in the working directory.
func binaryPaths(file string) []string {
	if file == "" || !filepath.IsAbs(file) || strings.HasPrefix(file, "[") {
		return nil
	}
	paths := []string{file}
	if here, err := filepath.Abs(filepath.Base(file)); err == nil && here != file {
		paths = append(paths, here)
	}
	return paths
}

// sameBuild reports whether b has the build ID that the profile gives its mapping. known is false if one of the two
// has none.
func sameBuild(b *objfile.Binary, id string) (same, known bool) {
	if id == "" {
		return false, false
	}
	gnu, goID := b.BuildID(), b.GoBuildID()
	same = id == gnu || id == goID
	return same, same || gnu != ""
}

// recorded returns the code of a mapping that the recording contains, or nil.
func (c *Code) recorded(mapping int, m profile.Mapping) (*objfile.Code, error) {
	rec := c.in.Recording
	if rec == nil {
		return nil, nil
	}
	r, err := rec.Part(recording.CodePart)
	if err != nil {
		return nil, errors.New("the recording has no machine code")
	}
	data, err := io.ReadAll(r)
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of the recording: %w", recording.CodePart, err)
	}
	pack, err := objfile.OpenCode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s of the recording: %w", recording.CodePart, err)
	}
	if id := pack.BuildID(); m.BuildID != "" && id != "" && id != m.BuildID || mapping > 0 && m.BuildID == "" {
		return nil, errors.New("the recording has the machine code of another file")
	}
	return pack, nil
}
