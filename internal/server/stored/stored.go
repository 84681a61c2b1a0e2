package stored

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/inputs"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

// An API answers queries of a store. Store and Inputs are required. Its methods may be called by
// several goroutines.
type API struct {
	Store  store.Reader
	Inputs *inputs.Cache
	// Recordings are whole recordings; nil means that there are none.
	Recordings store.RecordingStore
	// Results are documents of measurements; nil means that there are none.
	Results store.ResultStore
	Base    string // path of the whole API, such as /api/v1
	// Scraped returns the state of what is scraped into the store; nil means that nothing is.
	Scraped func() scrape.Status
	// Leases are those of processes that share targets, which publish the state of these; nil means
	// that there are none.
	Leases store.LeaseStore
	// Tenants are those whose tokens may read their profiles; nil means that there is only the
	// tenant "".
	Tenants *access.Tenants
	// AllowPartial answers queries without the shards of a cluster that are down, in requests that Allow
	// returns. Each answer says so.
	AllowPartial bool
	// Repo is a directory of a git repository, which may have the commits of deploys; "" for none.
	Repo string
}

// A Route is an operation and its handler, which returns an error before it has written anything.
type Route struct {
	openapi.Operation
	Serve func(w http.ResponseWriter, r *http.Request) error
}

// Routes returns the operations on the store.
func (s *API) Routes() []Route {
	get := func(path, id, summary string, params []openapi.Param, answer any,
		serve func(w http.ResponseWriter, r *http.Request) error, media ...string,
	) Route {
		return Route{openapi.Operation{
			Method: http.MethodGet, Path: "/store/" + path, ID: id, Summary: summary, Answer: answer, Media: media,
			Params: params,
		}, serve}
	}
	selection := func(more ...openapi.Param) []openapi.Param {
		return append([]openapi.Param{
			{Name: "query", About: `selector: {service="shop",env!="test"}; empty selects all`},
			{Name: "kind", About: "cpu, heap, … as --type"},
			{Name: "from", About: "earliest start of a profile, RFC 3339"},
			{Name: "to", About: "starts are before this time, RFC 3339"},
		}, more...)
	}
	return []Route{
		get("series", "storeSeries", "The series and types of stored profiles: whet query series", selection(),
			documents.Series{}, s.series),
		get("labels", "storeLabels", "The names of labels, or the values of one: whet query labels",
			selection(openapi.Param{Name: "name", About: "list the values of this label"}), documents.Labels{}, s.labels),
		get("profiles", "storeProfiles", "Stored profiles, newest first: whet query profiles",
			selection(numberParam("profiles")), documents.Profiles{}, s.profiles),
		get("timeline", "storeTimeline", "The most expensive own lines over time: whet query timeline",
			selection(numberParam("lines"), openapi.Param{Name: "sample_type", About: "empty is the default of the kind"},
				openapi.Param{Name: "step", About: "width of a column, such as 5m"}),
			documents.Timeline{}, s.timeline),
		get("regressions", "storeRegressions", "Lines and functions that cost more since a deploy or a time: "+
			"whet query regressions", selection(
			openapi.Param{Name: "sample_type", About: "empty is the default of the kind"},
			openapi.Param{Name: "step", About: "width of a slot, such as 1h"},
			openapi.Param{Name: "version", About: "the label of a build; empty finds it"},
			openapi.Param{Name: "instance", About: "the label of a process; empty finds it"}),
			documents.Regressions{}, s.regressions),
		get("targets", "storeTargets", "What is scraped into the store, and the state of each target", nil, scrape.Status{},
			s.targets),
		get("merge", "storeMerge", "The merged profile, in pprof's format; for views, file is its name: "+
			`store:KIND{SELECTOR}@FROM/TO`, selection(), nil, s.merge, "application/octet-stream"),
		get("profile", "storeProfile", "One profile, in pprof's format", []openapi.Param{
			{Name: "id", About: "as /store/profiles lists it", Required: true},
		}, nil, s.profile, "application/octet-stream"),
		get("results", "storeResults", "Results of measurements, newest first: whet query results", []openapi.Param{
			{Name: "kind", About: "bench, load, find, fix or prove"},
			{Name: "service", About: "what was measured"},
			{Name: "commit", About: "the whole hash"},
			{Name: "from", About: "earliest time, RFC 3339"},
			{Name: "to", About: "before this time, RFC 3339"},
			numberParam("results"),
			{Name: "documents", About: "with the documents", Type: "boolean"},
		}, documents.Results{}, s.results),
		get("recordings", "storeRecordings", "Whole recordings, newest first: whet query recordings",
			selection(numberParam("recordings")), documents.Recordings{}, s.recordings),
		get("recording", "storeRecording", "One recording, a .whet file; for views, file is "+RecordingRoot+"/ID.whet",
			[]openapi.Param{{Name: "id", About: "as /store/recordings lists it", Required: true}}, nil, s.recording,
			"application/octet-stream"),
	}
}

// tenant returns whose profiles a request is about: those of the tenant whose token it has, else those
// of the tenant "".
func (s *API) tenant(r *http.Request) string {
	if s.Tenants == nil {
		return ""
	}
	name, err := s.Tenants.Tenant(r, access.Read)
	if err != nil {
		return ""
	}
	return name
}

// IsTenant reports whether a request is one for profiles, with the token of a tenant.
func (s *API) IsTenant(r *http.Request) bool {
	if s.Tenants == nil || !strings.HasPrefix(r.URL.Path, s.Base+"/store/") {
		return false
	}
	_, err := s.Tenants.Tenant(r, access.Read)
	return err == nil
}

// Open returns the input of a query of the store, by its name, less that of base. Queries are
// not kept, because their answers change. Shards that are missing are among the input's warnings.
func (s *API) Open(r *http.Request, name, base string) (*input.Input, error) {
	profiles := map[string]*profile.Profile{}
	for _, name := range []string{name, base} {
		if name == "" {
			continue
		}
		q, err := s.parse(r, name)
		if err != nil {
			return nil, err
		}
		if profiles[name], _, err = s.Store.Merge(r.Context(), q); err != nil {
			return nil, err
		}
	}
	in, err := s.Inputs.Profiles(r.Context(), profiles, name, base)
	if err == nil {
		in.Warnings = append(Lacks(r.Context()), in.Warnings...)
	}
	return in, err
}

// Has reports whether a name is that of a query of the store.
func (s *API) Has(name string) bool {
	return s.Store != nil && strings.HasPrefix(name, store.NamePrefix)
}

// Types returns the sample types of the profiles that a query selects, by its name. Without any
// profiles the error is store.ErrNotFound.
func (s *API) Types(r *http.Request, name string) ([]profile.ValueType, error) {
	q, err := s.parse(r, name)
	if err != nil {
		return nil, err
	}
	types, err := s.Store.Types(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if len(types) == 0 {
		return nil, store.ErrNotFound
	}
	return types[0].SampleTypes, nil
}

// parse reads the name of a query.
func (s *API) parse(r *http.Request, name string) (store.Query, error) {
	q, err := store.ParseName(name)
	if err != nil {
		return q, &diag.Error{Op: "file", Err: err, Kind: diag.Usage, Hint: `store:cpu{service="shop"}`}
	}
	q.Tenant = s.tenant(r)
	return q, nil
}

// query reads the parameters of a selection.
func (s *API) query(r *http.Request) (store.Query, url.Values, error) {
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

func (s *API) series(w http.ResponseWriter, r *http.Request) error {
	q, _, err := s.query(r)
	if err != nil {
		return err
	}
	series, err := s.Store.Series(r.Context(), q)
	if err != nil {
		return err
	}
	types, err := s.Store.Types(r.Context(), q)
	if err != nil {
		return err
	}
	doc := documents.NewSeries(series, types)
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}

func (s *API) labels(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.query(r)
	if err != nil {
		return err
	}
	name := v.Get("name")
	var values []string
	if name == "" {
		values, err = s.Store.LabelNames(r.Context(), q)
	} else {
		values, err = s.Store.LabelValues(r.Context(), q, name)
	}
	if err != nil {
		return err
	}
	doc := documents.NewLabels(name, values)
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}

// maxProfiles is how many profiles a list has at most.
const maxProfiles = 100_000

func (s *API) profiles(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.query(r)
	if err != nil {
		return err
	}
	n, err := number(v, 100, maxProfiles)
	if err != nil {
		return err
	}
	list, err := s.Store.Profiles(r.Context(), q, cmp.Or(n, maxProfiles))
	if err != nil {
		return err
	}
	doc := documents.NewProfiles(list)
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}

func (s *API) timeline(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.query(r)
	if err != nil {
		return err
	}
	t := store.TimelineQuery{Query: q, SampleType: v.Get("sample_type")}
	if t.Lines, err = number(v, 10, 1000); err != nil {
		return err
	}
	if text := v.Get("step"); text != "" {
		if t.Step, err = time.ParseDuration(text); err != nil {
			return diag.Usagef("step", fmt.Sprintf("%.40q is not a duration", text), "write 5m")
		}
	}
	t.Own = s.own(r)
	line, err := store.Timeline(r.Context(), s.Store, t)
	if err != nil {
		return err
	}
	doc := documents.NewTimeline(line)
	doc.Partial, doc.Warnings = partial(r.Context())
	return answer(w, doc)
}

func (s *API) regressions(w http.ResponseWriter, r *http.Request) error {
	q, v, err := s.query(r)
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
	found, err := regressions.Find(r.Context(), s.Store, o)
	if err != nil {
		return err
	}
	deployed := slices.ContainsFunc(found.Services, func(s regressions.Service) bool { return len(s.Deploys) > 0 })
	if deployed && s.Repo != "" && q.Tenant == "" && found.Annotate(r.Context(), s.Repo) != nil {
		// The error has a directory of the server, which is not for visitors.
		found.Warnings.Addf("the commits of deploys are unknown: git does not list those of the server's module")
	}
	doc := documents.NewRegressions(found)
	doc.Partial, _ = partial(r.Context())
	doc.Warnings = append(Lacks(r.Context()), doc.Warnings...)
	return answer(w, doc)
}

// own determines what is own code in merged profiles.
func (s *API) own(r *http.Request) func(p *profile.Profile) func(profile.Function) bool {
	return func(p *profile.Profile) func(profile.Function) bool {
		in, err := s.Inputs.Profiles(r.Context(), map[string]*profile.Profile{"merged": p}, "merged", "")
		if err != nil {
			return func(profile.Function) bool { return false }
		}
		return in.Own.Match
	}
}

// targets answers with the targets: those of this process, which belong to the tenant "", and those that
// others publish with their leases for the request's tenant.
func (s *API) targets(w http.ResponseWriter, r *http.Request) error {
	tenant := s.tenant(r)
	doc := (*scrape.Engine)(nil).Status()
	if s.Scraped != nil && tenant == "" {
		doc = s.Scraped()
	}
	if s.Leases != nil {
		leases, err := s.Leases.Leases(r.Context(), tenant)
		if err != nil {
			doc.Warnings.Add(fmt.Errorf("the targets of other processes are unknown: %w", err))
		}
		doc.Share(leases)
		doc.Warnings = append(Lacks(r.Context()), doc.Warnings...)
	}
	return answer(w, doc)
}

func (s *API) merge(w http.ResponseWriter, r *http.Request) error {
	q, _, err := s.query(r)
	if err != nil {
		return err
	}
	p, stats, err := s.Store.Merge(r.Context(), q)
	if err != nil {
		return err
	}
	return pprofAnswer(w, p, remote.StatsHeader, stats)
}

func (s *API) profile(w http.ResponseWriter, r *http.Request) error {
	id, err := store.ParseID(r.URL.Query().Get("id"))
	if err != nil {
		return &diag.Error{Op: "id", Err: err, Kind: diag.Usage, Hint: s.Base + "/store/profiles lists them"}
	}
	p, err := s.Store.Get(r.Context(), s.tenant(r), id)
	if err != nil {
		return err
	}
	return pprofAnswer(w, p.Data, remote.MetaHeader, store.Meta{
		ID: id, Service: p.Service, Kind: p.Kind, Labels: p.Labels, Start: p.Start, Duration: p.Duration,
		Samples: p.Data.NumSamples(),
	})
}

// number reads the limit of entries, n.
func number(v url.Values, missing, most int) (int, error) {
	text := v.Get("n")
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, diag.Usagef("n", fmt.Sprintf("%.40q is not a whole number from 0 to %d", text, most), "")
	}
	return n, nil
}

func numberParam(what string) openapi.Param {
	return openapi.Param{Name: "n", About: "at most this many " + what + "; 0 for all", Type: "integer"}
}

// answer writes a document as --json does.
func answer(w http.ResponseWriter, doc any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = report.JSON(w, doc) // the client may be gone
	return nil
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
