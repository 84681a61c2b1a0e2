package local

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// FuzzChunk decodes any bytes; what decodes is encoded and decodes to the same.
func FuzzChunk(f *testing.F) {
	for _, o := range []profiletest.Options{{Samples: 5, Functions: 4}, {Samples: 20, Functions: 9, Inlines: true}} {
		d := profile.NewDictionary()
		d.Add(profiletest.Generate(o))
		f.Add(encodeChunk(d.Table(), profile.Counts{}))
		before := d.Counts()
		o.Seed = 7
		d.Add(profiletest.Generate(o))
		f.Add(encodeChunk(d.Table(), before))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		before, tables, err := decodeChunk(data)
		if err != nil {
			return
		}
		_ = profile.NewDictionary().Append(tables) // it may refuse, but not fail
		again := appendChunk(nil, before, tables)
		counts, same, err := decodeChunk(again)
		if err != nil || counts != before || !reflect.DeepEqual(same, tables) {
			t.Fatalf("encoded again it differs: %v", err)
		}
		if one, err := joined([][]byte{again}); err != nil || !bytes.Equal(one, again) {
			t.Fatalf("joined with nothing it differs: %v", err)
		}
	})
}

// FuzzColumns does so for packed columns.
func FuzzColumns(f *testing.F) {
	c := columns{
		main: 2, comments: []string{"a"}, stacks: []uint32{1, 5, 5}, labels: []uint32{0, 1, 2},
		sets:   [][]profile.Label{{{Key: "k", Str: "v"}}, {{Key: "n", Num: -3, Unit: "bytes", Numeric: true}}},
		values: [][]int64{{1, 2, -3}, {10, 20, -30}},
	}
	f.Add(c.append(nil), uint8(2))
	f.Add((&columns{values: [][]int64{{}}}).append(nil), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, types uint8) {
		var c, again columns
		if len(data) > 1<<16 || c.read(data, int(types)) != nil {
			return
		}
		if err := again.read(c.append(nil), int(types)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.append(nil), c.append(nil)) {
			t.Fatal("encoded again it differs")
		}
	})
}

// FuzzHead does so for heads and labels.
func FuzzHead(f *testing.F) {
	f.Add(packed.AppendHead(nil, profiletest.Generate(profiletest.Options{Samples: 1})))
	f.Fuzz(func(t *testing.T, data []byte) {
		if ls, err := readLabels(data); err == nil && len(ls) > len(data) {
			t.Fatal("more labels than bytes")
		}
		p, err := packed.Head(data)
		if err != nil {
			return
		}
		q, err := packed.Head(packed.AppendHead(nil, p))
		if err != nil || !reflect.DeepEqual(p, q) {
			t.Fatalf("encoded again it differs: %v", err)
		}
	})
}
