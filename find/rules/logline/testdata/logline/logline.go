package logline

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"test/values"
)

type server struct{ Log *log.Logger }

type level uint8

type label string

func (s *server) timed(name string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next(w, r)
		took := time.Since(begin)
		s.Log.Printf("request %s took %v", name, took) // want `to interfaces` `written separately`
	}
}

func (s *server) all(name string, l label, n int, u uint16, small int8, lev level, ok bool, took time.Duration, c rune) {
	s.Log.Printf("%s|%v|%q|%s\xff\n", name, l, l, name+"é") // want `to interfaces` `written separately`
	s.Log.Printf("100%% %d %v %d %d", n, u, small, lev)     // want `to interfaces` `written separately`
	s.Log.Printf("%v %t %s %v", ok, !ok, took*2, c)         // want `to interfaces` `written separately`
	s.Log.Printf("%v %s %d", n+1, (name), 'x')              // want `to interfaces` `written separately`
	s.Log.Printf("%s\n", name)                              // want `to interfaces` `written separately`
	s.Log.Printf("%5d %-3s %+v %s %d", n, name, n, n, name) // want `to interfaces` `written separately`
	s.Log.Printf("%v", s.Log == nil, name)                  // want `to interfaces` `written separately`
	s.Log.Printf("%v %%!", fmt.Errorf("no"))                // want `to interfaces` `written separately`
	s.Log.Println(name, n)                                  // want `written separately`
	log.Printf("%s", name)                                  // want `to interfaces` `written separately`
}

type both struct{ *log.Logger }

func (both) Output(int, string) error { return nil }

func (b both) line(name string) {
	b.Printf("%s", name)                   // want `to interfaces` `written separately`
	b.Logger.Printf("%s", name /* kept */) // want `to interfaces` `written separately`
}

func debug(l *slog.Logger, key, value string, m map[string]string, r *http.Request) {
	l.Debug("header", "text", fmt.Sprintf("%s: %s", key, value))    // want `computed before slog checks`
	slog.Debug("header", "text", fmt.Sprintf("%s: %s", key, value)) // want `computed before slog checks`
	l.DebugContext(r.Context(), "header", "text", fmt.Sprint(m))    // want `computed before slog checks`
	if ctx := r.Context(); key != "" {
		l.DebugContext(ctx, "header", "text", fmt.Sprint("x", key)) // want `computed before slog checks`
	}
}

func Try(r *rand.Rand) string {
	var out bytes.Buffer
	s := &server{log.New(&out, values.String(r), log.Lmsgprefix)}
	log.SetOutput(&out)
	log.SetFlags(0)
	n := values.Int(r)
	s.all(values.String(r), label(values.String(r)), n, uint16(n), int8(n), level(n), values.Bool(r), time.Duration(n), values.Rune(r))
	both{s.Log}.line(values.String(r))
	lowest := slog.LevelDebug
	if values.Bool(r) {
		lowest = slog.LevelInfo
	}
	l := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: lowest, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	debug(l, values.String(r), values.String(r), nil, new(http.Request))
	return out.String()
}
