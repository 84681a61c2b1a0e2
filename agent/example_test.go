package agent_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/agent"
)

// A service starts the agent next to its own listener, for whet record.
func ExampleStart() {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"}) // the default is agent.DefaultAddr
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	resp, err := http.Get(a.URL() + "heap")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// Watch marks the requests that took long, for whet watch.
func ExampleAgent_Watch() {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "hello") })
	server := httptest.NewServer(a.Watch(mux))
	defer server.Close()

	resp, err := http.Get(server.URL + "/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(os.Stdout, resp.Body)
	// Output: hello
}

// A program that ends records itself.
func ExampleRecord() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.whet")

	stop := agent.Record(path)
	work() // what the program does
	if err := stop(); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(path)
	fmt.Println(err)
	// Output: <nil>
}

func work() {}
