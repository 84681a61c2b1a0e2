package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/report/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
)

// TestStoreDocuments checks that the documents of the commands for stores render to their texts.
func TestStoreDocuments(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, command := range []string{
		"push cpu.pb.gz heap.pb.gz --store st --service shop --label version=v1", "query series --store st",
		"query labels --store st", "query labels --name service --store st", "query labels --name none --store st",
		"query profiles --store st", "query profiles version=v2 --store st", "query timeline --type cpu --store st",
		"query --type cpu --store st", "query regressions --store st", "store stats --store st", "store check --store st",
	} {
		args := strings.Fields(command)
		code, text, stderr := runWhet(t, args...)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", command, code, stderr)
			continue
		}
		_, doc, _ := runWhet(t, append(args, "--json")...)
		var again bytes.Buffer
		if err := documents.Write(&again, layout.Style{}, []byte(doc), documents.Options{}); err != nil {
			t.Errorf("%s: %v", command, err)
		} else if again.String() != text {
			t.Errorf("%s: the document's text is\n%swant\n%s", command, again.String(), text)
		}
	}
}

// TestPushRevision pushes a recording of a program that knows its commit.
func TestPushRevision(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	p, err := profile.ReadFile("cpu.pb.gz", profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("0f", 20)
	build := &recording.Build{Settings: []recording.BuildSetting{{Key: "vcs.revision", Value: hash}}}
	recordingtest.WriteBuild(t, "a.whet", build, nil, recordingtest.Profile{Name: "cpu", Profile: p})
	for labels, want := range map[string]string{"region=eu": hash, "vcs_revision=mine": "mine"} {
		store := t.TempDir()
		code, _, stderr := runWhet(t, "push", "a.whet", "--whole", "--service", "shop", "--store", store, "--label", labels)
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		for _, list := range []string{"profiles", "recordings"} {
			_, stdout, _ := runWhet(t, "query", list, "--store", store, "--json")
			if !strings.Contains(stdout, `"vcs_revision": "`+want+`"`) {
				t.Errorf("%s, %s: no revision %s in\n%s", labels, list, want, stdout)
			}
		}
	}
}
