package push

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// pyroscopeRequest encodes a request with Pyroscope's own types.
func pyroscopeRequest(t testing.TB) []byte {
	t.Helper()
	data, err := proto.Marshal(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{
		{
			Labels: []*typesv1.LabelPair{{Name: "service_name", Value: "shop"}, {Name: "__name__", Value: "memory"}},
			Samples: []*pushv1.RawSample{
				{RawProfile: []byte("first"), ID: "734FD599-6865-419E-9475-932762D8F469"}, {RawProfile: []byte("second")},
			},
			Annotations: []*typesv1.ProfileAnnotation{{Key: "k", Value: "v"}},
		},
		{Samples: []*pushv1.RawSample{{RawProfile: []byte("third")}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPyroscope(t *testing.T) {
	t.Parallel()
	got, err := Pyroscope(pyroscopeRequest(t), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0].Samples) != 2 || string(got[1].Samples[0].Profile) != "third" ||
		got[0].Samples[0].ID != "734FD599-6865-419E-9475-932762D8F469" || string(got[0].Samples[1].Profile) != "second" {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(got[0].Labels, []Label{{"service_name", "shop"}, {"__name__", "memory"}}) {
		t.Errorf("labels %q", got[0].Labels)
	}
}

func TestPyroscopeJSON(t *testing.T) {
	t.Parallel()
	var request pushv1.PushRequest
	if err := proto.Unmarshal(pyroscopeRequest(t), &request); err != nil {
		t.Fatal(err)
	}
	want, err := Pyroscope(pyroscopeRequest(t), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []protojson.MarshalOptions{{}, {UseProtoNames: true}} {
		data, err := o.Marshal(&request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := PyroscopeJSON(data, Limits{Profiles: 3, Labels: 2})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for _, l := range []Limits{{Profiles: 2}, {Labels: 1}} {
			var limit *LimitError
			if _, err := PyroscopeJSON(data, l); !errors.As(err, &limit) {
				t.Errorf("%+v: %v", l, err)
			}
		}
	}
}

// parcaRequest is a WriteRawRequest that the package @parca/client (0.17.24, from npm) encoded. It has
// all fields: also the deprecated tenant, and the layout of an executable.
func parcaRequest(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/writeraw.bin")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParca(t *testing.T) {
	t.Parallel()
	got, err := Parca(parcaRequest(t), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Samples) != 2 || string(got[0].Samples[1].Profile) != "second" ||
		!slices.Equal(got[0].Labels, []Label{{"job", "shop"}, {"instance", "a:1"}}) {
		t.Errorf("got %q", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	data := pyroscopeRequest(t)
	for _, l := range []Limits{{Profiles: 2}, {Labels: 1}, {Profiles: 1}} {
		_, err := Pyroscope(data, l)
		var limit *LimitError
		if !errors.As(err, &limit) || limit.Limit != l.Profiles+l.Labels {
			t.Errorf("%+v: %v", l, err)
		}
	}
	if _, err := Pyroscope(data, Limits{Profiles: 3, Labels: 2}); err != nil {
		t.Error(err)
	}
	// Two bytes each: series without anything.
	if _, err := Pyroscope([]byte(strings.Repeat("\x0a\x00", 100)), Limits{Profiles: 99}); err == nil {
		t.Error("empty series are not limited")
	}
	if _, err := Pyroscope(data[:len(data)-1], Limits{}); !errors.Is(err, errTruncated) {
		t.Errorf("truncated: %v", err)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(pyroscopeRequest(f))
	f.Add(parcaRequest(f))
	f.Add([]byte(`{"series":[{"labels":[{"name":"a","value":"b"}],"samples":[{"rawProfile":"AAAA","ID":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, decode := range []func([]byte, Limits) ([]Series, error){Pyroscope, Parca, PyroscopeJSON} {
			got, err := decode(data, Limits{Profiles: 10, Labels: 5})
			if err != nil {
				continue
			}
			profiles := 0
			for _, s := range got {
				profiles += len(s.Samples)
				if len(s.Labels) > 5 {
					t.Errorf("%d labels", len(s.Labels))
				}
			}
			if profiles > 10 || len(got) > 10 {
				t.Errorf("%d profiles in %d series", profiles, len(got))
			}
		}
		// What Pyroscope's types decode is decoded alike.
		var want pushv1.PushRequest
		got, err := Pyroscope(data, Limits{})
		if proto.Unmarshal(data, &want) != nil || err != nil || len(got) != len(want.Series) {
			if err == nil && proto.Unmarshal(data, &want) == nil {
				t.Errorf("%d series, want %d", len(got), len(want.Series))
			}
			return
		}
		for i, s := range want.Series {
			if len(s.Samples) != len(got[i].Samples) || len(s.Labels) != len(got[i].Labels) {
				t.Fatalf("series %d: %q, want %v", i, got[i].Labels, s)
			}
			for j, raw := range s.Samples {
				if string(raw.RawProfile) != string(got[i].Samples[j].Profile) || raw.ID != got[i].Samples[j].ID {
					t.Errorf("profile %d of series %d differs", j, i)
				}
			}
		}
	})
}
