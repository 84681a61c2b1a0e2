package recording

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// heapProfile is a real profile: this process's heap.
func heapProfile(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var bigText = strings.Repeat("# a line of memory statistics = 123\n", 500)

// write makes a recording with one part of each sort and returns its bytes.
func write(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.whet")
	w, err := Create(path, Meta{Target: Target{Kind: URL, Address: "http://127.0.0.1:1/debug/pprof/"}})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.AddRawProfile("heap", heapProfile(t), Part{}))
	must(w.AddRawProfile("example.com/pkg/cpu", heapProfile(t), Part{}))
	must(w.Add(Part{Name: MemStatsEndPart}, []byte(bigText)))
	must(w.AddReader(Part{Name: TracePart}, strings.NewReader("go 1.26 trace\x00\x00\x00"), 100))
	must(w.AddJSON(LoadPart, map[string]int{"requests": 7}))
	must(w.AddSource("/src/a.go", []byte("package a\n")))
	must(w.AddSource("src/a.go", []byte("package relative\n")))
	must(w.AddSource("/src/a.go", []byte("ignored: it is there")))
	must(w.AddSource(`C:\x\..\b.go`, []byte("package b\n")))
	must(w.Close(Meta{Target: Target{Kind: URL}, Duration: time.Second, Missing: []Missing{{"mutex", "off", "on"}}}))
	if _, err := os.Stat(path + PartialSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("partial file is left: %v", err)
	}
	data, err := os.ReadFile(path)
	must(err)
	return data
}

func open(t testing.TB, data []byte) *Recording {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRoundTrip(t *testing.T) {
	r := open(t, write(t))
	if len(r.Warnings) > 0 || len(r.Verify()) > 0 {
		t.Errorf("warnings %v, verify %v", r.Warnings, r.Verify())
	}
	if got, want := r.ProfileNames(), []string{"heap", "example.com/pkg/cpu"}; !slices.Equal(got, want) {
		t.Errorf("profiles %q, want %q", got, want)
	}
	p, err := r.Profile("heap")
	if err != nil || p.NumSamples() == 0 {
		t.Errorf("heap: %v", err)
	}
	for path, want := range map[string]string{
		"/src/a.go": "package a\n", "src/a.go": "package relative\n",
		`C:\x\..\b.go`: "package b\n",
	} {
		if got, ok := r.SourceFile(path); !ok || string(got) != want {
			t.Errorf("source %s: %q, %v", path, got, ok)
		}
	}
	if _, ok := r.SourceFile("/etc/passwd"); ok {
		t.Error("a source file that was never stored is there")
	}
	var load map[string]int
	if err := r.JSON(LoadPart, &load); err != nil || load["requests"] != 7 {
		t.Errorf("load: %v, %v", load, err)
	}
	m := r.Meta()
	if m.Version != Version || m.Duration != time.Second || m.Interrupted || len(m.Missing) != 1 || m.Created.IsZero() {
		t.Errorf("meta: %+v", m)
	}
	for _, p := range m.Parts {
		if p.SHA256 == "" || p.Kind == "" {
			t.Errorf("part without sum or kind: %+v", p)
		}
	}
	var pe *PartError
	if _, err := r.Profile("cpu"); !errors.As(err, &pe) || pe.Part != "profiles/cpu.pb.gz" || !errors.Is(err, ErrNoPart) {
		t.Errorf("missing profile: %v", err)
	}
}

// TestVersion1 reads the hints of a recording of version 1, which has another name for them.
func TestVersion1(t *testing.T) {
	r, err := Open("testdata/slug.whet")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	m := r.Meta()
	if m.Version != 1 || len(m.Missing) != 3 {
		t.Fatalf("version %d, missing %v; want version 1, with 3 parts missing", m.Version, m.Missing)
	}
	for part, want := range map[string]string{
		"block": "runtime.SetBlockProfileRate(10000)",
		"mutex": "runtime.SetMutexProfileFraction(100)",
	} {
		i := slices.IndexFunc(m.Missing, func(m Missing) bool { return m.Part == part })
		if i < 0 || m.Missing[i].Hint != want {
			t.Errorf("missing %v, want the hint of %s %q", m.Missing, part, want)
		}
	}
}

// TestMissingJSON checks that hints are written and read with the current name.
func TestMissingJSON(t *testing.T) {
	want := Missing{Part: "mutex", Reason: "off", Hint: "on"}
	data, err := json.Marshal(want)
	if text := `{"part":"mutex","reason":"off","hint":"on"}`; err != nil || string(data) != text {
		t.Errorf("%s, %v, want %s", data, err, text)
	}
	var got Missing
	if err := json.Unmarshal(data, &got); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if err := json.Unmarshal([]byte(`{"part":1}`), &got); err == nil {
		t.Error("a part that is a number is accepted")
	}
}

// TestOtherTools reads a recording with archive/zip, unzip and go tool pprof.
func TestOtherTools(t *testing.T) {
	data := write(t)
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, zr); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-raw", filepath.Join(dir, "profiles", "heap.pb.gz")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "inuse_space") {
		t.Errorf("go tool pprof: %v\n%s", err, out)
	}
	unzip, err := exec.LookPath("unzip")
	if err != nil {
		t.Skip("no unzip here")
	}
	file := filepath.Join(dir, "r.whet")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(unzip, "-t", file).CombinedOutput(); err != nil {
		t.Errorf("unzip -t: %v\n%s", err, out)
	}
}

// parts returns the entries of an undamaged recording, in file order.
func parts(t testing.TB, data []byte) []entry {
	t.Helper()
	entries := scan(bytes.NewReader(data), int64(len(data)))
	if len(entries) < 8 {
		t.Fatalf("%d parts", len(entries))
	}
	return entries
}

// TestTruncated truncates a recording everywhere around the ends of its parts. Complete parts must
// be readable; the error for an incomplete one must name it.
func TestTruncated(t *testing.T) {
	data := write(t)
	entries := parts(t, data)
	first := int(entries[0].offset + entries[0].packed)
	var cuts []int
	for _, e := range entries {
		start, end := int(e.offset), int(e.offset+e.packed)
		cuts = append(cuts, start-1, start, start+1, (start+end)/2, end-1, end, end+1)
	}
	cuts = append(cuts, len(data)-1, len(data)-endLen, len(data)-endLen-1)
	for _, at := range cuts {
		if at < first {
			continue // nothing is whole
		}
		r, err := NewReader(bytes.NewReader(data[:at]), int64(at))
		if err != nil {
			t.Errorf("cut at %d: %v", at, err)
			continue
		}
		if len(r.Warnings) == 0 {
			t.Errorf("cut at %d: no warning", at)
		}
		for _, e := range entries {
			err := r.verify(r.entries[e.name])
			_, there := r.entries[e.name]
			whole := int(e.offset+e.packed) <= at
			if whole && (err != nil || !there) {
				t.Errorf("cut at %d: %s is whole, but: %v", at, e.name, err)
			}
			if got := r.Truncated(e.name); got != (!whole && there) {
				t.Errorf("cut at %d: truncated %v, but %s is whole: %v", at, got, e.name, whole)
			}
			var pe *PartError
			if !whole && there && (!errors.As(err, &pe) || pe.Part != e.name) {
				t.Errorf("cut at %d: %s is cut off, but: %v", at, e.name, err)
			}
			if !whole && there && !slices.ContainsFunc(r.Warnings,
				func(w Warning) bool { return strings.Contains(w.Text, e.name) }) {
				t.Errorf("cut at %d: no warning names %s: %v", at, e.name, r.Warnings)
			}
		}
		if at < len(data)-4<<10 && !r.Meta().Interrupted && !r.Has(MetaPart) {
			t.Errorf("cut at %d: not marked as interrupted", at)
		}
		if r.Meta().Target.Kind != URL {
			t.Errorf("cut at %d: the target is lost", at)
		}
	}
	for _, at := range []int{0, 1, 3, 4, 29} {
		if _, err := NewReader(bytes.NewReader(data[:at]), int64(at)); !errors.Is(err, ErrNotRecording) {
			t.Errorf("cut at %d: %v", at, err)
		}
	}
}

// TestFlippedBits damages every byte in turn: the file opens, and no part but the
// damaged one is lost.
func TestFlippedBits(t *testing.T) {
	data := write(t)
	entries := parts(t, data)
	want := map[string]uint32{}
	for _, e := range entries {
		want[e.name] = e.crc
	}
	step := 1
	if testing.Short() {
		step = 13
	}
	for at := 0; at < len(data); at += step {
		bad := bytes.Clone(data)
		bad[at] ^= 0x41
		r, err := NewReader(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			if at < 4 { // the magic number
				continue
			}
			var ve *versionError
			if errors.As(err, &ve) {
				continue
			}
			t.Fatalf("byte %d: %v", at, err)
		}
		damaged := 0
		for name := range want {
			if name == MetaPart || name == StartPart {
				continue
			}
			if !r.Has(name) || r.verify(r.entries[name]) != nil {
				damaged++
			}
		}
		if damaged > 1 {
			t.Fatalf("byte %d: %d parts lost: %v", at, damaged, r.Warnings)
		}
		if damaged == 1 && len(r.Warnings)+len(r.Verify()) == 0 {
			t.Fatalf("byte %d: damage goes unseen", at)
		}
	}
}

// TestRezipped reads what other zip tools make of a recording: data
// descriptors, directories, another order.
func TestRezipped(t *testing.T) {
	data := write(t)
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	if _, err := zw.Create("source/"); err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Backward(zr.File) {
		w, err := zw.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, rc); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	r := open(t, buf.Bytes())
	if len(r.Warnings)+len(r.Verify()) > 0 {
		t.Errorf("rezipped: %v, %v", r.Warnings, r.Verify())
	}
	if _, err := r.Profile("heap"); err != nil {
		t.Error(err)
	}
	// Without the index, the length of a part is only known after it is inflated.
	cut := buf.Len() - 300
	r = open(t, buf.Bytes()[:cut])
	if p, err := r.Profile("heap"); err != nil || p.NumSamples() == 0 {
		t.Errorf("rezipped and cut: %v (%v)", err, r.Warnings)
	}
}

// TestHostile reads crafted files that no recorder writes.
func TestHostile(t *testing.T) {
	build := func(add func(zw *zip.Writer)) []byte {
		var buf bytes.Buffer
		zw := zip.NewWriter(&buf)
		add(zw)
		if err := zw.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	raw := func(zw *zip.Writer, name string, method uint16, packed []byte, size uint64) {
		w, err := zw.CreateRaw(&zip.FileHeader{
			Name: name, Method: method, CRC32: crc32.ChecksumIEEE(packed), CompressedSize64: uint64(len(packed)),
			UncompressedSize64: size,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(packed); err != nil {
			t.Fatal(err)
		}
	}
	start := []byte(`{"version":1}`)
	t.Run("names", func(t *testing.T) {
		names := []string{"../evil.go", "/abs", `..\evil`, "a//b", "source/../../x", "C:/x", "a\x00b", "source/\u202ex"}
		data := build(func(zw *zip.Writer) {
			raw(zw, StartPart, zip.Store, start, uint64(len(start)))
			for _, n := range names {
				raw(zw, n, zip.Store, []byte("x"), 1)
			}
		})
		r := open(t, data)
		for _, n := range names {
			if r.Has(n) {
				t.Errorf("%q was let in", n)
			}
		}
		if len(r.Warnings) < len(names) {
			t.Errorf("%d warnings for %d names", len(r.Warnings), len(names))
		}
	})
	t.Run("bomb", func(t *testing.T) {
		data := build(func(zw *zip.Writer) {
			raw(zw, StartPart, zip.Store, start, uint64(len(start)))
			raw(zw, TracePart, zip.Deflate, []byte{3, 0}, 1<<31)
		})
		if r := open(t, data); r.Has(TracePart) {
			t.Error("a part that claims the impossible was let in")
		}
	})
	t.Run("liar", func(t *testing.T) {
		var packed bytes.Buffer
		s := spool{dir: t.TempDir()}
		if readErr, err := s.fill(bytes.NewReader(make([]byte, 1<<20)), 1<<30, zip.Deflate); readErr != nil || err != nil {
			t.Fatal(readErr, err)
		}
		packed.Write(s.mem.Bytes())
		data := build(func(zw *zip.Writer) {
			raw(zw, StartPart, zip.Store, start, uint64(len(start)))
			raw(zw, TracePart, zip.Deflate, packed.Bytes(), 10)
		})
		rc, err := open(t, data).Part(TracePart)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(rc)
		if len(got) > 10 || err == nil || !strings.Contains(err.Error(), TracePart) {
			t.Errorf("read %d bytes of 10, error %v", len(got), err)
		}
	})
	t.Run("version", func(t *testing.T) {
		meta, err := json.Marshal(Meta{Version: Version + 1})
		if err != nil {
			t.Fatal(err)
		}
		data := build(func(zw *zip.Writer) { raw(zw, MetaPart, zip.Store, meta, uint64(len(meta))) })
		if _, err := NewReader(bytes.NewReader(data), int64(len(data))); err == nil ||
			!strings.Contains(err.Error(), "update whet") {
			t.Errorf("newer version: %v", err)
		}
	})
	t.Run("other zip", func(t *testing.T) {
		data := build(func(zw *zip.Writer) { raw(zw, "readme.txt", zip.Store, []byte("x"), 1) })
		if _, err := NewReader(bytes.NewReader(data), int64(len(data))); !errors.Is(err, ErrNotRecording) {
			t.Errorf("a zip of something else: %v", err)
		}
	})
}

// TestLyingIndex has an index that contradicts the headers; the checksum decides.
func TestLyingIndex(t *testing.T) {
	data := write(t)
	at := bytes.Index(data, []byte(centralSig)) // the first entry
	if at < 0 {
		t.Fatal("no index")
	}
	second := at + centralLen + int(binary.LittleEndian.Uint16(data[at+28:])) +
		int(binary.LittleEndian.Uint16(data[at+30:]))
	binary.LittleEndian.PutUint32(data[second+16:], 12345) // its checksum
	r := open(t, data)
	if len(r.Warnings) == 0 {
		t.Error("no warning")
	}
	if errs := r.Verify(); len(errs) > 0 {
		t.Errorf("parts were lost: %v", errs)
	}
}

func TestAddReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.whet")
	w, err := Create(path, Meta{})
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := w.AddReader(Part{Name: TracePart}, io.MultiReader(strings.NewReader("half"), errReader{boom}),
		100); !errors.Is(err, boom) {
		t.Errorf("error of the reader: %v", err)
	}
	if err := w.AddReader(Part{Name: "empty.txt"}, errReader{boom}, 100); !errors.Is(err, boom) || w.Has("empty.txt") {
		t.Errorf("a part without data: %v", err)
	}
	if err := w.AddReader(Part{Name: "long.txt"}, strings.NewReader("0123456789"), 4); err == nil {
		t.Error("more than the limit: no error")
	}
	if err := w.Add(Part{Name: TracePart}, nil); err == nil {
		t.Error("the same name twice: no error")
	}
	if err := w.Add(Part{Name: "../x"}, nil); err == nil {
		t.Error("a bad name: no error")
	}
	// A window that ended early has no end in the future.
	if err := w.AddReader(Part{Name: "early.txt", Start: time.Now(), End: time.Now().Add(time.Hour)},
		strings.NewReader("x"), 4); err != nil {
		t.Error(err)
	}
	if parts := w.Parts(); parts[len(parts)-1].End.After(time.Now()) {
		t.Errorf("part ends at %v", parts[len(parts)-1].End)
	}
	// Large parts pass through a file.
	big := bytes.Repeat(heapProfile(t), 2+(spoolInMemory/len(heapProfile(t))))
	if err := w.AddRawProfile("big", big, Part{}); err != nil {
		t.Fatal(err)
	}
	rc, err := w.Part(TracePart)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(rc); err != nil || string(got) != "half" {
		t.Errorf("read back %q, %v", got, err)
	}
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Close(Meta{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("abort after close: %v", err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if errs := r.Verify(); len(errs) > 0 {
		t.Error(errs)
	}
	if i := slices.IndexFunc(r.Meta().Parts,
		func(p Part) bool { return p.Name == TracePart }); r.Meta().Parts[i].Note != "incomplete" {
		t.Errorf("half a trace: %+v", r.Meta().Parts[i])
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

func TestOpenPartial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.whet")
	w, err := Create(path, Meta{Target: Target{Kind: Command, Command: []string{"./server"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddRawProfile("heap", heapProfile(t), Part{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), PartialSuffix) {
		t.Errorf("open before the end: %v", err)
	}
	r, err := Open(path + PartialSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.Profile("heap"); err != nil || p.NumSamples() == 0 {
		t.Error(err)
	}
	if m := r.Meta(); !m.Interrupted || m.Target.String() != "./server" {
		t.Errorf("meta %+v", m)
	}
	if err := errors.Join(r.Close(), w.Abort()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + PartialSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("abort left the file: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	data := write(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(data[:len(data)-30])
	f.Add([]byte(localSig + strings.Repeat("\x00", 40)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		var total int64
		for _, p := range r.Meta().Parts {
			rc, err := r.Part(p.Name)
			if err != nil {
				continue
			}
			n, _ := io.Copy(io.Discard, rc) // damage is fine, size is not
			total += n
			_ = rc.Close()
			if n > int64(len(data)+64)*maxRatio {
				t.Errorf("%s: %d bytes out of %d", p.Name, n, len(data))
			}
		}
		for _, name := range r.Sources() {
			r.SourceFile(name)
		}
	})
}

func FuzzSourceName(f *testing.F) {
	for _, p := range []string{"/a/b.go", `C:\x\y.go`, "../../etc/passwd", "a@v1.2.3/x.go", "", "/", "%", "\x00\xff"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		name := sourceName(p)
		if strings.Trim(strings.ReplaceAll(p, `\`, "/"), "/") == "" {
			return // no file's name
		}
		if len(name) <= maxName && (!validName(name) || !strings.HasPrefix(name, sourcePrefix)) {
			t.Errorf("%q becomes %q", p, name)
		}
	})
}
