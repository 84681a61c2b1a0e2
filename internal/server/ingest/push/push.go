package push

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Label is one pair of a series.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Raw is one profile of a series.
type Raw struct {
	Profile []byte // part of the request's bytes
	ID      string // given by the client; "" if none
}

// A Series is profiles with the same labels.
type Series struct {
	Labels  []Label
	Samples []Raw
}

// Limits bound what a request may contain. 0 means no limit.
type Limits struct {
	Profiles int // in all series
	Labels   int // of one series
}

// A LimitError reports a request with more of something than is accepted.
type LimitError struct {
	What  string
	Limit int
}

// Error returns what there is too much of.
func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// Pyroscope decodes a push.v1.PushRequest.
func Pyroscope(request []byte, l Limits) ([]Series, error) {
	return requestOf(request, 1, false, l)
}

// Parca decodes a parca.profilestore.v1alpha1.WriteRawRequest. It ignores the deprecated tenant.
func Parca(request []byte, l Limits) ([]Series, error) {
	return requestOf(request, 2, true, l)
}

// requestOf decodes the series, which have the field number series. nested means that labels are
// within a message.
func requestOf(request []byte, series int, nested bool, l Limits) ([]Series, error) {
	var all []Series
	profiles := 0
	err := fields(request, func(num int, value []byte) error {
		if num != series {
			return nil
		}
		s, err := seriesOf(value, nested, l)
		if err != nil {
			return fmt.Errorf("series %d: %w", len(all)+1, err)
		}
		// A series without profiles counts, too, so that empty ones do not take memory.
		profiles += max(len(s.Samples), 1)
		if l.Profiles > 0 && profiles > l.Profiles {
			return &LimitError{"profiles in one request", l.Profiles}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// seriesOf decodes one series.
func seriesOf(data []byte, nested bool, l Limits) (Series, error) {
	var s Series
	label := func(value []byte) error {
		if l.Labels > 0 && len(s.Labels) == l.Labels {
			return &LimitError{"labels", l.Labels}
		}
		var pair Label
		err := fields(value, func(num int, value []byte) error {
			switch num {
			case 1:
				pair.Name = string(value)
			case 2:
				pair.Value = string(value)
			}
			return nil
		})
		s.Labels = append(s.Labels, pair)
		return err
	}
	err := fields(data, func(num int, value []byte) error {
		switch {
		case num == 1 && nested:
			return fields(value, func(num int, value []byte) error {
				if num != 1 {
					return nil
				}
				return label(value)
			})
		case num == 1:
			return label(value)
		case num == 2:
			if l.Profiles > 0 && len(s.Samples) == l.Profiles {
				return &LimitError{"profiles in one request", l.Profiles}
			}
			var raw Raw
			err := fields(value, func(num int, value []byte) error {
				switch num {
				case 1:
					raw.Profile = value
				case 2:
					raw.ID = string(value)
				}
				return nil
			})
			s.Samples = append(s.Samples, raw)
			return err
		}
		return nil
	})
	return s, err
}

// errTruncated is the error of a message that ends within a field.
var errTruncated = errors.New("the message ends within a field")

// fields calls each for the fields of a message that are bytes, and skips all others.
func fields(data []byte, each func(int, []byte) error) error {
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("%w: %w", errTruncated, protowire.ParseError(n))
		}
		data = data[n:]
		if typ != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(num, typ, data); n < 0 {
				return fmt.Errorf("field %d: %w: %w", num, errTruncated, protowire.ParseError(n))
			}
			data = data[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return fmt.Errorf("field %d: %w: %w", num, errTruncated, protowire.ParseError(n))
		}
		if err := each(int(num), value); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// PyroscopeJSON decodes a push.v1.PushRequest in protobuf's JSON, which Pyroscope's documentation
// sends with curl.
func PyroscopeJSON(request []byte, l Limits) ([]Series, error) {
	var in struct {
		Series []struct {
			Labels  []Label `json:"labels"`
			Samples []struct {
				Profile []byte `json:"rawProfile"`
				Snake   []byte `json:"raw_profile"`
				ID      string `json:"ID"`
			} `json:"samples"`
		} `json:"series"`
	}
	if err := json.Unmarshal(request, &in); err != nil {
		return nil, err
	}
	var all []Series
	profiles := 0
	for _, s := range in.Series {
		if profiles += max(len(s.Samples), 1); l.Profiles > 0 && profiles > l.Profiles {
			return nil, &LimitError{"profiles in one request", l.Profiles}
		}
		if l.Labels > 0 && len(s.Labels) > l.Labels {
			return nil, &LimitError{"labels", l.Labels}
		}
		one := Series{Labels: s.Labels}
		for _, raw := range s.Samples {
			data := raw.Profile
			if data == nil {
				data = raw.Snake
			}
			one.Samples = append(one.Samples, Raw{Profile: data, ID: raw.ID})
		}
		all = append(all, one)
	}
	return all, nil
}
