package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// degradingService is a server with the whet agent and a flight recorder, which gets worse in the way that a request
// names. It prints the address of the agent and its own, and ends with its standard input.
func degradingService() {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Flight: 3 * time.Second})
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var held [][]byte
	mux := http.NewServeMux()
	mux.HandleFunc("/slower", func(http.ResponseWriter, *http.Request) { time.Sleep(500 * time.Millisecond) })
	mux.HandleFunc("/goroutines", func(http.ResponseWriter, *http.Request) {
		for range 500 {
			go stuck()
		}
	})
	mux.HandleFunc("/heap", func(http.ResponseWriter, *http.Request) { held = append(held, keep()) })
	mux.HandleFunc("/cpu", func(http.ResponseWriter, *http.Request) {
		for range 4 {
			go burn()
		}
	})
	go func() { panic((&http.Server{Handler: a.Watch(mux), ReadHeaderTimeout: time.Minute}).Serve(listener)) }()
	fmt.Printf("%s http://%s\n", a.URL(), listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println(len(held))
}

//go:noinline
func stuck() { select {} }

//go:noinline
func keep() []byte {
	b := make([]byte, 100<<20)
	for i := range b {
		b[i] = 1
	}
	return b
}

//go:noinline
func burn() {
	for {
		spent += spend(1000)
	}
}

// TestScrapeTriggers has four servers get slower, grow goroutines, grow the heap and use CPU time. Two are scraped by
// whet serve, and two by whet watch, which sends to whet serve. A whole recording of each, with the execution trace of
// the seconds before, is in the store.
func TestScrapeTriggers(t *testing.T) {
	limits := map[string]string{"slower": "300ms", "goroutines": "300", "heap": "60MB", "cpu": "0.15"}
	triggers := map[string]string{"slower": "slow", "goroutines": "goroutines", "heap": "heap", "cpu": "cpu"}
	dir := t.TempDir()
	servers := map[string]string{}
	job := func(name string) string {
		agentURL, server := degrading(t)
		servers[name] = server
		host, prefix, _ := strings.Cut(strings.TrimPrefix(agentURL, "http://"), "/")
		return fmt.Sprintf("{job_name: of-%s, scrape_interval: 1h, path: %q, profiles: [heap], "+
			"static_configs: [{targets: [%q]}], triggers: {%s: %s}}", name, "/"+prefix, host, name, limits[name])
	}
	config := func(file string, jobs ...string) string {
		path := filepath.Join(dir, file)
		text := "scrape_configs: [" + strings.Join(jobs, ", ") + "]"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	address := serving(t, "--store", filepath.Join(dir, "profiles"), "--scrape", config("serve.yaml", job("slower"),
		job("goroutines")), t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	var stderr log
	code := make(chan int, 1)
	watched := config("watch.yaml", job("heap"), job("cpu"))
	go func() {
		code <- cli.Main(ctx, []string{"watch", "--config", watched, "--store", address, "--buffer", "none"},
			strings.NewReader(""), io.Discard, &stderr)
	}()
	for name, server := range servers {
		id, about := recordedAs(t, address, server+"/"+name, triggers[name], name != "slower")
		answer, err := http.Get(address + "/api/v1/store/recording?id=" + id)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !rec.Has(recording.TracePart) || rec.Meta().Duration < 500*time.Millisecond {
			t.Errorf("%s: the recording has no trace, or one of %v", name, rec.Meta().Duration)
		}
		evident(t, name, about, rec)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("whet watch: exit code %d\n%s", got, &stderr)
	}
}

// degrading starts degradingService and returns the addresses of its agent and itself.
func degrading(t *testing.T) (agentURL, server string) {
	t.Helper()
	cmd := exec.Command("degrading")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // ends it
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	agentURL, server, _ = strings.Cut(strings.TrimSpace(line), " ")
	return agentURL, server
}

// recordedAs sends a request, or one after the other unless once is set, until the store has a recording of a trigger.
func recordedAs(t *testing.T, address, url, trigger string, once bool) (id, about string) {
	t.Helper()
	for n := 0; t.Context().Err() == nil; n++ {
		if n == 0 || !once {
			answer, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
		}
		answer, err := http.Get(address + "/api/v1/store/recordings?query=trigger%3D" + trigger)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Recordings []struct{ ID, About string } }
		err = json.NewDecoder(answer.Body).Decode(&list)
		_ = answer.Body.Close()
		if err == nil && len(list.Recordings) > 0 {
			return list.Recordings[0].ID, list.Recordings[0].About
		}
		if deadline, ok := t.Deadline(); ok && time.Until(deadline) < time.Minute {
			break
		}
		time.Sleep(100 * time.Millisecond) // the servers are other processes
	}
	t.Fatalf("no recording of %s", trigger)
	return "", ""
}

// evident looks for what went wrong in a recording.
func evident(t *testing.T, name, about string, rec *recording.Recording) {
	t.Helper()
	has := func(kind, function string) {
		t.Helper()
		p, err := rec.ReadProfile(kind, profile.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %s: %v; the recording has %q", name, kind, err, rec.ProfileNames())
			return
		}
		for _, f := range p.Functions {
			if strings.HasSuffix(f.Name, "cli_test."+function) {
				return
			}
		}
		t.Errorf("%s: %s is not in the profile %s", name, function, kind)
	}
	want := ""
	switch name {
	case "slower":
		want = "/slower took "
	case "goroutines":
		want = " goroutines"
		has("goroutine", "stuck")
	case "heap":
		want = " on the heap"
		has("heap", "keep")
	case "cpu":
		want = " CPUs busy"
	}
	// The trace names the functions whose goroutines ran.
	part, err := rec.Part(recording.TracePart)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = part.Close() }()
	events, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	function := map[string]string{"slower": "degradingService", "goroutines": "stuck", "heap": "keep", "cpu": "burn"}[name]
	if !bytes.Contains(events, []byte("cli_test."+function)) {
		t.Errorf("%s: the trace of %d bytes does not have %s", name, len(events), function)
	}
	if !strings.Contains(about, want) {
		t.Errorf("%s: the recording is about %q", name, about)
	}
}
