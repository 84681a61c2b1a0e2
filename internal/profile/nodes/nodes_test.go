package nodes

import (
	"testing"

	"github.com/whet-go/whet/profile"
)

func TestNames(t *testing.T) {
	full := profile.Node{Name: "main.f", File: "a/x.go", Line: 7, Address: 0x40, Object: "/bin/x"}
	for _, test := range []struct {
		node  profile.Node
		by    profile.By
		name  string
		frame string
	}{
		{profile.Node{}, profile.ByFunction, unknownName, unknownName},
		{profile.Node{Name: "main.f"}, profile.ByFunction, "main.f", "main.f"},
		{full, profile.ByAddress, "0000000000000040 main.f a/x.go:7", "0x40 main.f a/x.go:7"},
		{profile.Node{Name: "main.f", File: "a/x.go"}, profile.ByLine, "main.f a/x.go", "main.f"},
		{profile.Node{File: "a/x.go"}, profile.ByFile, "a/x.go", "a/x.go"},
		{profile.Node{Address: 0x40, Object: "/bin/x"}, profile.ByAddress, "0000000000000040 [x]", "0x40 [x]"},
	} {
		if got := Name(test.node, test.by); got != test.name {
			t.Errorf("Name(%+v, %v) = %q, want %q", test.node, test.by, got, test.name)
		}
		if got := FrameName(test.node); got != test.frame {
			t.Errorf("FrameName(%+v) = %q, want %q", test.node, got, test.frame)
		}
	}
}

func TestObjects(t *testing.T) {
	o := NewObjects(&profile.Profile{Mappings: []profile.Mapping{
		{Start: 100, Limit: 200, File: "b"}, {Start: 10, Limit: 20, File: "a"}, {Start: 300, File: "open"},
	}})
	for address, want := range map[uint64]string{
		5: "", 10: "a", 19: "a", 20: "", 150: "b", 200: "", 300: "open", 1e9: "open",
	} {
		if got := o.Of(address); got != want {
			t.Errorf("%d is in %q, want %q", address, got, want)
		}
	}
}
