package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/smalldisk"
)

// TestServeDiskFull serves a store on a file system of a few megabytes that another file fills: what is sent is
// refused with the cure, queries go on, and so does storing when there is space again. Nothing is damaged.
func TestServeDiskFull(t *testing.T) {
	disk := smalldisk.New(t, 6<<20)
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	st := filepath.Join(disk.Dir, "st")
	address := serving(t, "--store", st, dir)
	begin, sent := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), 0
	send := func() (status int, text string) {
		t.Helper()
		at := begin.Add(time.Duration(sent) * time.Minute).Format(time.RFC3339)
		answer, err := http.Post(address+"/api/v1/store/profiles?service=shop&kind=cpu&start="+at, "", bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode/100 == 2 {
			sent++
		}
		return answer.StatusCode, string(body)
	}
	query := func() {
		t.Helper()
		code, stdout, stderr := runWhet(t, "query", "service=shop", "--type", "cpu", "--all", "--store", address)
		if code != 0 || !strings.Contains(stdout, "main.") {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
	}
	for range 5 {
		if status, text := send(); status != http.StatusNoContent {
			t.Fatal(status, text)
		}
	}
	free := disk.Fill(t)
	refused := 0
	for range 500 {
		status, text := send()
		if status == http.StatusNoContent {
			continue // there was space in the log
		}
		if status != http.StatusServiceUnavailable || !strings.Contains(text, `"hint":"free space`) {
			t.Fatalf("a full disk is answered by %d %s", status, text)
		}
		if refused++; refused == 5 {
			break
		}
	}
	if refused == 0 {
		t.Fatal("the disk was never full")
	}
	query()
	free()
	for range 5 {
		if status, text := send(); status != http.StatusNoContent {
			t.Fatalf("with space again: %d %s", status, text)
		}
	}
	query()
	code, stdout, stderr := runWhet(t, "store", "check", "--store", st)
	if code != 0 || !strings.Contains(stdout, "no damage") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
