package slow

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Metrics sends metrics as lines of the StatsD protocol, in packets of one line or
// more with a line feed between them. The aggregator knows no tags, so these are
// part of the name:
//
//	handler.received.myhost.hello.linux.firefox-128-0:1|c
//
// Metrics are lost rather than delayed: a failed write is not reported.
type Metrics struct {
	conn io.Writer
}

// NewMetrics sends metrics to conn, which takes one packet per write.
func NewMetrics(conn io.Writer) *Metrics { return &Metrics{conn} }

// Close does nothing: all lines are sent. The connection remains open.
func (m *Metrics) Close() {}

// Name is the name of a metric with the tags of a request.
func (m *Metrics) Name(metric string, r *http.Request) string {
	return addTags(metric, requestTags(r))
}

func (m *Metrics) count(name string, tags map[string]string) {
	m.send(fmt.Sprintf("%s:%d|c", addTags(name, tags), 1))
}

func (m *Metrics) timing(name string, tags map[string]string, took time.Duration) {
	milliseconds := float64(took) / float64(time.Millisecond)
	m.send(fmt.Sprintf("%s:%s|ms", addTags(name, tags), strconv.FormatFloat(milliseconds, 'f', -1, 64)))
}

func (m *Metrics) send(line string) {
	_, _ = m.conn.Write([]byte(line))
}

// addTags appends the values of the tags to the name, in a fixed order. An unknown
// host is omitted; other unknown values become "no-" and the key.
func addTags(name string, tags map[string]string) string {
	var keys []string
	if _, ok := tags["host"]; ok {
		keys = append(keys, "host")
	}
	keys = append(keys, "endpoint", "os", "browser")

	parts := []string{name}
	for _, key := range keys {
		if value := tags[key]; value != "" {
			parts = append(parts, Clean(value))
		} else {
			parts = append(parts, "no-"+key)
		}
	}
	return strings.Join(parts, ".")
}

// reserved are the characters with a meaning in a name or in the protocol.
var reserved = regexp.MustCompile(`[{}/\\:|@#\s.]`)

// Clean replaces the characters that a tag's value must not have.
func Clean(value string) string {
	return reserved.ReplaceAllString(value, "-")
}
