package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/proto"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/recordingtest"
	"github.com/whet-go/whet/store"
)

// kept counts recordings, results and calls about leases, and checks them as stores do.
type kept struct {
	store.ResultStore
	limits store.Limits
	n      int
}

func (k *kept) WriteRecording(_ context.Context, _ string, r store.Recording, content []byte) (store.ID, error) {
	if err := k.limits.CheckRecording(&r, content); err != nil {
		return store.ID{}, err
	}
	k.n++
	return store.NewRecordingID(&r, content), nil
}

func (k *kept) WriteResults(_ context.Context, _ string, results []store.Result) error {
	if err := store.CheckResults(results); err != nil {
		return err
	}
	k.n += len(results)
	return nil
}

func (k *kept) Renew(_ context.Context, tenant, group, member string, ttl time.Duration) ([]store.Lease, error) {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return nil, err
	}
	k.n++
	return []store.Lease{{Group: group, Member: member, Left: ttl}}, nil
}

func (k *kept) Release(_ context.Context, tenant, group, member string) error {
	return store.CheckLease(tenant, group, member)
}

func (k *kept) Publish(_ context.Context, tenant, group, member string, document []byte) error {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return err
	}
	return store.CheckLeaseDocument(document)
}

// FuzzKept sends any body with any query to the paths that take recordings, results and leases: the answer is
// one of those that the package documents, and nothing is stored if it is an error.
func FuzzKept(f *testing.F) {
	p, err := profile.Parse(raw(f, 20), profile.ReadOptions{})
	if err != nil {
		f.Fatal(err)
	}
	file := filepath.Join(f.TempDir(), "a.whet")
	recordingtest.Write(f, file, nil, recordingtest.Profile{Name: "cpu", Profile: p})
	rec, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("service=shop&label.trigger=slow&start=now-1h&duration=2s&about=slow", rec)
	f.Add("service=shop&commit=0123456789abcdef&time=1777000000", []byte(`{"schema": "whet.load/1", "latency": {}}`))
	f.Add("service=shop&kind=bench", []byte("goos: linux\npkg: a\nBenchmarkA 1 10 ns/op\n"))
	f.Add("", []byte(`{"group":"shop","member":"a","ttl_ns":60000000000,"document":"e30=","release":true}`))
	limits := store.Limits{Labels: 4, Body: 1 << 20, Recording: 1 << 20, Recordings: 1 << 20}
	f.Fuzz(func(t *testing.T, query string, body []byte) {
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		k := &kept{limits: limits}
		h := New(Options{
			Writer: &memory{limits: limits}, Limits: limits, Recordings: k, Results: k, Leases: k,
			Warn: func(err error) { t.Error(err) },
		})
		for _, path := range []string{recordingsPath, resultsPath, leasesPath} {
			k.n = 0
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			r.URL.RawQuery = query
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if !slices.Contains([]int{200, 204, 400, 413}, w.Code) {
				t.Errorf("%s answers %d: %s", path, w.Code, w.Body)
			}
			// A lease may have begun before its document is refused.
			if w.Code < 300 && k.n == 0 && path != leasesPath || w.Code >= 300 && k.n > 0 && path != leasesPath {
				t.Errorf("%s answers %d and keeps %d", path, w.Code, k.n)
			}
		}
	})
}

// FuzzProcedures sends any body in the framing of each protocol of remote calls: plain, in envelopes of gRPC
// and gRPC-Web, compressed or not. The answer is a success only if something was stored.
func FuzzProcedures(f *testing.F) {
	message, err := proto.Marshal(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
		Labels:  []*typesv1.LabelPair{{Name: "__name__", Value: "process_cpu"}, {Name: "service_name", Value: "shop"}},
		Samples: []*pushv1.RawSample{{RawProfile: raw(f, 20)}},
	}}})
	if err != nil {
		f.Fatal(err)
	}
	envelope := func(flags byte, data []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(data))), data...) //nolint:gosec // short
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(message) // to memory
	_ = z.Close()
	f.Add(message)
	f.Add(zipped.Bytes())
	f.Add(envelope(0, message))
	f.Add(envelope(1, zipped.Bytes()))
	f.Add(append(envelope(0, message), envelope(0x80, []byte("grpc-status: 0\r\n"))...))
	f.Add(envelope(0, nil)[:4])
	f.Add([]byte("\x00\xff\xff\xff\xff"))
	f.Add([]byte(`{"series":[{"labels":[{"name":"a","value":"b"}],"samples":[{"rawProfile":"AAAA","ID":"x"}]}]}`))
	limits := store.Limits{Samples: 1000, Labels: 4, Body: 1 << 18}
	f.Fuzz(func(t *testing.T, body []byte) {
		m := &memory{limits: limits}
		h := New(Options{Writer: m, Limits: limits, Warn: func(err error) { t.Error(err) }})
		for _, p := range procedures() {
			for content, compression := range map[string]string{
				"application/proto": "Content-Encoding", "application/json": "Content-Encoding",
				"application/grpc": "Grpc-Encoding", "application/grpc-web+proto": "Grpc-Encoding",
			} {
				for _, encoding := range []string{"", "gzip"} {
					m.all = nil
					r := httptest.NewRequest(http.MethodPost, p.path, bytes.NewReader(body))
					r.ProtoMajor, r.ProtoMinor = 2, 0
					r.Header.Set("Content-Type", content)
					if encoding != "" {
						r.Header.Set(compression, encoding)
					}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code >= 500 {
						t.Errorf("%s as %s %s answers %d: %s", p.path, content, encoding, w.Code, w.Body)
					}
					trailer := w.Result().Trailer
					if failed := w.Code != 200 || trailer.Get("Grpc-Status") > "0"; failed && len(m.stored()) > 0 {
						t.Errorf("%s as %s %s answers %d, %v and stores %d", p.path, content, encoding, w.Code, trailer,
							len(m.stored()))
					}
				}
			}
		}
	})
}
