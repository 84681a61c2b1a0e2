package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/report/documents"
	"github.com/whet-go/whet/internal/report/layout"
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
