package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/listings"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source"
)

// disasmFlags are the flags of whet disasm besides those of all views.
type disasmFlags struct {
	viewFlags
	Binary  string
	Syntax  string
	Context int
}

func (a *app) disasmCommand() *cobra.Command {
	f := &disasmFlags{}
	cmd := &cobra.Command{
		Use:   "disasm REGEXP " + profilesUsage,
		Short: "Show machine code with the cost of each instruction",
		Long: `Show the machine code of the functions whose names match REGEXP (or of the one
at an address, such as 0x4a2f30), with the flat and cumulative cost of each
instruction, as in go tool pprof -disasm. Source lines and inlined calls are
shown where they change, and the called function next to each call.

The code comes from the recording, or from the program that the profile names,
if the file is still the same build. --binary names another file. No binutils
are needed.

` + profilesHelp,
		Example: `  whet disasm '^main\.' demo.whet
  whet disasm --binary ./leftpad '^main\.' cpu.pb.gz
  whet disasm --context 3 --syntax intel '^main\.' cpu.pb.gz`,
		Args: patternArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 0, "functions")
	fs := cmd.Flags()
	fs.StringVar(&f.Binary, "binary", "", "read the machine code from `FILE`")
	fs.StringVar(&f.Syntax, "syntax", "go", "instruction `SYNTAX`: go, gnu or intel")
	fs.IntVar(&f.Context, "context", -1, "show only `N` instructions around each expensive one")
	fs.Lookup("context").DefValue = "the whole function"
	fixFlags(cmd, "code is shown by address", "by", "no-inlines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkContext(cmd, f.Context); err != nil {
			return err
		}
		f.By, f.NoInlines = "address", true
		return a.disasm(cmd, args, f)
	}
	return cmd
}

func (a *app) disasm(cmd *cobra.Command, args []string, f *disasmFlags) error {
	pattern, err := compileFlag("disasm", args[0])
	if err != nil {
		return err
	}
	syntax, ok := map[string]source.Syntax{"go": source.GoSyntax, "gnu": source.GNUSyntax, "intel": source.IntelSyntax}[f.Syntax]
	if !ok {
		return unknownValue("disasm", "syntax", f.Syntax, []string{"go", "gnu", "intel"})
	}
	in, err := a.open(cmd.Context(), args[1:], &f.viewFlags)
	if err != nil {
		return err
	}
	defer in.Close()
	code := &codeFinder{in: in, binary: f.Binary}
	defer code.close()
	doc, err := listings.NewDisasm(f.header(in), in.View, listings.DisasmOptions{
		Match: pattern, Code: code.find, Source: in.Source, Syntax: syntax, Context: f.Context,
	})
	a.printWarnings(append(in.Warnings, code.warnings...))
	switch {
	case errors.Is(err, listings.ErrNoMatch):
		if callers := inlinedInto(in.Profile, pattern); len(callers) > 0 {
			return &diag.Error{
				Op: "disasm", Err: fmt.Errorf("functions that match %q are inlined everywhere and have no machine code", args[0]),
				Hint: "they are inlined into " + strings.Join(callers, ", ") + "; `whet list` shows the source and its cost",
			}
		}
		return disasmNoMatch(args[0], err)
	case err != nil:
		return err
	}
	if f.N > 0 && len(doc.Functions) > f.N {
		doc.Functions = doc.Functions[:f.N]
	}
	if f.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return listings.WriteDisasm(w, a.style, doc) })
}

// inlinedInto names some of the functions into which those that match were inlined.
func inlinedInto(p *profile.Profile, pattern *regexp.Regexp) []string {
	const most = 3
	var callers []string
	for i := range p.Locations {
		frames := p.Frames(uint32(i))
		outer := frames[len(frames)-1].Function
		for _, f := range frames[:len(frames)-1] {
			if f.Function == profile.None || outer == profile.None || !pattern.MatchString(p.Functions[f.Function].Name) {
				continue
			}
			if name := p.Functions[outer].Name; len(callers) < most && !slices.Contains(callers, name) {
				callers = append(callers, name)
			}
		}
	}
	return callers
}

func disasmNoMatch(pattern string, err error) error {
	if _, perr := strconv.ParseUint(pattern, 0, 64); perr == nil {
		return &diag.Error{Op: "disasm", Err: fmt.Errorf("no function with cost at %s", pattern), Hint: "`whet top --by address -n 0` lists addresses"}
	}
	if errors.Unwrap(err) != nil { // matched in the profile, not in the binary
		return &diag.Error{Op: "disasm", Subject: strconv.Quote(pattern), Err: err, Hint: "check that this is the profiled binary, or name another with --binary FILE"}
	}
	return noMatch("disasm", pattern, "function")
}

// A codeFinder finds the machine code of a profile's mappings.
type codeFinder struct {
	in       *input.Input
	binary   string // --binary
	open     []*source.Binary
	warnings []error
}

func (c *codeFinder) close() {
	for _, b := range c.open {
		_ = b.Close() // only read
	}
}

// find returns the code of a mapping: of --binary, of the file that the profile
// names when it is the same build, of the recording, or of the file when nothing
// tells its build. It implements listings.DisasmOptions.Code.
func (c *codeFinder) find(mapping int) (listings.DisasmCode, error) {
	var m profile.Mapping
	if mapping >= 0 {
		m = c.in.Profile.Mappings[mapping]
	}
	if c.binary != "" {
		b, err := c.openBinary(c.binary)
		if err != nil {
			return listings.DisasmCode{}, &diag.Error{Op: "--binary", Err: err}
		}
		if same, known := sameBuild(b, m.BuildID); known && !same {
			c.warnings = append(c.warnings, &diag.Error{
				Op:   fmt.Sprintf("%s is another build than the profile's (%s, not %s): costs may stand at the wrong instructions", c.binary, b.BuildID(), m.BuildID),
				Hint: "use the file that ran when the profile was recorded",
			})
		}
		return listings.DisasmCode{Machine: b, Name: c.binary}, nil
	}
	var tried []string
	var unsure *source.Binary
	for _, path := range binaryPlaces(m.File) {
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
			return listings.DisasmCode{Machine: b, Name: path}, nil
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
		return listings.DisasmCode{Machine: pack, Name: "the recording"}, nil
	}
	if unsure != nil {
		c.warnings = append(c.warnings, &diag.Error{
			Op:   "nothing tells whether " + m.File + " is the build that was profiled: if it is not, costs stand at the wrong instructions",
			Hint: "--binary FILE names the file that ran",
		})
		return listings.DisasmCode{Machine: unsure, Name: m.File}, nil
	}
	if len(tried) == 0 {
		tried = []string{"the profile does not name the program"}
	}
	return listings.DisasmCode{}, &diag.Error{
		Op: "find machine code", Subject: m.File, Err: errors.New(strings.Join(tried, "; ")),
		Hint: "--binary FILE names the program that was profiled",
	}
}

func (c *codeFinder) openBinary(path string) (*source.Binary, error) {
	b, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	c.open = append(c.open, b)
	return b, nil
}

// binaryPlaces lists where the file of a mapping may be: where it was, and here.
func binaryPlaces(file string) []string {
	if file == "" || !filepath.IsAbs(file) || strings.HasPrefix(file, "[") {
		return nil
	}
	places := []string{file}
	if here, err := filepath.Abs(filepath.Base(file)); err == nil && here != file {
		places = append(places, here)
	}
	return places
}

// sameBuild tells whether b has the build id that the profile gives its mapping.
// known is false when one of the two has none.
func sameBuild(b *source.Binary, id string) (same, known bool) {
	if id == "" {
		return false, false
	}
	gnu, goID := b.BuildID(), b.GoBuildID()
	same = id == gnu || id == goID
	return same, same || gnu != ""
}

// recorded returns the code that the recording holds of a mapping, nil when there
// is none.
func (c *codeFinder) recorded(mapping int, m profile.Mapping) (*source.Code, error) {
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
	pack, err := source.OpenCode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s of the recording: %w", recording.CodePart, err)
	}
	if id := pack.BuildID(); m.BuildID != "" && id != "" && id != m.BuildID || mapping > 0 && m.BuildID == "" {
		return nil, errors.New("the recording has the machine code of another file")
	}
	return pack, nil
}
