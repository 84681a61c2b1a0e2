package configs

import "testing"

// TestBuild checks which files belong to a build, as it is and in another configuration.
func TestBuild(t *testing.T) {
	t.Parallel()
	b := Build{Flags: []string{"-race", "-tags", "fast,odd"}, Env: []string{"GOOS=linux", "GOARCH=amd64"}}
	if got := b.Config().String(); got != "linux/amd64+fast,odd" {
		t.Errorf("configuration %s", got)
	}
	on := b.For(Config{OS: "windows", Arch: "arm64", Tags: "small"})
	if got := on.Config().String(); got != "windows/arm64+fast,odd,small" || b.Config().OS != "linux" {
		t.Errorf("configuration %s, from %s", got, b.Config())
	}
	const plain = "package a\n"
	for _, test := range []struct {
		name, text string
		has, on    bool
	}{
		{"a/a.go", plain, true, true},
		{"a/a_windows.go", plain, false, true},
		{"a/a.go", "//go:build odd && !small\n\n" + plain, true, false},
		{"a/a_arm64.s", "", false, true},
	} {
		if has, other := b.Has(test.name, []byte(test.text)), on.Has(test.name, []byte(test.text)); has != test.has ||
			other != test.on {
			t.Errorf("%s: %v and %v\n%s", test.name, has, other, test.text)
		}
	}
}
