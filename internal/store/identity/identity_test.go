package identity

import (
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// FuzzLines decodes any bytes; what decodes is encoded and decodes to the same.
func FuzzLines(f *testing.F) {
	d := profile.NewDictionary()
	d.Add(profiletest.Generate(profiletest.Options{Samples: 20, Functions: 9, Inlines: true}))
	t := d.Table()
	for i := range t.Locations {
		f.Add(AppendLines(nil, t, &t.Locations[i]))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		again := func(data []byte) []byte {
			b := profile.NewBuilder(profile.ValueType{Type: "n", Unit: "count"})
			lines, folded, err := ReadLines(string(data), b)
			if err != nil {
				return nil
			}
			loc := b.Location(1, profile.None, folded, lines...)
			if b.Sample([]uint32{loc}, nil, 1) != nil {
				return nil
			}
			d := profile.NewDictionary()
			d.Add(b.Profile(nil))
			table := d.Table()
			return AppendLines(nil, table, &table.Locations[0])
		}
		once := again(data)
		if once == nil {
			return
		}
		if twice := again(once); string(twice) != string(once) {
			t.Fatalf("encoded again it differs: %x, %x", once, twice)
		}
	})
}
