package workbench

import (
	"net/http"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/server/compiled"
	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/server/results"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/prove"
)

// routes are the operations of the API.
func (s *Server) routes() []route {
	file := fileParam()
	id := []openapi.Param{{Name: "id", About: "the ID of a job", In: "path"}}
	cum := openapi.Param{Name: "cum", About: "order by cumulative cost", Type: "boolean"}
	dataOrPage := openapi.Param{Name: "format", About: "the form of the answer", Enum: []string{"json", "html"}}
	all := openapi.Param{Name: "all", About: "all code, not only own", Type: "boolean"}
	get := func(path, id, summary string, params []openapi.Param, answer any, h handler, media ...string) route {
		return route{openapi.Operation{
			Method: http.MethodGet, Path: path, ID: id, Summary: summary, Params: params, Answer: answer, Media: media,
		}, h}
	}
	post := func(path, id, summary string, params []openapi.Param, request, answer any, h handler) route {
		return route{openapi.Operation{
			Method: http.MethodPost, Path: path, ID: id, Summary: summary, Params: params, Request: request, Answer: answer,
		}, h}
	}
	return []route{
		get("/files", "files", "The files that can be shown, and the targets that can be recorded", nil, FileList{},
			s.listFiles),
		post("/files", "addFile", "Adds the file in the body until the server ends",
			[]openapi.Param{{Name: "name", About: "the name of the file", Required: true}}, nil, Added{}, s.addFile),
		get("/file", "file", "What a file says about itself", []openapi.Param{file}, File{}, s.file),
		get("/download", "download", "A file as it is; or one profile of a recording, or what filters keep, for pprof",
			append([]openapi.Param{{Name: "part", About: "the name of a profile"}}, filterParams()...), nil, s.download,
			"application/octet-stream"),
		s.long(get("/trace-profile", "traceProfile", "A profile of a window of a trace, for pprof: whet trace profile",
			append(windowParams(file),
				openapi.Param{Name: "kind", About: "what it is of", Enum: traceProfiles(), Required: true},
				openapi.Param{Name: "goroutine", About: "the ID of the only goroutine that counts"}),
			nil, s.traceProfile, "application/octet-stream")),
		s.long(get("/overview", "overview", "What costs, whose code spends it, and the lines that cost most",
			viewParams(numberParam("lines"), openapi.Param{Name: "brief", About: "only the first cost", Type: "boolean"}),
			Overview{}, s.kept(s.overview))),
		s.long(get("/top", "top", "The most expensive lines of own code, or functions: whet top",
			viewParams(byParam(), numberParam("entries"), cum, all), documents.Top{}, s.kept(s.top))),
		s.long(get("/tags", "tags", "The labels of samples: whet tags", viewParams(numberParam("values of a label")),
			documents.Tags{}, s.kept(s.tags))),
		get("/list", "list", "The source of functions with the cost of each line: whet list",
			viewParams(functionParams()...), documents.List{}, s.list),
		s.long(get("/notes", "sourceNotes", "What escapes, is not inlined or is checked in a source file",
			[]openapi.Param{file, {
				Name: "source", About: "the path of the source file, as /list has it", Required: true,
			}}, compiled.SourceNotes{}, s.sourceNotes)),
		get("/disasm", "disasm", "The machine code of functions with the cost of each instruction: whet disasm",
			viewParams(functionParams()...), documents.Disasm{}, s.disasm),
		s.long(get("/flame", "flame", "The flame graph: whet flame", viewParams(byParam(),
			openapi.Param{Name: "format", About: "the form of the answer", Enum: []string{"json", "packed", "html"}},
			openapi.Param{
				Name: "order", About: "time has the CPU samples of the execution trace", Enum: []string{"cost", "time"},
			},
			openapi.Param{Name: "all", About: "with html, all profiles of the recording", Type: "boolean"},
			openapi.Param{
				Name:  "below",
				About: "only the tree below a path, in full detail: the names of functions, outermost first, one a line",
			}),
			pictures.FlameTree{}, s.kept(s.flame), "application/octet-stream", "text/html")),
		s.long(get("/graph", "graph", "The call graph: whet graph", viewParams(byParam(), numberParam("boxes"),
			openapi.Param{Name: "format", About: "the form of the answer", Enum: []string{"json", "svg", "screen", "dot"}}),
			documents.CallGraph{}, s.kept(s.graph), "image/svg+xml", "text/vnd.graphviz")),
		s.long(get("/diff", "diff", "What changed from diff_base to file: whet diff",
			viewParams(byParam(), numberParam("entries"), cum, all,
				openapi.Param{Name: "normalize", About: "compare shares", Type: "boolean"}), diff.Result{}, s.diff)),
		s.long(get("/goroutines", "goroutines", "What goroutines wait for, and who started them: whet goroutines",
			[]openapi.Param{
				file,
				{Name: "focus", About: "keep goroutines with a function, file or creator that matches"},
				{Name: "ignore", About: "drop goroutines with a function, file or creator that matches"},
				numberParam("groups"),
			}, goroutines.Report{}, s.goroutines)),
		s.long(get("/memory", "memory", "The memory from the live heap to the RSS, and the collector: whet memory",
			[]openapi.Param{file}, memory.Report{}, s.memory)),
		get("/live", "live", "What own lines of a target cost now, as events or once: whet top --live",
			[]openapi.Param{{Name: "target", About: "a name of the list that /files has", Required: true}}, live.State{}, s.live,
			"text/event-stream"),
		s.long(get("/over-time", "overTime", "What own lines cost in the recordings of a file's program, oldest first",
			viewParams(numberParam("lines")), OverTime{}, s.overTime)),
		get("/load", "load", "The charts of a load, or of two: whet load", []openapi.Param{
			file,
			{Name: "base", About: "the name of an earlier load, drawn in the same charts"},
			dataOrPage,
		}, loads.Document{}, s.load, "text/html"),
		s.long(get("/timeline", "timeline", "The timeline of a trace as a page: whet trace timeline", windowParams(file), nil,
			s.timelinePage, "text/html")),
		s.long(get("/saved", "saved", "All views of a recording as one page, which needs no server: whet ui -o",
			[]openapi.Param{file}, nil, s.saved, "text/html")),
		get("/bench", "bench", "Benchmarks, compared or along commits: whet bench", []openapi.Param{
			file, {Name: "base", About: "the name of an earlier result to compare with"}, dataOrPage,
		}, results.BenchDocument{}, s.bench, "text/html"),
		get("/findings", "findings", "The causes of costs, in a file or that a find job found: whet find",
			[]openapi.Param{file, dataOrPage}, find.Result{}, s.findings, "text/html"),
		get("/proof", "proof", "What is proven of a change, in a file: whet prove", []openapi.Param{file, dataOrPage},
			prove.Result{}, s.proof, "text/html"),
		get("/fixes", "fixes", "Which rewrites are proven, in a file: whet fix", []openapi.Param{file, dataOrPage},
			fix.Result{}, s.fixes, "text/html"),
		get("/jobs", "jobs", "The jobs", nil, JobList{}, s.listJobs),
		post("/jobs", "startJob", "Starts a recording, or looks for the causes of costs", nil, JobRequest{}, jobs.Job{},
			s.startJob),
		get("/jobs/{id}", "job", "A job", id, jobs.Job{}, s.job),
		get("/jobs/{id}/events", "events", "The events of a job as they happen; Last-Event-ID continues", id, nil, s.events,
			"text/event-stream"),
		post("/jobs/{id}/cancel", "cancelJob", "Ends a job early; a recording keeps what was measured", id, nil, jobs.Job{},
			s.cancelJob),
		post("/jobs/{id}/resume", "resumeJob", "Starts the work of a canceled or failed job again", id, nil, jobs.Job{},
			s.resumeJob),
		get("/session", "session", "Whether requests are answered", nil, Session{}, s.session),
		post("/session", "login", "Logs in with the token; the answer sets a cookie", nil, Login{}, Session{}, s.login),
		get("/openapi.json", "openapi", "This description", nil, nil, func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(s.doc) // the client may be gone
			return nil
		}, "application/json"),
	}
}
