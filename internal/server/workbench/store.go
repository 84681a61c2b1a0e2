package workbench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

// A Mount is a handler of another package, such as one that stores what clients send.
type Mount struct {
	Pattern string // as http.ServeMux reads it
	Handler http.Handler
	// Checks means that the handler checks tokens, which may be those of tenants. The server still
	// refuses requests of other sites and for other hosts.
	Checks bool
}

// mounted lets only requests through that may read data.
func (s *Server) mounted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.allowed(w, r) {
			h.ServeHTTP(w, r)
		}
	})
}

// storeRoutes are the operations on the store.
func (s *Server) storeRoutes() []route {
	get := func(path, id, summary string, params []openapi.Param, answer any, h handler, media ...string) route {
		return route{openapi.Operation{
			Method: http.MethodGet, Path: "/store/" + path, ID: id, Summary: summary, Answer: answer, Media: media,
			Params: params,
		}, h}
	}
	selection := func(more ...openapi.Param) []openapi.Param {
		return append([]openapi.Param{
			{Name: "query", About: `selector: {service="shop",env!="test"}; empty selects all`},
			{Name: "kind", About: "cpu, heap, … as --type"},
			{Name: "from", About: "earliest start of a profile, RFC 3339"},
			{Name: "to", About: "starts are before this time, RFC 3339"},
		}, more...)
	}
	return []route{
		get("series", "storeSeries", "The series and types of stored profiles: whet query series", selection(),
			documents.Series{}, s.storeSeries),
		get("labels", "storeLabels", "The names of labels, or the values of one: whet query labels",
			selection(openapi.Param{Name: "name", About: "list the values of this label"}), documents.Labels{}, s.storeLabels),
		get("profiles", "storeProfiles", "Stored profiles, newest first: whet query profiles",
			selection(numberParam("profiles")), documents.Profiles{}, s.storeProfiles),
		get("timeline", "storeTimeline", "The most expensive own lines over time: whet query timeline",
			selection(numberParam("lines"), openapi.Param{Name: "sample_type", About: "empty is the default of the kind"},
				openapi.Param{Name: "step", About: "width of a column, such as 5m"}),
			documents.Timeline{}, s.storeTimeline),
		get("regressions", "storeRegressions", "Lines and functions that cost more since a deploy or a time: "+
			"whet query regressions", selection(
			openapi.Param{Name: "sample_type", About: "empty is the default of the kind"},
			openapi.Param{Name: "step", About: "width of a slot, such as 1h"},
			openapi.Param{Name: "version", About: "the label of a build; empty finds it"},
			openapi.Param{Name: "instance", About: "the label of a process; empty finds it"}),
			documents.Regressions{}, s.storeRegressions),
		get("targets", "storeTargets", "What is scraped into the store, and the state of each target", nil, scrape.Status{},
			s.storeTargets),
		get("merge", "storeMerge", "The merged profile, in pprof's format; for views, file is its name: "+
			`store:KIND{SELECTOR}@FROM/TO`, selection(), nil, s.storeMerge, "application/octet-stream"),
		get("profile", "storeProfile", "One profile, in pprof's format", []openapi.Param{
			{Name: "id", About: "as /store/profiles lists it", Required: true},
		}, nil, s.storeProfile, "application/octet-stream"),
	}
}

// tenant returns whose profiles a request is about: those of the tenant whose token it has, else those
// of the tenant "".
func (s *Server) tenant(r *http.Request) string {
	if s.o.Tenants == nil {
		return ""
	}
	name, err := s.o.Tenants.Tenant(r, access.Read)
	if err != nil {
		return ""
	}
	return name
}

// isTenant reports whether a request is one for profiles, with the token of a tenant.
func (s *Server) isTenant(r *http.Request) bool {
	if s.o.Tenants == nil || !strings.HasPrefix(r.URL.Path, apiBase+"/store/") {
		return false
	}
	_, err := s.o.Tenants.Tenant(r, access.Read)
	return err == nil
}

// openStored returns the input of a query of the store, by its name, less that of base. Queries are
// not kept, because their answers change.
func (s *Server) openStored(r *http.Request, name, base string) (*input.Input, error) {
	profiles := map[string]*profile.Profile{}
	for _, name := range []string{name, base} {
		if name == "" {
			continue
		}
		q, err := store.ParseName(name)
		if err != nil {
			return nil, &diag.Error{Op: "file", Err: err, Kind: diag.Usage, Hint: `store:cpu{service="shop"}`}
		}
		q.Tenant = s.tenant(r)
		if profiles[name], _, err = s.o.Store.Merge(r.Context(), q); err != nil {
			return nil, err
		}
	}
	return s.inputs.Profiles(r.Context(), profiles, name, base)
}

// isStored reports whether a name is that of a query of the store.
func (s *Server) isStored(name string) bool {
	return s.o.Store != nil && strings.HasPrefix(name, store.NamePrefix)
}

// storeQuery reads the parameters of a selection.
func (s *Server) storeQuery(r *http.Request) (store.Query, url.Values, error) {
	var q store.Query
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, v, &diag.Error{Op: "read the query", Err: err, Kind: diag.Usage}
	}
	if q.Matchers, err = store.ParseMatchers(v.Get("query")); err != nil {
		return q, v, &diag.Error{Op: "query", Err: err, Kind: diag.Usage}
	}
	q.Tenant, q.Kind = s.tenant(r), v.Get("kind")
	for name, into := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		if text := v.Get(name); text != "" {
			if *into, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return q, v, diag.Usagef(name, fmt.Sprintf("%.40q is not a time", text), "write 2026-05-04T03:00:00Z")
			}
		}
	}
	return q, v, nil
}

func (s *Server) storeSeries(w http.ResponseWriter, r *http.Request) error {
	q, _, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	series, err := s.o.Store.Series(r.Context(), q)
	if err != nil {
		return err
	}
	types, err := s.o.Store.Types(r.Context(), q)
	if err != nil {
		return err
	}
	return answer(w, documents.NewSeries(series, types))
}

func (s *Server) storeLabels(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	name := v.Get("name")
	var values []string
	if name == "" {
		values, err = s.o.Store.LabelNames(r.Context(), q)
	} else {
		values, err = s.o.Store.LabelValues(r.Context(), q, name)
	}
	if err != nil {
		return err
	}
	return answer(w, documents.NewLabels(name, values))
}

// maxProfiles is how many profiles a list has at most.
const maxProfiles = 100_000

func (s *Server) storeProfiles(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	n, err := (&query{given: v}).number(100, maxProfiles)
	if err != nil {
		return err
	}
	list, err := s.o.Store.Profiles(r.Context(), q, cmp.Or(n, maxProfiles))
	if err != nil {
		return err
	}
	return answer(w, documents.NewProfiles(list))
}

func (s *Server) storeTimeline(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	t := store.TimelineQuery{Query: q, SampleType: v.Get("sample_type")}
	if t.Lines, err = (&query{given: v}).number(10, 1000); err != nil {
		return err
	}
	if text := v.Get("step"); text != "" {
		if t.Step, err = time.ParseDuration(text); err != nil {
			return diag.Usagef("step", fmt.Sprintf("%.40q is not a duration", text), "write 5m")
		}
	}
	t.Own = s.own(r)
	line, err := store.Timeline(r.Context(), s.o.Store, t)
	if err != nil {
		return err
	}
	return answer(w, documents.NewTimeline(line))
}

func (s *Server) storeRegressions(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	o := regressions.Options{
		Query: q, SampleType: v.Get("sample_type"), Version: v.Get("version"), Instance: v.Get("instance"), Own: s.own(r),
	}
	if text := v.Get("step"); text != "" {
		if o.Step, err = time.ParseDuration(text); err != nil || o.Step <= 0 {
			return diag.Usagef("step", fmt.Sprintf("%.40q is not a positive duration", text), "write 1h")
		}
	}
	report, err := regressions.Find(r.Context(), s.o.Store, o)
	if err != nil {
		return err
	}
	return answer(w, documents.NewRegressions(report))
}

// own determines what is own code in merged profiles.
func (s *Server) own(r *http.Request) func(p *profile.Profile) func(profile.Function) bool {
	return func(p *profile.Profile) func(profile.Function) bool {
		in, err := s.inputs.Profiles(r.Context(), map[string]*profile.Profile{"merged": p}, "merged", "")
		if err != nil {
			return func(profile.Function) bool { return false }
		}
		return in.Own.Match
	}
}

// storeTargets answers with the targets, which belong to the tenant "".
func (s *Server) storeTargets(w http.ResponseWriter, r *http.Request) error {
	if s.o.Scraped == nil || s.tenant(r) != "" {
		return answer(w, (*scrape.Engine)(nil).Status())
	}
	return answer(w, s.o.Scraped())
}

func (s *Server) storeMerge(w http.ResponseWriter, r *http.Request) error {
	q, _, err := s.storeQuery(r)
	if err != nil {
		return err
	}
	p, stats, err := s.o.Store.Merge(r.Context(), q)
	if err != nil {
		return err
	}
	return pprofAnswer(w, p, remote.StatsHeader, stats)
}

func (s *Server) storeProfile(w http.ResponseWriter, r *http.Request) error {
	id, err := store.ParseID(r.URL.Query().Get("id"))
	if err != nil {
		return &diag.Error{Op: "id", Err: err, Kind: diag.Usage, Hint: apiBase + "/store/profiles lists them"}
	}
	p, err := s.o.Store.Get(r.Context(), s.tenant(r), id)
	if err != nil {
		return err
	}
	return pprofAnswer(w, p.Data, remote.MetaHeader, store.Meta{
		ID: id, Service: p.Service, Kind: p.Kind, Labels: p.Labels, Start: p.Start, Duration: p.Duration,
		Samples: p.Data.NumSamples(),
	})
}

// pprofAnswer answers with a profile, and with facts about it in a header.
func pprofAnswer(w http.ResponseWriter, p *profile.Profile, header string, facts any) error {
	data, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set(header, strconv.QuoteToASCII(string(data)))
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="profile.pb.gz"`)
	_ = p.Write(w) // the client may be gone
	return nil
}
