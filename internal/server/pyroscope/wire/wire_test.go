package wire

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// pairs are the messages, and Pyroscope's own.
func pairs() []struct {
	own   any
	other proto.Message
} {
	return []struct {
		own   any
		other proto.Message
	}{
		{&ProfileTypesRequest{}, &querierv1.ProfileTypesRequest{}},
		{&ProfileTypesResponse{}, &querierv1.ProfileTypesResponse{}},
		{&LabelValuesRequest{}, &typesv1.LabelValuesRequest{}},
		{&LabelNamesRequest{}, &typesv1.LabelNamesRequest{}},
		{&NamesResponse{}, &typesv1.LabelNamesResponse{}},
		{&NamesResponse{}, &typesv1.LabelValuesResponse{}},
		{&SeriesRequest{}, &querierv1.SeriesRequest{}},
		{&SeriesResponse{}, &querierv1.SeriesResponse{}},
		{&StatsRequest{}, &typesv1.GetProfileStatsRequest{}},
		{&StatsResponse{}, &typesv1.GetProfileStatsResponse{}},
		{&AnalyzeQueryRequest{}, &querierv1.AnalyzeQueryRequest{}},
		{&AnalyzeQueryResponse{}, &querierv1.AnalyzeQueryResponse{}},
		{&SelectMergeStacktracesRequest{}, &querierv1.SelectMergeStacktracesRequest{}},
		{&SelectMergeStacktracesResponse{}, &querierv1.SelectMergeStacktracesResponse{}},
		{&SelectMergeSpanProfileRequest{}, &querierv1.SelectMergeSpanProfileRequest{}},
		{&SelectMergeSpanProfileResponse{}, &querierv1.SelectMergeSpanProfileResponse{}},
		{&SelectMergeProfileRequest{}, &querierv1.SelectMergeProfileRequest{}},
		{&Profile{}, &googlev1.Profile{}},
		{&DiffRequest{}, &querierv1.DiffRequest{}},
		{&DiffResponse{}, &querierv1.DiffResponse{}},
		{&SelectSeriesRequest{}, &querierv1.SelectSeriesRequest{}},
		{&SelectSeriesResponse{}, &querierv1.SelectSeriesResponse{}},
		{&SelectHeatmapRequest{}, &querierv1.SelectHeatmapRequest{}},
		{&SelectHeatmapResponse{}, &querierv1.SelectHeatmapResponse{}},
	}
}

// fill sets all fields of a message to values that are not zero.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), r)
		fill(v.Index(1), r)
	case reflect.String:
		v.SetString(fmt.Sprintf("ä%d", r.Uint32()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.Int32: // also enumerations, which have at least two values
		v.SetInt(1)
	case reflect.Int64:
		v.SetInt(-1 - r.Int64())
	case reflect.Uint32:
		v.SetUint(uint64(r.Uint32() | 1))
	case reflect.Uint64:
		v.SetUint(r.Uint64() | 1)
	}
}

// TestMessages sends each message in both encodings to Pyroscope's types, and back.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, p := range pairs() {
		own := reflect.New(reflect.TypeOf(p.own).Elem())
		fill(own.Elem(), rand.New(rand.NewPCG(1, 2)))
		data, err := Marshal(own.Interface())
		if err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(data, p.other); err != nil {
			t.Fatalf("%T: %v", p.other, err)
		}
		if unknown := unknownFields(p.other); unknown != "" {
			t.Errorf("%T has no field %s", p.other, unknown)
		}
		text, err := MarshalJSON(own.Interface())
		if err != nil {
			t.Fatal(err)
		}
		fromJSON := p.other.ProtoReflect().New().Interface()
		if err := protojson.Unmarshal(text, fromJSON); err != nil {
			t.Errorf("%T: %v in %s", p.other, err, text)
		} else if !proto.Equal(fromJSON, p.other) {
			t.Errorf("JSON of %T means %v, want %v", p.other, fromJSON, p.other)
		}

		again := reflect.New(reflect.TypeOf(p.own).Elem())
		data, err = proto.Marshal(p.other)
		if err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal(data, again.Interface()); err != nil || !reflect.DeepEqual(again.Interface(), own.Interface()) {
			t.Errorf("%T comes back as %+v (%v), want %+v", p.own, again, err, own)
		}
		if !isRequest(p.own) {
			continue
		}
		for _, o := range []protojson.MarshalOptions{{}, {UseProtoNames: true}, {UseEnumNumbers: true}} {
			if data, err = o.Marshal(p.other); err != nil {
				t.Fatal(err)
			}
			again.Elem().SetZero()
			if err := UnmarshalJSON(data, again.Interface()); err != nil ||
				!reflect.DeepEqual(again.Interface(), own.Interface()) {
				t.Errorf("JSON of %T comes back as %+v (%v), want %+v", p.own, again, err, own)
			}
		}
	}
}

func isRequest(v any) bool {
	name := reflect.TypeOf(v).Elem().Name()
	return len(name) > 7 && name[len(name)-7:] == "Request"
}

// unknownFields returns the names of messages with bytes that their type does not know.
func unknownFields(m proto.Message) string {
	text := ""
	var walk func(proto.Message)
	walk = func(m proto.Message) {
		if len(m.ProtoReflect().GetUnknown()) > 0 {
			text += " in " + string(m.ProtoReflect().Descriptor().Name())
		}
		fields := m.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			f := fields.Get(i)
			if f.Message() == nil || !m.ProtoReflect().Has(f) {
				continue
			}
			if f.IsList() {
				walk(m.ProtoReflect().Get(f).List().Get(0).Message().Interface())
			} else {
				walk(m.ProtoReflect().Get(f).Message().Interface())
			}
		}
	}
	walk(m)
	return text
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	// The frontend of Grafana sends times as numbers.
	var r SelectSeriesRequest
	if err := UnmarshalJSON([]byte(`{"start":1700000000000,"end":1.7e12,"limit":null,"aggregation":1}`), &r); err != nil {
		t.Fatal(err)
	}
	if r.Start != 1_700_000_000_000 || r.End != 1_700_000_000_000 || r.Aggregation != Average {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{
		`{"start":1.5}`, `{"start":"x"}`, `{"aggregation":"MEDIAN"}`, `{"start":{}}`, `[`,
		`{"start":1e300}`,
	} {
		if err := UnmarshalJSON([]byte(text), &r); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, p := range pairs() {
		own := reflect.New(reflect.TypeOf(p.own).Elem())
		fill(own.Elem(), rand.New(rand.NewPCG(1, 2)))
		data, err := Marshal(own.Interface())
		if err != nil {
			f.Fatal(err)
		}
		text, err := MarshalJSON(own.Interface())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var diff DiffRequest
		var other querierv1.DiffRequest
		if err := Unmarshal(data, &diff); err == nil && proto.Unmarshal(data, &other) == nil {
			again, err := Marshal(&diff)
			if err != nil {
				t.Fatal(err)
			}
			var second DiffRequest
			if err := Unmarshal(again, &second); err != nil || !reflect.DeepEqual(diff, second) {
				t.Errorf("%+v comes back as %+v: %v", diff, second, err)
			}
			if diff.Left.get() != other.GetLeft().GetLabelSelector() {
				t.Errorf("selector %q, want %q", diff.Left.get(), other.GetLeft().GetLabelSelector())
			}
		}
		var profile Profile
		_ = Unmarshal(data, &profile) // must not panic
		var series SelectSeriesRequest
		if UnmarshalJSON(data, &series) == nil {
			if _, err := json.Marshal(&series); err != nil {
				t.Error(err)
			}
		}
	})
}

// get returns the selector of a request that may be nil.
func (r *SelectMergeStacktracesRequest) get() string {
	if r == nil {
		return ""
	}
	return r.LabelSelector
}
