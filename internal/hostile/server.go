package hostile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Secret is the token that tests send; it must not reach another host.
const Secret = "a-secret-of-the-test"

// A Server answers every request in one hostile way.
type Server struct {
	listener net.Listener
	open     sync.Map // connections
	handling sync.WaitGroup

	Stolen atomic.Int64 // requests with [Secret] in them
}

// Serve starts a server that passes each connection, after its first request's header, to answer.
func Serve(addr string, answer func(c net.Conn, head string)) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l}
	s.handling.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.open.Store(c, nil)
			s.handling.Go(func() {
				defer s.open.Delete(c)
				defer func() { _ = c.Close() }()
				head := readHead(c)
				if strings.Contains(head, Secret) {
					s.Stolen.Add(1)
				}
				answer(c, head)
			})
		}
	})
	return s, nil
}

func readHead(c net.Conn) string {
	var b strings.Builder
	r := bufio.NewReader(c)
	for b.Len() < 1<<20 {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil || strings.TrimSpace(line) == "" {
			break
		}
	}
	return b.String()
}

// URL returns the server's address.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close closes the server and its connections.
func (s *Server) Close() {
	_ = s.listener.Close()
	s.open.Range(func(c, _ any) bool {
		_ = c.(net.Conn).Close() // it has nothing else
		return true
	})
	s.handling.Wait()
}

// repeat writes a piece until the client disconnects.
func repeat(c net.Conn, head, piece string) {
	for _, err := io.WriteString(c, head); err == nil; {
		_, err = io.WriteString(c, piece)
	}
}

// drip writes a byte now and then until the client disconnects.
func drip(c net.Conn, head string) {
	for _, err := io.WriteString(c, head); err == nil; {
		time.Sleep(20 * time.Millisecond)
		_, err = io.WriteString(c, "a")
	}
}

// wait waits until the client disconnects.
func wait(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// page returns an answer with a body.
func page(status, header, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", status,
		header, len(body), body)
}

// Answers returns hostile ways to answer, by name. other is the address of another host.
func Answers(other string) map[string]func(c net.Conn, head string) {
	const ok = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
	says := func(text string) func(net.Conn, string) {
		return func(c net.Conn, _ string) { _, _ = io.WriteString(c, text) }
	}
	redirect := func(code int, to string) func(net.Conn, string) {
		return says(page(fmt.Sprint(code, " ", http.StatusText(code)), "Location: "+to+"\r\n", ""))
	}
	long := strings.Repeat("a", 64<<10)
	bomb := string(GzipZeros(1 << 10))
	samples := string(Gzip(Bomb(4 << 20)))
	return map[string]func(net.Conn, string){
		"endless": func(c net.Conn, _ string) { repeat(c, ok, long) },
		"endless chunks": func(c net.Conn, _ string) {
			repeat(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n"+long+"\r\n")
		},
		"endless profile": func(c net.Conn, _ string) {
			repeat(c, ok+string(head()),
				string(message(nil).bytes(2, sample(1)))+strings.Repeat(string(message(nil).bytes(2, sample(1))), 4000))
		},
		"endless trace": func(c net.Conn, _ string) {
			repeat(c, ok+traceHead, strings.Repeat(string(batch(0, nil)), 4000))
		},
		"endless header": func(c net.Conn, _ string) { repeat(c, "HTTP/1.1 200 OK\r\nX: ", long) },
		"endless headers": func(c net.Conn, _ string) {
			repeat(c, "HTTP/1.1 200 OK\r\n", strings.Repeat("X-A: b\r\n", 1000))
		},
		"endless status": func(c net.Conn, _ string) { repeat(c, "HTTP/1.1 200 ", long) },
		"endless 100":    func(c net.Conn, _ string) { repeat(c, "", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1000)) },
		"endless error":  func(c net.Conn, _ string) { repeat(c, "HTTP/1.1 500 No\r\nConnection: close\r\n\r\n", long) },
		"drip":           func(c net.Conn, _ string) { drip(c, ok) },
		"drip header":    func(c net.Conn, _ string) { drip(c, "HTTP/1.1 200 OK\r\nX: ") },
		"closes":         func(net.Conn, string) {},
		"gzip bomb":      says(page("200 OK", "Content-Encoding: gzip\r\n", bomb)),
		"gzip body":      says(page("200 OK", "", bomb)),
		"samples":        says(page("200 OK", "Content-Type: application/octet-stream\r\n", samples)),
		"texts":          says(page("200 OK", "", string(Gzip(Strings(Terminal))))),
		"trace":          says(page("200 OK", "", string(Texts("t"+Terminal)))),
		"reason": says(page("500 \x1b[31m\x1b]0;t\x07\x9b31m\u202e", "X: \u202e\x9b\r\n",
			"\x1b[2J\u009b31m\u202e\xff no\r\x00")),
		"not found": says(page("404 \x1b[31mno", "", "\x1b[2J\u009b31m\u202e\xff no\r\x00")),
		"HTML": says(page("200 OK", "Content-Type: text/html\r\n",
			"<html>\x1b[2J<a href='heap?debug=1'>\x1b[31m\u202e</a><a href='../../../x\x1b?debug=1'></a>")),
		"JSON": says(page("200 OK", "Content-Type: application/json\r\n",
			`{"schema":"\u001b[31m\u202e","pid":-1,"flight":{"window_ns":-1},"go_version":"\u001b[2J"}`)),
		"type":         says(page("200 OK", "Content-Type: \x1b[31m\u202e/x\r\n", "nothing")),
		"length":       says("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nshort"),
		"no length":    says("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nshort"),
		"chunk":        says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"),
		"redirect":     redirect(http.StatusFound, other+"/debug/pprof/"),
		"redirect 307": redirect(http.StatusTemporaryRedirect, other+"/debug/pprof/heap"),
		"redirect loop": func(c net.Conn, _ string) {
			redirect(http.StatusFound, "http://"+c.LocalAddr().String()+"/"+fmt.Sprint(time.Now().UnixNano()))(c, "")
		},
		"redirect scheme": redirect(http.StatusFound, "file:///etc/passwd"),
		"redirect text":   redirect(http.StatusFound, "http://\x1b[31m\u202e/"),
		"not HTTP":        says("SSH-2.0-\x1b[31mOpenSSH\u202e\r\n\x9b"),
		"upgrade":         says("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
		"stall":           func(c net.Conn, _ string) { wait(c) },
		"stall body":      func(c net.Conn, _ string) { _, _ = io.WriteString(c, ok+"abc"); wait(c) },
	}
}

// Listed returns a server with the index page of net/http/pprof, which gives one answer to all
// other requests.
func Listed(answer func(c net.Conn, head string)) func(c net.Conn, head string) {
	var list strings.Builder
	for _, kind := range []string{
		"allocs", "block", "cmdline", "flight", "goroutine", "heap", "mutex", "profile",
		"threadcreate", "trace",
	} {
		fmt.Fprintf(&list, "<a href='%s?debug=1'></a>", kind)
	}
	return func(c net.Conn, head string) {
		if strings.HasPrefix(head, "GET /debug/pprof/ ") {
			_, _ = io.WriteString(c, page("200 OK", "Content-Type: text/html\r\n", list.String()))
			return
		}
		answer(c, head)
	}
}

// GzipZeros returns n MiB of zeros, compressed to a thousandth, without holding them in memory.
func GzipZeros(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	piece := make([]byte, 1<<20)
	for range n {
		_, _ = w.Write(piece) // a buffer does not fail
	}
	_ = w.Close()
	return b.Bytes()
}

// Agents returns servers that answer partly as whet's agent does: the index page, a slow request
// with [Terminal] in its name, and hostile answers to the requests that follow.
func Agents(other string) map[string]func(c net.Conn, head string) {
	name, _ := json.Marshal("GET /" + Terminal) // a string cannot fail
	begin := time.Now().Add(-2 * time.Second)
	slow := fmt.Sprintf(
		`{"schema":"whet.agent-slow/1","next":1,"requests":[{"name":%s,"latency_ns":1500000000,"begin":%q,"end":%q}]}`,
		name, begin.Format(time.RFC3339Nano), begin.Add(1500*time.Millisecond).Format(time.RFC3339Nano))
	list := `<a href='goroutine?debug=1'></a><a href='flight'></a><a href='heap'></a>`
	handlers := list + strings.Repeat(`<a href='x\x1b[31m?debug=1'></a>`, 1<<15)
	agents := map[string]func(net.Conn, string){}
	add := func(as, index string, flight func(net.Conn, string)) {
		agents["agent, "+as] = func(c net.Conn, head string) {
			_, path, _ := strings.Cut(head, " ")
			path, _, _ = strings.Cut(path, " ")
			path, _, _ = strings.Cut(path, "?")
			switch {
			case strings.HasSuffix(path, "/debug/pprof/"):
				_, _ = io.WriteString(c, page("200 OK", "Content-Type: text/html\r\n", index))
			case strings.HasSuffix(path, "/whet"):
				_, _ = io.WriteString(c, page("200 OK", "", `{"go_version":"go1.26","pid":1,"flight":{"window_ns":5000000000}}`))
			case strings.HasSuffix(path, "/slow"):
				_, _ = io.WriteString(c, page("200 OK", "", slow))
			default:
				flight(c, head)
			}
		}
	}
	answers := Answers(other)
	for _, as := range []string{"endless trace", "drip", "trace", "gzip body", "redirect", "reason", "closes"} {
		add(as, list, answers[as])
	}
	add("many handlers", handlers, answers["closes"])
	threads, old := string(Threads(1<<16)), string(OldString())
	add("threads", list, func(c net.Conn, _ string) { _, _ = io.WriteString(c, page("200 OK", "", threads)) })
	add("an old trace", list, func(c net.Conn, _ string) { _, _ = io.WriteString(c, page("200 OK", "", old)) })
	return agents
}
