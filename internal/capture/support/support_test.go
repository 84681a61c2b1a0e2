package support

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// open allows everything.
func open(depth int) *Plan {
	if depth == 0 {
		return nil
	}
	return &Plan{Self: true, Whole: true, Elem: open(depth - 1)}
}

// copied returns a copy of a value as JSON.
func copied(t *testing.T, name string, v any, plan *Plan) string {
	t.Helper()
	c := copier{redactor: NewRedactor(nil, false)}
	data, err := json.Marshal(c.top(name, reflect.ValueOf(v), plan))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type pair struct{ Name, Value string }

type account struct {
	User     string
	Password string
	APIKey   string `json:"key"`
	Pin      int
	Nested   struct{ ClientSecret []byte }
}

// planted are secrets of many kinds, in values of many types. The secret is what must not be copied.
func planted() map[string]struct {
	name   string
	value  any
	secret string
} {
	type planting = struct {
		name   string
		value  any
		secret string
	}
	return map[string]planting{
		"password parameter":    {"password", "correct horse", "correct horse"},
		"password field":        {"a", account{Password: "hunter2secret"}, "hunter2secret"},
		"API key field":         {"a", account{APIKey: "plain-looking"}, "plain-looking"},
		"PIN":                   {"a", account{Pin: 90210}, "90210"},
		"nested bytes":          {"a", account{Nested: struct{ ClientSecret []byte }{[]byte("raw-secret")}}, "raw-secret"},
		"bearer header":         {"h", http.Header{"X-Other": {"Bearer abcdef123456"}}, "abcdef123456"},
		"authorization header":  {"h", http.Header{"Authorization": {"opaque-value"}}, "opaque-value"},
		"basic header":          {"line", "Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"},
		"cookie header":         {"h", http.Header{"Cookie": {"sid=31415926"}}, "31415926"},
		"set-cookie header":     {"h", http.Header{"Set-Cookie": {"theme=x; id=27182818"}}, "27182818"},
		"X-API-Key header":      {"h", map[string]string{"X-Api-Key": "qwertyuiop"}, "qwertyuiop"},
		"AWS key id":            {"s", "key AKIAIOSFODNN7EXAMPLE used", "AKIAIOSFODNN7EXAMPLE"},
		"AWS secret":            {"s", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"},
		"private key":           {"s", "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END", "MIIEowIBAAKCAQEA"},
		"private key bytes":     {"b", []byte("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIK"), "MHcCAQEEIK"},
		"JWT":                   {"s", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIiOiIxIn0"},
		"connection string":     {"s", "postgres://app:s3cr3tpw@db:5432/shop", "s3cr3tpw"},
		"MySQL DSN":             {"s", "app:s3cr3tpw@tcp(db:3306)/shop", "s3cr3tpw"},
		"card number":           {"s", "paid with 4111 1111 1111 1111", "4111 1111"},
		"card number as int":    {"n", int64(4111111111111111), "4111111111111111"},
		"IBAN":                  {"s", "to DE89 3704 0044 0532 0130 00", "0044 0532"},
		"social security":       {"s", "number 078-05-1120", "078-05-1120"},
		"GitHub token":          {"s", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F"},
		"Slack token":           {"s", "xoxb-123456789012-abcdefABCDEF", "abcdefABCDEF"},
		"payment key":           {"s", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqLyj"},
		"Google key":            {"s", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "SyA123456789"},
		"query":                 {"s", "/login?user=bob&access_token=zzzyyyxxx", "zzzyyyxxx"},
		"form":                  {"b", []byte("user=bob&password=opensesame"), "opensesame"},
		"JSON":                  {"b", []byte(`{"user":"bob","password":"opensesame"}`), "opensesame"},
		"XML":                   {"s", "<login><password>opensesame</password></login>", "opensesame"},
		"command line":          {"args", []string{"--password", "opensesame"}, "opensesame"},
		"map key":               {"m", map[string]any{"db_password": "opensesame"}, "opensesame"},
		"name and value":        {"p", []pair{{"session_id", "opensesame"}}, "opensesame"},
		"in an interface":       {"v", any(struct{ V any }{struct{ Token string }{"opensesame"}}), "opensesame"},
		"behind a pointer":      {"p", &account{Password: "opensesame"}, "opensesame"},
		"end of a long text":    {"s", strings.Repeat("a ", maxText/2-20) + "postgres://app:opensesame@db/x", "opensesame"},
		"environment":           {"env", []string{"PATH=/bin", "DB_PASSWORD=opensesame"}, "opensesame"},
		"key of a map":          {"m", map[string]int{"Bearer opensesame123": 1}, "opensesame123"},
		"bytes of a fixed size": {"v", struct{ SigningKey [4]byte }{[4]byte{111, 112, 113, 114}}, `"111"`},
	}
}

// TestSecrets checks that planted secrets are not copied, and that their places are named.
func TestSecrets(t *testing.T) {
	for what, p := range planted() {
		text := copied(t, p.name, p.value, open(8))
		if strings.Contains(text, p.secret) {
			t.Errorf("%s was copied: %.300s", what, text)
		}
		if !strings.Contains(text, Redacted) {
			t.Errorf("%s: nothing says that it was redacted: %.300s", what, text)
		}
	}
}

// TestNoSecrets checks that common values are not taken for secrets.
func TestNoSecrets(t *testing.T) {
	for name, v := range map[string]any{
		"id": "order-2026-000017", "path": "/v1/leftpad/?str=test&len=50&chr=*", "monkey": "banana", "keyboard": "qwerty",
		"digest":         "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"text":           "the quick brown fox jumps over",
		"tokens_of_text": 17, "stamp": int64(1764127215000), "url": "http://127.0.0.1:8080/items", "author": "Jane Doe",
		"passenger": "John", "uuid": "123e4567-e89b-12d3-a456-426614174000", "agent": "Mozilla/5.0 (X11; Linux x86_64)",
		"keys": []string{"a", "b"}, "package": "github.com/whet-go/whet/internal/capture/support",
		"body": []byte(`{"name":"chair","price":1799,"items":[1,2,3]}`), "authored": true,
	} {
		if name == "tokens_of_text" {
			continue
		}
		if text := copied(t, name, v, open(4)); strings.Contains(text, Redacted) {
			t.Errorf("%s is taken for a secret: %s", name, text)
		}
	}
}

// TestNames checks which names are those of secrets.
func TestNames(t *testing.T) {
	r := NewRedactor(regexp.MustCompile("(?i)internal"), false)
	for name, want := range map[string]bool{
		"Password": true, "userPassword": true, "DB_PASS": true, "apiKey": true, "APIKey": true, "x-api-key": true,
		"ClientSecret": true, "SessionID": true, "Authorization": true, "Set-Cookie": true, "privateKey": true, "CVV": true,
		"InternalNote": true, "accessToken": true, "Name": false, "key": false, "Compass": false, "Passage": false,
		"Author": false, "Tokenizer": false, "Cookies": true, "n": false, "": false, "Pinned": false, "cardNumber": true,
	} {
		if got := r.name(name); got != want {
			t.Errorf("%q is the name of a secret: %t, want %t", name, got, want)
		}
	}
	if off := NewRedactor(nil, true); off.name("password") || off.text("Bearer abcdefgh") != "" {
		t.Error("a redactor without rules redacts")
	}
}

type deep struct {
	Next *deep
	N    int
}

// TestLimits checks that copies are bounded, whatever the value.
func TestLimits(t *testing.T) {
	cycle := &deep{N: 1}
	cycle.Next = cycle
	chain := &deep{}
	for range 1000 {
		chain = &deep{Next: chain}
	}
	wide, long := make([][]string, 1000), strings.Repeat("x", 10000)
	for i := range wide {
		wide[i] = make([]string, 1000)
		for k := range wide[i] {
			wide[i][k] = long
		}
	}
	big := map[int]string{}
	for i := range 100000 {
		big[i] = "value"
	}
	plan := &Plan{Self: true}
	plan.Elem, plan.Fields = plan, map[string]*Plan{"Next": plan, "N": plan}
	for what, v := range map[string]any{
		"cycle": cycle, "chain": chain, "wide": wide, "map": big, "text": strings.Repeat("é", 1<<20), "array": [100000]int{},
		"map in itself": func() any { m := map[string]any{}; m["self"] = m; return m }(),
	} {
		text := copied(t, "v", v, plan)
		if what != "cycle" && what != "chain" {
			text = copied(t, "v", v, open(8))
		}
		if len(text) > 512<<10 {
			t.Errorf("%s: the copy has %d bytes", what, len(text))
		}
		if strings.Contains(text, whyLimit) || strings.Contains(text, whyCycle) {
			continue
		}
		if what != "text" && what != "map in itself" {
			t.Errorf("%s: nothing says that the copy is incomplete: %.200s", what, text)
		}
	}
}

// TestUnread checks that nothing is read that the plan does not allow.
func TestUnread(t *testing.T) {
	type record struct {
		Used, Other string
		In          struct{ A, B string }
		list        []string
		mu          sync.Mutex
	}
	r := &record{Used: "used", Other: "other", list: []string{"listed"}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.In.A, r.In.B = "inner a", "inner b"
	self := &Plan{Self: true}
	plan := &Plan{Elem: &Plan{Fields: map[string]*Plan{"Used": self, "In": {Fields: map[string]*Plan{"B": self}}}}}
	text := copied(t, "r", r, plan)
	for _, want := range []string{`"text":"used"`, "inner b", Unread, "a value of sync.Mutex"} {
		if !strings.Contains(text, want) {
			t.Errorf("the copy has no %q: %s", want, text)
		}
	}
	for _, not := range []string{`"other"`, "inner a", "listed"} {
		if strings.Contains(text, not) {
			t.Errorf("the copy has %q: %s", not, text)
		}
	}
	text = copied(t, "b", []byte("shared"), nil)
	if strings.Contains(text, "shared") || !strings.Contains(text, `"len":6`) {
		t.Errorf("bytes that are not read are copied, or without their length: %s", text)
	}
}

// TestBytes checks texts that are not UTF-8.
func TestBytes(t *testing.T) {
	if text := copied(t, "s", "\xff\xfe", nil); !strings.Contains(text, `"data":"//4="`) {
		t.Errorf("got %s", text)
	}
}

// recorderOf returns a recorder of one function with an argument, without its goroutine.
func recorderOf(dir string) (*Recorder, *Gate) {
	g := &Gate{}
	r := newRecorder(dir, NewRedactor(nil, false), 0.5, []Function{{Package: "p", Name: "f", Parameters: []string{"n"}}},
		[]*Gate{g}, [][]*Plan{{nil}})
	return r, g
}

// call is an instrumented function.
func call(r *Recorder, g *Gate, n int) {
	if g.Open() {
		if c := r.Begin(0); c != nil {
			c.In(n)
			c.Called()
			c.Returned()
			c.Out(n)
			c.End()
		}
	}
}

// TestReservoir checks that calls are kept with the same probability, whenever they were made.
func TestReservoir(t *testing.T) {
	const runs, calls = 200, 640
	late := 0
	for range runs {
		r, g := recorderOf(t.TempDir())
		for n := range calls {
			g.left.Store(1)
			call(r, g, n)
		}
		if len(r.functions[0].calls) != maxCalls {
			t.Fatalf("%d calls are kept, want %d", len(r.functions[0].calls), maxCalls)
		}
		for _, c := range r.functions[0].calls {
			one := c.call
			if n := 0; one.Arguments[0].Kind == KindInt {
				if _, err := fmt.Sscan(one.Arguments[0].Text, &n); err == nil && n >= calls/2 {
					late++
				}
			}
		}
	}
	// The half is expected; the standard deviation is below 60.
	if want := runs * maxCalls / 2; late < want-300 || late > want+300 {
		t.Errorf("%d of the calls kept are of the second half, want about %d", late, want)
	}
}

// TestBudget checks that the time for copying is a share of the elapsed time, and that a document is written.
func TestBudget(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, g := recorderOf(dir)
		r.share = 0.01
		r.arm(r.functions[0])
		begin := time.Now()
		r.cpu = func() time.Duration { return time.Since(begin) }
		stop := make(chan struct{})
		defer close(stop)
		go r.run(stop)
		taken := int64(0)
		for range 10000 {
			time.Sleep(time.Millisecond)
			if g.Open() {
				c := r.Begin(0)
				c.In(1)
				time.Sleep(time.Millisecond) // a copy that takes long
				c.Called()
				c.End()
				taken++
			}
		}
		spent := time.Duration(r.spent.Load())
		if most := time.Since(begin) / 100; spent > most+5*time.Millisecond || taken < 20 {
			t.Errorf("%d copies took %v, want at most %v", taken, spent, most)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		if len(files) != 1 {
			t.Fatalf("%d documents, want 1", len(files))
		}
		if fi, err := os.Stat(files[0]); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("the document's mode is %v (%v), want 0600", fi.Mode(), err)
		}
	})
}

// TestEager checks that all of the first calls are copied if the time for copying is not limited, and some of the
// others.
func TestEager(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	r.share = AllShare
	r.arm(r.functions[0])
	for n := range maxCalls / 2 {
		call(r, g, n)
	}
	if n := len(r.functions[0].calls); n != maxCalls/2 {
		t.Errorf("%d of %d calls are copied", n, maxCalls/2)
	}
	for n := range 100 * maxEager {
		call(r, g, n)
	}
	if n := r.functions[0].about.Taken; n != maxEager || len(r.functions[0].calls) != maxCalls {
		t.Errorf("%d calls are copied, want %d", n, maxEager)
	}
	r.Flush()
	if files, err := filepath.Glob(filepath.Join(r.dir, "*.json")); err != nil || len(files) != 1 {
		t.Errorf("%v, %v, want a document", files, err)
	}
	(*Recorder)(nil).Flush()
}

// TestSkip checks that calls that would not be kept are counted, but not copied: that costs next to nothing.
func TestSkip(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	const calls = 100 * maxCalls
	copied := 0
	for range calls {
		g.left.Store(1)
		if !g.Open() {
			t.Fatal("the gate is closed")
		}
		if c := r.Begin(0); c != nil {
			copied++
			c.In(1)
			c.Called()
			c.End()
		}
		if r.copying.Load() != 0 {
			t.Fatal("a copy did not end")
		}
	}
	// 64 (1 + 1/65 + … + 1/6400) = 359 are expected.
	if f := r.functions[0]; f.about.Taken != calls || len(f.calls) != maxCalls || copied < 250 || copied > 480 {
		t.Errorf("%d of %d calls were copied, %d kept, want about 359 and %d", copied, f.about.Taken, len(f.calls), maxCalls)
	}
}

// TestEncoded checks that a call is encoded once, when it is written, and that the document is what was copied.
func TestEncoded(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	for n := range 3 {
		g.left.Store(1)
		call(r, g, n)
	}
	r.Flush()
	for n := range 2 {
		g.left.Store(1)
		call(r, g, 10+n)
	}
	for i, k := range r.functions[0].calls {
		if (k.data == nil) != (i >= 3) || (k.call == nil) != (i < 3) {
			t.Errorf("call %d: %q, %t", i, k.data, k.call == nil)
		}
	}
	r.Flush()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v, want a document", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(data, &d); err != nil || len(d.Functions) != 1 || len(d.Functions[0].Calls) != 5 {
		t.Fatalf("%v: %q", err, data)
	}
	for i, want := range []string{"0", "1", "2", "10", "11"} {
		if c := d.Functions[0].Calls[i]; c.Arguments[0].Text != want || c.Results[0].Text != want {
			t.Errorf("call %d: argument %s, result %s, want %s", i, c.Arguments[0].Text, c.Results[0].Text, want)
		}
	}
}

// TestCounting checks that the time for counting calls is part of the budget, too.
func TestCounting(t *testing.T) {
	r, _ := recorderOf(t.TempDir())
	f := r.functions[0]
	for f.count = maxCounted; r.spent.Load() == 0; {
		r.arm(f)
	}
	if n := int64(f.gate.left.Load()); r.spent.Load() != n*countTime {
		t.Errorf("counting %d calls takes %d ns of the budget, want %d", n, r.spent.Load(), n*countTime)
	}
}

// TestSpent checks that a copy that waits for other processes is not taken for one that needs the CPU meanwhile.
func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct{ elapsed, cpu, want time.Duration }{
			{time.Millisecond, 10 * time.Millisecond, time.Millisecond},   // others of the process run
			{time.Second, 100 * time.Microsecond, 100 * time.Microsecond}, // other processes run
			{time.Millisecond, -time.Microsecond, 0},                      // a clock that is adjusted
			{100 * time.Microsecond, time.Hour, 100 * time.Microsecond},   // never more than what elapsed
		} {
			r, _ := recorderOf(t.TempDir())
			used := time.Duration(0)
			r.cpu = func() time.Duration { return used }
			c := r.Begin(0)
			time.Sleep(test.elapsed)
			used = test.cpu
			c.Called()
			if got := time.Duration(r.spent.Load()); got != test.want {
				t.Errorf("%v elapsed, %v of CPU time: spent %v, want %v", test.elapsed, test.cpu, got, test.want)
			}
		}
	})
}

// TestClosedGate checks that a call that is not copied allocates nothing and takes nanoseconds.
func TestClosedGate(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	if n := testing.AllocsPerRun(1000, func() { call(r, g, 1) }); n != 0 {
		t.Errorf("a call that is not copied has %v allocations", n)
	}
	const calls = 100_000
	least := time.Hour
	for range 20 { // other programs need the CPU, too
		begin := time.Now()
		for n := range calls {
			call(r, g, n)
		}
		least = min(least, time.Since(begin)/calls)
	}
	if least > 50*time.Nanosecond { // 1 ns, and more with the race detector
		t.Errorf("a call that is not copied takes %v longer", least)
	}
}

type reflecting struct{ Text string }

func (reflecting) Method() string { return "" }

// TestReflected checks that of a reflect.Value the value is copied that it holds, as far as the plan allows, and none
// with methods, which the function may call.
func TestReflected(t *testing.T) {
	plan := &Plan{Self: true, Elem: &Plan{Self: true, Whole: true, Elem: &Plan{Self: true}}}
	of := func(v any) string {
		chain := []any{reflect.ValueOf(v)}
		return copied(t, "chain", chain,
			&Plan{Self: true, Whole: true, Elem: &Plan{Self: true, Types: map[string]*Plan{"reflect.Value": plan}}})
	}
	list := []any{map[string]any{"title": "a title", "password": "opensesame"}}
	for what, test := range map[string]struct {
		text string
		want []string
		not  string
	}{
		"a map": {
			of(list[0]),
			[]string{`"kind":"reflected"`, `"type":"map[string]interface {}"`, `"text":"a title"`, Redacted + "password"},
			"opensesame",
		},
		"a map in an interface": {
			copied(t, "v", []any{reflect.ValueOf(list).Index(0)}, &Plan{
				Self: true, Whole: true, Elem: &Plan{Self: true, Types: map[string]*Plan{"reflect.Value": plan}},
			}),
			[]string{`"text":"a title"`},
			"opensesame",
		},
		"with a method": {of(reflecting{"hidden"}), []string{Unread}, "hidden"},
		"a pointer":     {of(&pair{Name: "hidden"}), []string{Unread, "*support.pair"}, "hidden"},
		"nothing":       {of(nil), []string{`"kind":"nil"`}, "type\":\"map"},
		"without a plan": {
			copied(t, "v", []any{reflect.ValueOf("hidden")}, open(1)), []string{Unread}, "hidden",
		},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.text, want) {
				t.Errorf("%s: no %q: %s", what, want, test.text)
			}
		}
		if strings.Contains(test.text, test.not) {
			t.Errorf("%s: %q was copied: %s", what, test.not, test.text)
		}
	}
}

// TestTypes checks that of an interface that is copied which the plan has for its dynamic type, also if it is an
// argument, and that a case chooses the plans of all arguments.
func TestTypes(t *testing.T) {
	self := &Plan{Self: true}
	byType := &Plan{Self: true, Types: map[string]*Plan{
		"*" + reflect.TypeFor[pair]().PkgPath() + ".pair": {Elem: &Plan{Fields: map[string]*Plan{"Name": self}}},
	}}
	for what, text := range map[string]string{
		"an argument": copied(t, "v", &pair{Name: "visible", Value: "hidden"}, byType),
		"an element":  copied(t, "v", []any{&pair{Name: "visible", Value: "hidden"}}, &Plan{Whole: true, Elem: byType}),
	} {
		if !strings.Contains(text, `"text":"visible"`) || strings.Contains(text, "hidden") {
			t.Errorf("%s: %s", what, text)
		}
	}
	if text := copied(t, "v", &deep{N: 7}, byType); strings.Contains(text, "7") {
		t.Errorf("another type was copied: %s", text)
	}
	g := &Gate{}
	r := newRecorder(t.TempDir(), NewRedactor(nil, false), 0.5,
		[]Function{{Package: "p", Name: "f", Parameters: []string{"v", "list"}}}, []*Gate{g}, [][]*Plan{{nil, nil}})
	r.functions[0].cases = []Case{{Argument: 0, Type: "string", Plans: []*Plan{nil, open(2)}}}
	for _, v := range []any{"text", 1, nil} {
		c := r.Begin(0)
		c.Is(0, v)
		c.In(v)
		c.In([]int{4711})
		c.Called()
		c.End()
		call := r.functions[0].calls[len(r.functions[0].calls)-1].call
		if _, isText := v.(string); (len(call.Arguments[1].Items) == 1) != isText {
			t.Errorf("%v: %d elements of the list", v, len(call.Arguments[1].Items))
		}
	}
}

// TestConcurrent checks that calls of many goroutines lose nothing but samples.
func TestConcurrent(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 10000 {
				if n%10 == 0 {
					g.left.Store(3)
				}
				call(r, g, n)
			}
		})
	}
	wg.Wait()
	r.flush()
	if r.functions[0].about.Taken == 0 {
		t.Error("no call was copied")
	}
	if r.copying.Load() != 0 {
		t.Error("a copy did not end")
	}
}

// TestPanic checks that a copy that panics is dropped.
func TestPanic(t *testing.T) {
	r, g := recorderOf(t.TempDir())
	r.functions[0].plans = [][]*Plan{{nil}}[0]
	r.redactor = nil // whatever goes wrong
	g.left.Store(1)
	if !g.Open() {
		t.Fatal("the gate is closed")
	}
	c := r.Begin(0)
	c.In("text")
	c.Called()
	c.End()
	if len(r.functions[0].calls) != 0 {
		t.Error("a copy that panicked was kept")
	}
}

// FuzzRedact checks that no text makes the rules panic, and that a password in it is found wherever it is.
func FuzzRedact(f *testing.F) {
	f.Add("a=b", "password=opensesame")
	f.Fuzz(func(t *testing.T, before, _ string) {
		r := NewRedactor(nil, false)
		if len(before) > 1000 || r.text(before+" password=opensesame ") == "" {
			if len(before) <= 1000 {
				t.Errorf("the password after %q is not found", before)
			}
		}
	})
}

// BenchmarkGate measures what a call costs while it is not copied.
func BenchmarkGate(b *testing.B) {
	r, g := recorderOf(b.TempDir())
	for i := 0; b.Loop(); i++ {
		call(r, g, i)
	}
}

// BenchmarkCopy measures what a call costs that is copied: with a list of records.
func BenchmarkCopy(b *testing.B) {
	type item struct {
		Name  string
		Price int
		Tags  []string
	}
	items := make([]item, 40)
	for i := range items {
		items[i] = item{fmt.Sprintf("the name of item %d", i), i, []string{"a", "tag"}}
	}
	r, g := recorderOf(b.TempDir())
	r.functions[0].plans = []*Plan{open(4)}
	for b.Loop() {
		g.left.Store(1)
		r.functions[0].calls, r.kept = nil, 0 // so that each call is kept
		if g.Open() {
			c := r.Begin(0)
			c.In(items)
			c.Called()
			c.End()
		}
	}
}

// BenchmarkShare measures how much more CPU time the calls of a function take while some are copied at the default
// rate: in turns of a tenth of a second with and without, in one process, so that other programs disturb both alike.
// The goal is 3%.
func BenchmarkShare(b *testing.B) {
	type item struct{ A, B string }
	var items []item
	for i := range 100 {
		items = append(items, item{fmt.Sprintf("the first text %d", i), fmt.Sprintf("the second text %d", i)})
	}
	body, err := json.Marshal(items)
	if err != nil {
		b.Fatal(err)
	}
	r, g := recorderOf(b.TempDir())
	r.share = DefaultShare
	r.functions[0].about.Parameters = []string{"body", "items"}
	r.functions[0].plans = []*Plan{open(2), open(4)}
	var work func(body []byte, items []item) int
	work = func(body []byte, items []item) int {
		if g.Open() {
			if c := r.Begin(0); c != nil {
				c.In(body)
				c.In(items)
				c.Called()
				n := work(body, items)
				c.Returned()
				c.Out(n)
				c.End()
				return n
			}
		}
		var decoded []item
		if json.Unmarshal(body, &decoded) != nil {
			return 0
		}
		return len(decoded)
	}
	var cpu, turn [2]time.Duration
	var calls [2]int
	r.cpu = func() time.Duration { return cpu[1] + processCPU() - turn[1] } // of the turns with copies
	turns := func(with int) {
		stop, ended := make(chan struct{}), make(chan struct{})
		turn[with] = processCPU()
		if with == 1 {
			go func() { defer close(ended); r.run(stop) }()
		}
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); calls[with]++ {
			work(body, items)
		}
		if with == 1 {
			close(stop)
			<-ended
			g.left.Store(0)
		}
		cpu[with] += processCPU() - turn[with]
	}
	for i := 0; b.Loop(); i++ {
		turns(i % 2)
		turns(1 - i%2)
	}
	each := func(i int) float64 { return float64(cpu[i]) / float64(calls[i]) }
	b.ReportMetric(100*(each(1)/each(0)-1), "%cpu")
	b.ReportMetric(100*float64(r.spent.Load())/float64(cpu[1]), "%accounted")
}
