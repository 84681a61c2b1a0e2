package workbench

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/trace/profiles"
	"github.com/whet-go/whet/profile"
)

// The lengths of the longest parameter, and of the longest path of functions, in bytes.
const (
	maxText = 4000
	maxPath = 200_000
)

// A query is the parameters of a view of a profile. They are the flags of the command.
type query struct {
	File, Type, By                              string
	Focus, Ignore, Hide, Show, ShowFrom, Pruned string
	TagFocus, TagIgnore                         string
	TagRoot                                     string
	Base                                        string
	Relative                                    bool
	given                                       url.Values
}

// fileParam describes the name of a file.
func fileParam() openapi.Param {
	return openapi.Param{Name: "file", About: "the name of a file, as /files lists it", Required: true}
}

// viewParams describes the parameters of a query.
func viewParams(more ...openapi.Param) []openapi.Param {
	about := "sample type, profile of a recording, or PROFILE:SAMPLETYPE, as --type"
	return append(append(filterParams(), openapi.Param{Name: "type", About: about},
		openapi.Param{Name: "relative", About: "shares are of what the filters keep", Type: "boolean"}), more...)
}

// filterParams describes the parameters that say what of a file counts.
func filterParams() []openapi.Param {
	return []openapi.Param{
		fileParam(),
		{Name: "focus", About: "keep samples with a frame that matches this regular expression"},
		{Name: "ignore", About: "drop samples with a frame that matches"},
		{Name: "hide", About: "hide frames that match"},
		{Name: "show", About: "show only frames that match"},
		{Name: "show_from", About: "hide frames above the outermost that matches"},
		{Name: "prune_from", About: "hide frames below the innermost that matches"},
		{Name: "tag_focus", About: "keep samples with a matching label: [KEY=]REGEXP or a range"},
		{Name: "tag_ignore", About: "drop samples with a matching label"},
		{Name: "tagroot", About: "add the value of this label as the outermost frame"},
		{Name: "diff_base", About: "the name of a file to compare with"},
	}
}

// windowParams describes a window of a file's trace.
func windowParams(file openapi.Param) []openapi.Param {
	return []openapi.Param{
		file,
		{Name: "from", About: "start of the window, in nanoseconds since that of the trace", Type: "integer"},
		{Name: "to", About: "end of the window", Type: "integer"},
	}
}

// traceProfiles lists the types of profiles of a trace.
func traceProfiles() []string {
	var names []string
	for _, t := range profiles.Types() {
		names = append(names, string(t))
	}
	return names
}

// byParam describes the granularity.
func byParam() openapi.Param {
	return openapi.Param{
		Name: "by", About: "group by: function, line, file, package, module, address or label:KEY", Type: "string",
	}
}

// numberParam describes a limit.
func numberParam(what string) openapi.Param {
	return openapi.Param{Name: "n", About: "at most this many " + what + "; 0 for all", Type: "integer"}
}

// readQuery reads the parameters of a view.
func readQuery(r *http.Request) (*query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &diag.Error{Op: "read the query", Err: err, Kind: diag.Usage}
	}
	for name, vs := range values {
		for _, v := range vs {
			most := maxText
			if name == "below" {
				most = maxPath
			}
			if len(v) > most {
				return nil, diag.Usagef(name, fmt.Sprintf("it has more than %d bytes", most), "")
			}
		}
	}
	get := values.Get
	return &query{
		File: get("file"), Type: get("type"), By: get("by"),
		Focus: get("focus"), Ignore: get("ignore"), Hide: get("hide"), Show: get("show"), ShowFrom: get("show_from"),
		Pruned: get("prune_from"), TagFocus: get("tag_focus"), TagIgnore: get("tag_ignore"), TagRoot: get("tagroot"),
		Base: get("diff_base"), Relative: get("relative") == "true" || get("relative") == "1", given: values,
	}, nil
}

// number reads the limit of entries, n.
func (q *query) number(missing, most int) (int, error) {
	text := q.given.Get("n")
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, diag.Usagef("n", fmt.Sprintf("%.40q is not a whole number from 0 to %d", text, most), "")
	}
	return n, nil
}

// regexp compiles a parameter; nil if it is empty.
func compile(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no pattern is none
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, &diag.Error{
			Op: name, Err: err, Kind: diag.Usage,
			Hint: `this is a Go regular expression; escape . ( ) [ ] * + ? with \ to match them literally`,
		}
	}
	return re, nil
}

// profile returns the query of the engine. by is the granularity unless the request has one.
func (q *query) profile(by string) (p profile.Query, err error) {
	if q.By != "" && by == "" {
		by = q.By
	}
	if by == "" {
		by = profile.ByFunction.String()
	}
	p = profile.Query{TagFocus: q.TagFocus, TagIgnore: q.TagIgnore, Relative: q.Relative}
	if p.By, p.LabelKey, err = profile.ParseBy(by); err != nil {
		return p, &diag.Error{Op: "by", Err: err, Kind: diag.Usage}
	}
	for _, f := range []struct {
		name, text string
		into       **regexp.Regexp
	}{
		{"focus", q.Focus, &p.Focus},
		{"ignore", q.Ignore, &p.Ignore},
		{"hide", q.Hide, &p.Hide},
		{"show", q.Show, &p.Show},
		{"show_from", q.ShowFrom, &p.ShowFrom},
		{"prune_from", q.Pruned, &p.PruneFrom},
	} {
		if *f.into, err = compile(f.name, f.text); err != nil {
			return p, err
		}
	}
	return p, nil
}

// part splits the type into a profile of a recording and a sample type.
func (q *query) part() (part, sample string) {
	if i := strings.LastIndexByte(q.Type, ':'); i > 0 {
		return q.Type[:i], q.Type[i+1:]
	}
	return q.Type, ""
}

// filters lists the filters as flags, for headers.
func (q *query) filters() []string {
	var list []string
	for _, f := range [][2]string{
		{"focus", q.Focus},
		{"ignore", q.Ignore},
		{"hide", q.Hide},
		{"show", q.Show},
		{"show-from", q.ShowFrom},
		{"prune-from", q.Pruned},
		{"tag-focus", q.TagFocus},
		{"tag-ignore", q.TagIgnore},
		{"tagroot", q.TagRoot},
	} {
		if f[1] != "" {
			list = append(list, "--"+f[0]+" "+f[1])
		}
	}
	return list
}

// open returns the input of a request, bound to its query, with the given granularity unless by is
// "". release must be called when it is no longer used.
func (s *Server) open(r *http.Request, q *query, by string) (in *input.Input, release func(), err error) {
	p, err := q.profile(by)
	if err != nil {
		return nil, nil, err
	}
	part, sample := q.part()
	if s.stored.Has(q.File) {
		if in, err = s.stored.Open(r, q.File, q.Base); err == nil && sample == "" {
			sample = part
		}
		release = func() {} // it has no files
	} else {
		in, release, err = s.inputs.Open(r.Context(), q.File, part, q.Base)
	}
	if err != nil {
		return nil, nil, err
	}
	if q.TagRoot != "" {
		labeled := *in
		var unmatched []string
		labeled.Profile, unmatched, err = in.Profile.LabelFrames([]string{q.TagRoot}, nil, "")
		if err == nil && len(unmatched) > 0 {
			err = diag.Usagef("tagroot", fmt.Sprintf("no sample has the label %q", q.TagRoot), apiBase+"/tags lists them")
		}
		if err != nil {
			release()
			return nil, nil, err
		}
		own := in.Own.Match
		labeled.Own.Match = func(f profile.Function) bool { return f.File != q.TagRoot && own(f) }
		in = &labeled
	}
	in, err = bind(in, sample, p)
	if err != nil {
		release()
		return nil, nil, err
	}
	return in, release, nil
}

// header returns the facts about an input, by the names that the page uses.
func (q *query) header(in *input.Input) documents.Header {
	var bases []string
	if q.Base != "" {
		bases = []string{q.Base}
	}
	h := documents.NewHeader(in, documents.HeaderOptions{Filters: q.filters(), Base: bases, Relative: q.Relative})
	h.Name = q.File
	return h
}

// warnings returns what the reader of any view of an input must know.
func (s *Server) warnings(in *input.Input) diag.Warnings {
	return s.plain(in.Warnings)
}

// bind returns in with another query.
func bind(in *input.Input, sample string, q profile.Query) (*input.Input, error) {
	bound := *in
	old := in.View.Query()
	q.Type, q.ModuleOf = old.Type, old.ModuleOf
	if sample != "" {
		var err error
		if q.Type, err = in.Profile.TypeIndex(sample); err != nil {
			return nil, &diag.Error{Op: "--type", Err: err, Kind: diag.Usage}
		}
	}
	v, err := in.Profile.View(q)
	if err != nil {
		return nil, &diag.Error{
			Op: "apply filters", Err: err, Kind: diag.Usage,
			Hint: "labels are filtered by REGEXP, KEY=REGEXP or a range: 4kb, 4kb:, :1mb, 4kb:1mb",
		}
	}
	bound.View, bound.Type = v, v.Type()
	return &bound, nil
}
