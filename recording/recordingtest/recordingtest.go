package recordingtest

import (
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// A Profile is a profile of a recording.
type Profile struct {
	Name    string
	Profile *profile.Profile
	Part    recording.Part // its window and note
}

// Open returns a recording with a load, unless it is nil, and profiles.
func Open(t testing.TB, load any, profiles ...Profile) *recording.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.whet")
	Write(t, path, load, profiles...)
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // was only read
	return r
}

// Write writes the recording that Open opens.
func Write(t testing.TB, path string, load any, profiles ...Profile) {
	t.Helper()
	WriteBuild(t, path, nil, load, profiles...)
}

// WriteBuild is like Write for a program with build information.
func WriteBuild(t testing.TB, path string, build *recording.Build, load any, profiles ...Profile) {
	t.Helper()
	meta := recording.Meta{Build: build}
	w, err := recording.Create(path, meta)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		if err := w.AddProfile(p.Name, p.Profile, p.Part); err != nil {
			t.Fatal(err)
		}
	}
	if load != nil {
		if err := w.AddJSON(recording.LoadPart, load); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(meta); err != nil {
		t.Fatal(err)
	}
}
