package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// AgentState is what the whet agent reports about its process at one time.
type AgentState struct {
	Flight     time.Duration // minimum time that its flight recorder keeps; 0 means none
	Goroutines int64
	Heap       int64         // bytes of live and dead objects on the heap
	CPU        time.Duration // used so far
	PID        int
	At         time.Time
}

// ErrNoAgent is wrapped by the error of Client.State if the target does not run the whet agent.
var ErrNoAgent = errors.New("the target does not run the whet agent")

// State queries the target's agent. Its error wraps ErrNoAgent if there is none.
func (c *Client) State(ctx context.Context) (AgentState, error) {
	var info struct {
		GoVersion string             `json:"go_version"`
		PID       int                `json:"pid"`
		CPU       time.Duration      `json:"cpu_ns"`
		Memory    map[string]float64 `json:"memory"`
		Flight    struct {
			Window time.Duration `json:"window_ns"`
		} `json:"flight"`
	}
	if err := c.json(ctx, "whet", nil, &info, maxTextBody); err != nil {
		if Status(err) == http.StatusNotFound {
			err = ErrNoAgent
		}
		return AgentState{}, err
	}
	if info.GoVersion == "" {
		return AgentState{}, ErrNoAgent // another handler answers there
	}
	return AgentState{
		Flight: info.Flight.Window, PID: info.PID, CPU: info.CPU, At: time.Now(),
		Goroutines: int64(info.Memory["/sched/goroutines:goroutines"]),
		Heap:       int64(info.Memory["/memory/classes/heap/objects:bytes"]),
	}, nil
}

// A SlowRequest is a slow request that the target's agent reported.
type SlowRequest struct {
	Name    string        `json:"name"` // method and pattern, or path
	Begin   time.Time     `json:"begin"`
	End     time.Time     `json:"end"` // both by the target's clock
	Latency time.Duration `json:"latency_ns"`
	// Mark is the message of a log in the target's execution trace, which the request's goroutine
	// wrote when it ended; "" if there is none.
	Mark string `json:"mark"`
}

// ErrNotWatched is wrapped by the error of Client.Slow if the target has no handler wrapped by
// Agent.Watch.
var ErrNotWatched = errors.New("the target's agent watches no handler")

// Limits on what an agent may report about slow requests. The whet agent keeps 64 of them, with
// names of at most 200 bytes and marks of at most 32.
const (
	maxSlowBody = 1 << 20
	maxSlowName = 200
	maxSlowMark = 64
	maxLatency  = 100 * 24 * time.Hour
)

// ErrNotAgent is wrapped by the error of Client.Slow if the answer cannot be from the whet agent.
var ErrNotAgent = errors.New("the answer is not from the whet agent")

// Slow waits, for a limited time, for requests that take at least than. It returns those after the
// number that the previous call returned; -1 starts. Without a handler wrapped by Agent.Watch, the
// error wraps ErrNotWatched; an impossible answer results in ErrNotAgent.
func (c *Client) Slow(ctx context.Context, than time.Duration, after int64,
	wait time.Duration,
) (requests []SlowRequest, next int64, err error) {
	q := seconds(wait)
	q.Set("than", than.String())
	if after >= 0 {
		q.Set("after", strconv.FormatInt(after, 10))
	}
	var answer struct {
		Schema   string        `json:"schema"`
		Next     int64         `json:"next"`
		Requests []SlowRequest `json:"requests"`
	}
	if err := c.json(ctx, "slow", q, &answer, maxSlowBody); err != nil {
		if Status(err) == http.StatusNotFound {
			err = c.Explain("slow", &diag.Error{Err: ErrNotWatched, Hint: mount("slow")})
		}
		return nil, after, err
	}
	wrong := ""
	switch {
	case !strings.HasPrefix(answer.Schema, "whet.agent-slow/"):
		wrong = "it has an unknown schema"
	case answer.Next < 0:
		wrong = "a request's number is negative"
	}
	for i := range answer.Requests {
		if wrong != "" {
			break
		}
		wrong = answer.Requests[i].check(than)
	}
	if wrong != "" {
		return nil, after, c.Explain("slow", &diag.Error{
			Err:  fmt.Errorf("%w: %s", ErrNotAgent, wrong),
			Hint: "check that this is the address of the whet agent, and that the agent is not newer than this whet",
		})
	}
	return answer.Requests, answer.Next, nil
}

// check returns why a request that was reported as having taken at least than is impossible; "" if
// it is possible. It truncates strings that are longer than the agent's.
func (r *SlowRequest) check(than time.Duration) string {
	r.Name = strings.ToValidUTF8(r.Name[:min(len(r.Name), maxSlowName)], "")
	if r.Begin.IsZero() && !r.End.IsZero() {
		r.Begin = r.End.Add(-r.Latency) // from an older agent
	}
	switch {
	case r.Latency < than:
		return fmt.Sprintf("a request of %v, where the limit is %v", r.Latency, than)
	case r.Latency > maxLatency:
		return fmt.Sprintf("a request of %v", r.Latency)
	case r.End.Sub(r.Begin).Round(time.Millisecond) != r.Latency.Round(time.Millisecond) && !r.End.IsZero():
		return fmt.Sprintf("a request of %v that began and ended %v apart", r.Latency, r.End.Sub(r.Begin))
	case len(r.Mark) > maxSlowMark:
		return fmt.Sprintf("a mark of %d bytes", len(r.Mark))
	}
	return ""
}

// Flight passes the contents of the target's flight recorder to read, up to MaxTrace+1 bytes, so
// that read can detect that there are too many.
func (c *Client) Flight(ctx context.Context, read func(io.Reader) error) error {
	body, err := c.get(ctx, "flight", nil)
	if Status(err) == http.StatusNotFound {
		return c.noFlight()
	}
	if err != nil {
		return err
	}
	if err := errors.Join(read(io.LimitReader(body, MaxTrace+1)), body.Close()); err != nil {
		return c.Explain("flight", err)
	}
	return nil
}

// json requests a document of at most limit bytes.
func (c *Client) json(ctx context.Context, kind string, q url.Values, to any, limit int64) error {
	body, err := c.get(ctx, kind, q)
	if err != nil {
		return err
	}
	in := &io.LimitedReader{R: body, N: limit}
	if err = json.NewDecoder(in).Decode(to); err != nil && in.N <= 0 {
		err = fmt.Errorf("answer is larger than %d bytes", limit)
	}
	if err := errors.Join(err, body.Close()); err != nil {
		return c.Explain(kind, err)
	}
	return nil
}

// noFlight is the error of a target that has no flight recorder.
func (c *Client) noFlight() error {
	return &diag.Error{
		Op: "record", Subject: c.Address(), Err: errors.New("the target has no flight recorder"), Hint: mount("flight"),
	}
}
