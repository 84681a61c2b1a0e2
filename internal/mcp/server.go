package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/docs"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/internal/mcp/stdio"
	"github.com/whet-go/whet/internal/sandbox"
)

// Options configure New. The zero value serves the module in the current directory.
type Options struct {
	// Roots are the directories that may be read and whose code may be run; none means the current directory.
	Roots []string
	// Targets are hosts, or HOST:PORT, on other machines that may be recorded and loaded.
	Targets []string
	// Jobs is how many measurements run at once; 0 means 1: they share the CPUs.
	Jobs int
	// Sandbox runs the code of patches without a network, and lets it write only to the copy. Proofs then run in
	// the program Whet, by its absolute path, as whet prove --sandbox does.
	Sandbox bool
	Whet    string
	// MaxResult is the maximum size of a tool's result, in bytes of JSON; 0 means fit.DefaultLimit.
	MaxResult int
	// Version is whet's own.
	Version string
	// Temp is the parent of the directories for recordings and copies; "" means the system's directory for temporary
	// files.
	Temp string
	// Failures is the directory with the candidates that whet fix dropped (failures.CacheDir); "" shows none.
	Failures string
}

// minMaxResult is the smallest limit that all results can be reduced to.
const minMaxResult = 6000

// A Server serves any number of clients. It must be closed.
type Server struct {
	o      Options
	roots  *guard.Roots
	queue  *queue
	server *sdk.Server

	ctx    context.Context // of everything that it runs
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	sessions map[*sdk.ServerSession]*session
	number   int // of the last recording
}

// New opens the roots. The caller closes the Server.
func New(o Options) (*Server, error) {
	if o.MaxResult == 0 {
		o.MaxResult = fit.DefaultLimit
	}
	if o.MaxResult < minMaxResult {
		return nil, fmt.Errorf("results of at most %d bytes are too short (want %d or more)", o.MaxResult, minMaxResult)
	}
	if o.Jobs < 0 {
		return nil, fmt.Errorf("the number of measurements at once is %d (want 1 or more)", o.Jobs)
	}
	if o.Sandbox {
		if err := sandbox.Supported(); err != nil {
			return nil, err
		}
		if !filepath.IsAbs(o.Whet) {
			return nil, errors.New("the sandbox needs the path of the program")
		}
	}
	made, err := os.MkdirTemp(o.Temp, "whet-mcp-")
	if err == nil {
		made, err = filepath.EvalSymlinks(made)
	}
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, queue: newQueue(max(o.Jobs, 1)), sessions: map[*sdk.ServerSession]*session{}}
	if s.roots, err = guard.New(o.Roots, made); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.server = sdk.NewServer(&sdk.Implementation{Name: "whet", Title: "whet: make Go services faster", Version: o.Version},
		&sdk.ServerOptions{
			Instructions: docs.AssistantLoop(),
			Capabilities: &sdk.ServerCapabilities{},
		})
	s.addTools()
	s.addResources()
	return s, nil
}

// Close ends all sessions and what they run, and removes the recordings that were not written to a root.
func (s *Server) Close() error {
	s.cancel()
	for session := range s.server.Sessions() { // also those that have called no tool
		_ = session.Close() // its client may have gone
	}
	s.work.Wait()
	return os.RemoveAll(s.roots.Made)
}

// Run serves one client on a pair of streams until the client closes in, or ctx ends, which are not errors.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	w := stdio.NewWriter(out)
	session, err := s.server.Connect(ctx, &sdk.IOTransport{
		Reader: io.NopCloser(stdio.NewReader(in, w)), Writer: w, MaxLineLength: -1, // the limiter has a limit
	}, nil)
	if err != nil {
		return err
	}
	state := s.session(session)
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = session.Close()
		if waited := <-ended; err == nil && ctx.Err() == nil {
			err = waited
		}
	}
	state.end()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// A session is the state of a client.
type session struct {
	server *Server
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup // jobs

	mu            sync.Mutex
	made          int // documents
	documents     []document
	documentBytes int
	jobs          []*job
	failures      []failure
	recording     string // the last one that was made
	benchmarks    map[string]reached
}

// session returns the state of a client, which ends with it.
func (s *Server) session(ss *sdk.ServerSession) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state, ok := s.sessions[ss]; ok {
		return state
	}
	state := &session{server: s, benchmarks: map[string]reached{}}
	state.ctx, state.cancel = context.WithCancel(s.ctx)
	s.sessions[ss] = state
	s.work.Go(func() {
		ended := make(chan struct{})
		go func() {
			_ = ss.Wait() // why it has ended does not matter
			close(ended)
		}()
		select {
		case <-ended:
		case <-s.ctx.Done():
			_ = ss.Close()
		}
		state.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, ss)
	})
	return state
}

// end ends the jobs of a session, and waits for them.
func (s *session) end() {
	s.cancel()
	s.work.Wait()
}

// newRecording returns the path of a recording to write, without a name from the user.
func (s *Server) newRecording() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	return filepath.Join(s.roots.Made, fmt.Sprintf("recording-%d.whet", s.number))
}

// recordingName returns the path of a recording that a tool names; "" is the last one that the session has made.
func (s *session) recordingName(name string) (string, error) {
	if name == "" {
		s.mu.Lock()
		name = s.recording
		s.mu.Unlock()
	}
	return s.server.roots.Recording(name)
}

// A call is a call of a tool.
type call struct {
	*session
	request *sdk.CallToolRequest

	notify   sync.Mutex
	last     string // the last notification
	notified time.Time
}

// progressTime is the time between progress notifications with the same text.
const progressTime = 2 * time.Second

// progress sends a progress notification, if the client wants any.
func (c *call) progress(ctx context.Context, n float64, text string) {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	c.notify.Lock()
	defer c.notify.Unlock()
	if text == c.last && time.Since(c.notified) < progressTime {
		return
	}
	c.last, c.notified = text, time.Now()
	// A client that cannot be notified gets the result, or has gone.
	_ = c.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: token, Progress: n, Message: text,
	})
}

// A tool is what addTool needs to know.
type tool struct {
	name, title, description string
	// runs is set if it runs code or sends requests; otherwise it only reads.
	runs bool
}

// addTool adds a tool whose schemas are those of In and Out.
func addTool[In any, Out fit.Shrinker](
	s *Server, t tool, do func(c *call, ctx context.Context, in In) (Out, string, error),
) {
	no := false
	annotations := &sdk.ToolAnnotations{
		Title: t.title, ReadOnlyHint: !t.runs, DestructiveHint: &no, IdempotentHint: !t.runs, OpenWorldHint: &no,
	}
	sdk.AddTool(s.server, &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, Annotations: annotations,
		InputSchema: fit.Schema[In](descriptions()), OutputSchema: fit.Schema[Out](descriptions()),
	}, func(ctx context.Context, request *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var none Out
		c := &call{session: s.session(request.Session), request: request}
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(c.ctx, stop)()
		out, uri, err := do(c, ctx, in)
		if err != nil {
			return nil, none, fit.Explain(err)
		}
		result, err := fit.Result(out, s.o.MaxResult, uri)
		if err != nil {
			return nil, none, err
		}
		return result, out, nil
	})
}

// addResources adds the documents of sessions and the views of recordings.
func (s *Server) addResources() {
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "document", Title: "The whole result of a tool", MIMEType: "application/json",
		Description: "What a tool's result was reduced from, as JSON. Tools name it.",
		URITemplate: documentScheme + "{name}",
	}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return s.session(r.Session).document(r.Params.URI)
	})
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "recording", Title: "A view of a recording", MIMEType: "application/json",
		Description: "A view of a recording or a pprof file as JSON. view is " + strings.Join(viewNames(), ", ") +
			"; type is a sample type, such as cpu, alloc_space, inuse_space or mutex:delay; path is that of the file.",
		URITemplate: recordingScheme + "{view}/{type}/{+path}",
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return s.session(r.Session).view(ctx, r.Params.URI)
	})
}

// viewNames returns the views of recordings that are resources.
func viewNames() []string {
	names := make([]string, 0, len(views()))
	for name := range views() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
