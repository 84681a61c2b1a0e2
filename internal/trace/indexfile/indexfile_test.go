package indexfile

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/trace/model"
)

// TestTables reads back tables and a block of records, and rejects damaged ones.
func TestTables(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	records := []model.Record{
		{From: 1, To: 5, Name: 1, Goroutine: 3, Stack: 1},
		{From: 2, To: 1 << 40, Name: 1, Proc: 7},
	}
	ref := RecordsRef{Stream: model.Ranges, Class: ClassOf(1 << 40)}
	var block []byte
	last := int64(0)
	for i := range records {
		ref.Note(&records[i])
		block = AppendRecord(block, ref.Stream, &records[i], last)
		last = records[i].To
	}
	if ref.Ref, err = w.Block(block); err != nil {
		t.Fatal(err)
	}
	stays := []model.Stays{{Code: 2, Count: 1, Max: 5}}
	want := &Tables{
		Info:       model.Info{Events: 7, Damage: "cut"},
		Kinds:      []Kind{{1, model.Kind{Name: "main.main", Count: 2, Life: 9, Stays: stays}}},
		Reasons:    []string{"sync"},
		Names:      []string{"", "main.main"},
		Frames:     []Frame{{1, 0, 12}, {1, 1, 1 << 30}},
		StackEnd:   []uint32{0, 2, 3},
		StackIDs:   []uint32{0, 1, 1},
		Branches:   []uint32{1},
		Slices:     []Tile{{Ref: ref.Ref, From: 1, To: 9, Spans: 2, Procs: []byte{1}, Threads: []byte{2}}},
		Above:      [][]Tile{{{Ref: ref.Ref, To: 9, Procs: []byte{3}, Threads: []byte{4}}}},
		Goroutines: []GoroutinesRef{{ref.Ref, 1, 9}},
		Pages:      []Ref{ref.Ref},
		Records:    []RecordsRef{ref},
		Threads:    []model.Thread{{ID: 4, From: 1, To: 3}},
		Procs:      8,
	}
	want.Slices[0].Sums = []model.Sum{{Code: 1, Time: 8}}
	want.Above[0][0].Sums = []model.Sum{{Code: 3, Time: 1}}
	want.Totals[model.Regions] = []model.Named{{Name: 1, Count: 2, From: 3, To: 4, Time: 5}}
	tables, err := want.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.End(tables); err != nil {
		t.Fatal(err)
	}
	file := out.Bytes()
	got, err := ReadTables(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Ref{})); diff != "" {
		t.Error(diff)
	}
	read, err := ReadBlock(bytes.NewReader(file), got.Records[0].Ref, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []model.Record
	for rest := ReadRecords(read, &got.Records[0]); rest.More(); {
		var r model.Record
		if !rest.Next(&r) {
			t.Fatal("a record is damaged")
		}
		all = append(all, r)
	}
	if diff := cmp.Diff(records, all); diff != "" {
		t.Error(diff)
	}
	for i := range file { // in the block, the tables or what follows them
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		r := bytes.NewReader(damaged)
		_, err := ReadTables(r, int64(len(damaged)))
		if _, inBlock := ReadBlock(r, ref.Ref, nil); err == nil && inBlock == nil {
			t.Errorf("byte %d is damaged, and neither error reports it", i)
		} else if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotIndex) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}
