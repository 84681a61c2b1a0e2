package handlers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

const maxMemStats = 1 << 20

// MemStats is a target's runtime.MemStats as text: lines "# Name = value".
type MemStats []byte

// MemStats fetches the runtime.MemStats at the end of the heap profile's text form. It skips the
// profile before them, which may be large.
func (c *Client) MemStats(ctx context.Context) (MemStats, error) {
	body, err := c.get(ctx, "heap", url.Values{"debug": {"1"}})
	if err != nil {
		return nil, err
	}
	stats, err := memStatsTail(body)
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, c.Explain("heap", err)
	}
	return stats, nil
}

// memStatsTail returns the lines "# Name = value" that follow "# runtime.MemStats".
func memStatsTail(r io.Reader) (MemStats, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var out MemStats
	for inStats := false; ; {
		line, err := br.ReadSlice('\n')
		switch {
		case !inStats:
			inStats = bytes.HasPrefix(line, []byte("# runtime.MemStats"))
		case bytes.HasPrefix(line, []byte("# ")) && bytes.Contains(line, []byte(" = ")) && len(out)+len(line) < maxMemStats:
			out = append(out, line...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(out) > 0:
			return out, nil
		case err == io.EOF:
			return nil, errors.New("no runtime.MemStats in the heap profile's text form")
		case err != nil:
			return nil, err
		}
	}
}

// Value returns the value with this name; -1 if it is missing.
func (stats MemStats) Value(name string) int64 {
	for line := range strings.Lines(string(stats)) {
		v, ok := strings.CutPrefix(line, "# "+name+" = ")
		if !ok {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n
		}
	}
	return -1
}

// MutexPeriod reads the sampling period from the head of the mutex profile's text form; 0 means
// that mutex profiling is off, -1 that there is none.
func (c *Client) MutexPeriod(ctx context.Context) (int, error) {
	body, err := c.get(ctx, "mutex", url.Values{"debug": {"1"}})
	if err != nil {
		return -1, err
	}
	defer func() { _ = body.Close() }() // the rest does not matter
	br := bufio.NewReader(io.LimitReader(body, 4<<10))
	for {
		line, err := br.ReadString('\n')
		if v, ok := strings.CutPrefix(line, "sampling period="); ok {
			n, err := strconv.Atoi(strings.TrimSpace(v))
			if err != nil {
				return -1, nil
			}
			return n, nil
		}
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return -1, c.Explain("mutex", err)
		}
	}
}
