package suite

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
)

// hostileName is a name that must not reach a terminal unchanged: it has the sequences of
// hostile.Terminal, and colors equal to those that whet writes.
const hostileName = "n\x1b[1m\x1b[31m\x1b[0m" + hostile.Terminal + "\u2028\u2029\u200f\u061c\u00ad\u0085"

// TestNames passes names with terminal control sequences to every command that reads a file or
// queries a server: in files, as names of missing files, as arguments and flags, and from servers.
// holds checks both output streams.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := hostileName + strings.Repeat("é", 1<<20)
	source := "package " + hostileName + "\n\nfunc f() { // " + hostileName + "\n}\n"
	for name, data := range map[string][]byte{
		"names.pb.gz": hostile.Gzip(hostile.Strings(hostileName)),
		"long.pb.gz":  hostile.Gzip(hostile.Strings(long)),
		"names.trace": hostile.Texts(hostileName),
		"names.txt":   []byte(source),
		"go.mod":      []byte("module " + hostileName + "\n\ngo 1.26\n"),
		"x.go":        []byte(source),
		"targets.txt": []byte("GET http://127.0.0.1:1/" + hostileName + "\nX-" + hostileName + ": 1\n\nnonsense " +
			hostileName + "\n"),
		"vars.csv": []byte("a," + hostileName + "\n1\n"),
		"result.json": []byte(`{"schema": "whet.` + strings.ReplaceAll(strings.ToValidUTF8(hostileName, ""),
			"\x1b", `\u001b`) + `"}`),
		"bench.txt": []byte("goos: " + hostileName + "\npkg: " + hostileName + "\nBenchmark" + hostileName +
			" 100 10 ns/op\nBenchmarkX 1 x ns/op " + hostileName + "\n"),
		hostileName + ".pb": hostile.Gzip(hostile.Strings(hostileName)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	missing := "no" + hostileName
	files := []string{
		"names.pb.gz", "long.pb.gz", "names.trace", "names.txt", "bench.txt", "result.json",
		hostileName + ".pb", missing,
	}
	readers := [][]string{
		{"top"},
		{"top", "--all", "-n", "0"},
		{"top", "--all", "--by", "line"},
		{"top", "--all", "--by", "file"},
		{"top", "--csv"},
		{"tree", "--all"},
		{"tree", "--bottom-up", "--all"},
		{"peek", "."},
		{"list", "."},
		{"disasm", "."},
		{"traces", "--all"},
		{"tags"},
		{"goroutines"},
		{"memory"},
		{"folded"},
		{"raw"},
		{"callgrind"},
		{"speedscope"},
		{"flame", "-o", "-"},
		{"graph", "-o", "-"},
		{"graph", "--dot", "-o", "-"},
		{"pprof", "-top"},
		{"pprof", "-list", "."},
		{"pprof", "-peek", "."},
		{"pprof", "-tree"},
		{"pprof", "-traces"},
		{"pprof", "-raw"},
		{"pprof", "-tags"},
		{"pprof", "-comments"},
		{"pprof", "-dot"},
		{"pprof", "-callgrind"},
		{"pprof", "-disasm", "."},
		{"find"},
		{"find", "--format", "markdown"},
		{"find", "--format", "sarif"},
		{"fix"},
		{"pgo"},
		{"notes", "--recording"},
		{"load", "compare"},
		{"bench", "compare"},
		{"bench", "compare", "--format", "markdown"},
		{"bench", "compare", "--format", "benchstat"},
		{"bench", "compare", "--format", "csv"},
		{"bench", "history", "add", "."},
		{"trace", "index"},
		{"trace", "summary"},
		{"trace", "goroutines"},
		{"trace", "contention"},
		{"trace", "requests"},
		{"trace", "events"},
		{"trace", "profile", "sync", "-o", "/dev/null", "--force"},
		{"trace", "export", "--chrome", "/dev/null", "--force"},
		{"trace", "timeline", "-o", "/dev/null", "--force"},
	}
	for _, c := range readers {
		for i, f := range files {
			name := strings.Join(c, " ")
			if (c[0] == "fix" || c[0] == "find" || c[0] == "pgo") && i == 1 {
				continue // a name of 2 MB of source is what TestProfiles has
			}
			args := append(append([]string{}, c...), f)
			if strings.Join(c, " ") == "load compare" || c[0] == "bench" && c[1] == "compare" {
				args = append(args, f)
			}
			each(t, fmt.Sprintf("%s/%d", name, i), probe{args: args, dir: dir, bad: f == missing})
		}
	}
	for name, args := range map[string][]string{
		"diff":                {"diff", "names.pb.gz", "names.pb.gz"},
		"diff, missing":       {"diff", "names.pb.gz", missing},
		"base":                {"top", "--all", "--base", missing, "names.pb.gz"},
		"record, missing":     {"record", "-o", "x.whet", "--", "./" + missing, hostileName},
		"record, target":      {"record", "-d", "1s", "-o", "x.whet", missing},
		"watch, target":       {"watch", "--slower", "1s", "-o", dir, missing},
		"load, URL":           {"load", "-d", "1s", "http://127.0.0.1:1/" + hostileName},
		"load, scheme":        {"load", "-d", "1s", hostileName},
		"load, targets":       {"load", "-d", "1s", "--targets", "targets.txt"},
		"load, targets away":  {"load", "-d", "1s", "--targets", missing},
		"load, vars":          {"load", "-d", "1s", "--vars", "vars.csv", "http://127.0.0.1:1/{a}"},
		"load, header":        {"load", "-d", "1s", "-H", hostileName, "http://127.0.0.1:1/"},
		"unknown command":     {hostileName},
		"unknown sub command": {"trace", hostileName},
		"unknown flag":        {"top", "--" + hostileName},
		"flag's value":        {"top", "--type", hostileName, "names.pb.gz"},
		"unit":                {"top", "--unit", hostileName, "names.pb.gz"},
		"focus":               {"top", "--focus", hostileName + "(", "names.pb.gz"},
		"expression":          {"list", hostileName + "[", "names.pb.gz"},
		"own":                 {"top", "--own", hostileName, "names.pb.gz"},
		"filter":              {"trace", "events", "--filter", hostileName, "names.trace"},
		"class":               {"trace", "requests", "--class", hostileName + "(", "names.trace"},
		"format":              {"find", "--format", hostileName, "names.pb.gz"},
		"rule":                {"rules", hostileName},
		"help":                {"help", hostileName},
		"output":              {"folded", "-o", missing + "/x", "names.pb.gz"},
		"bench package":       {"bench", "./" + hostileName},
		"notes package":       {"notes", "./..."},
		"pgo package":         {"pgo", "names.pb.gz", "./" + hostileName},
		"pprof flag":          {"pprof", "-" + hostileName, "names.pb.gz"},
		"pprof binary":        {"pprof", "-top", missing, "names.pb.gz"},
		"history":             {"bench", "history", missing},
	} {
		each(t, name, probe{
			args: args, dir: dir, bad: name != "diff" && name != "unit" && name != "own" && name != "pprof binary",
		})
	}
}

// TestServedNames has a server that answers with such names: in reason phrases, headers, bodies,
// profiles and symbols.
func TestServedNames(t *testing.T) {
	t.Parallel()
	reason := strings.NewReplacer("\r", "", "\n", "").Replace(hostileName)
	answers := map[string]func(c net.Conn, path string){}
	send := func(status string, body []byte) func(net.Conn, string) {
		return func(c net.Conn, _ string) {
			_, _ = fmt.Fprintf(c, "HTTP/1.1 %s\r\nX-Go-Pprof: 1\r\nContent-Type: text/plain; "+
				"charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(body), body)
		}
	}
	answers["reason"] = send("500 "+reason, []byte(hostileName))
	answers["body"] = send("404 Not Found", []byte(strings.Repeat(hostileName, 1000)))
	answers["text"] = send("200 OK", []byte(hostileName))
	answers["redirect"] = send("302 "+reason+"\r\nLocation: http://127.0.0.1:1/"+reason, nil)
	answers["profile"] = send("200 OK", hostile.Gzip(hostile.Strings(hostileName)))
	answers["trace"] = send("200 OK", hostile.Texts(hostileName))
	answers["status"] = send(reason, nil)
	answers["symbols"] = func(c net.Conn, path string) {
		body := []byte("num_symbols: 1\n0x1010\t" + hostileName + "\n0x8010\t" + hostileName + "\n")
		if !strings.Contains(path, "symbol") {
			body = hostile.Gzip(hostile.Strings(hostileName))
		}
		send("200 OK", body)(c, path)
	}
	for name, answer := range answers {
		s, err := hostile.Serve("127.0.0.1:0", answer)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		base := s.URL() + "/debug/pprof/"
		for _, c := range [][]string{
			{"top", "--all", "--duration", "1s", base},
			{"top", "--all", base + "heap"},
			{"list", ".", base + "heap"},
			{"disasm", ".", base + "heap"},
			{"goroutines", base},
			{"memory", base},
			{"trace", "summary", "--seconds", "1s", base},
			{"pprof", "-top", "-timeout", "5", base + "heap"},
			{"pprof", "-list", ".", "-timeout", "5", "-symbolize=remote", base + "heap"},
			{"pprof", "-traces", "-timeout", "5", "-symbolize=force", base + "heap"},
			{"record", "-d", "1s", "--trace", "500ms", "-o", filepath.Join(t.TempDir(), "x.whet"), base},
			{"watch", "--slower", "1s", "--max", "1", "--length", "1s", "-o", t.TempDir(), base},
			{"load", "-d", "1s", "-c", "2", "--timeout", "2s", s.URL()},
			{"load", "-d", "1s", "-c", "2", "--timeout", "2s", "--engine", "net", s.URL()},
		} {
			each(t, name+"/"+strings.Join(c[:2], " "), probe{args: c, dir: t.TempDir()})
		}
	}
}
