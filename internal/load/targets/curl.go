package targets

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/whet-go/whet/load"
)

// isCurl reports whether a word is curl's name, with or without a directory.
func isCurl(word string) bool {
	base := path.Base(strings.ReplaceAll(word, `\`, "/"))
	return base == "curl" || base == "curl.exe"
}

// readCurl reads curl command lines.
func (r *reader) readCurl(data []byte) error {
	l := &lexer{data: string(data), line: 1}
	for {
		words, line, err := l.command(r.comment)
		var e *load.Error
		switch {
		case errors.As(err, &e):
			return err
		case err != nil:
			return r.errorf(line, "%w", err)
		case len(words) == 0:
			return nil
		case !isCurl(words[0]):
			return hint(r.errorf(line, "expected a command line that starts with curl"),
				"end a line in \\ to continue the command on the next line")
		}
		c := &command{r: r, line: line}
		if err := c.parse(words[1:]); err != nil {
			return err
		}
		if err := c.targets(); err != nil {
			return err
		}
	}
}

// command is a curl command line.
type command struct {
	r    *reader
	line int

	urls      []string
	method    string
	header    http.Header
	removed   []string // names of header fields that were given without a value
	data      []byte   // nil: none
	copied    bool     // data is this command's own
	json      bool
	head, get bool
	globOff   bool
	agent     *string // nil: not given
	referer   string
	cookies   []string
	user      *string
	bearer    string
	ranges    string
	encodings bool
}

// An option is an option of curl.
type option struct {
	value bool // takes one
	// set applies it; nil if it does not affect the target.
	set func(c *command, value string) error
	// refuse is the hint for an option that would change the request and is not supported.
	refuse string
	// ignored is the hint for an option that has no effect; "" if none is needed, as for options
	// about output.
	ignored string
}

// Hints that several options share.
const (
	useInsecure = "use --insecure of whet load"
	useTimeout  = "use --timeout of whet load"
	useResolve  = "use --resolve of whet load"
	useCert     = "use --cert, --key and --ca of whet load"
	useHTTP2    = "use --http2 of whet load"
	noRedirects = "redirects are not followed"
	noProxy     = "loads go to servers directly"
	noUpload    = "multipart and upload bodies are not supported; " +
		"write the body to a file and send it with --data-binary @FILE"
	onlyBasic = "only Basic and bearer authentication are supported"
)

// lookUp finds an option by its name with dashes, as in curl's manual page.
func lookUp(name string) (option, bool) {
	switch name {
	case "-X", "--request":
		return option{value: true, set: func(c *command, v string) error { c.method = v; return nil }}, true
	case "-H", "--header":
		return option{value: true, set: (*command).addHeader}, true
	case "-d", "--data", "--data-ascii":
		return option{value: true, set: func(c *command, v string) error { return c.addData(v, true, true) }}, true
	case "--data-binary":
		return option{value: true, set: func(c *command, v string) error { return c.addData(v, true, false) }}, true
	case "--data-raw":
		return option{value: true, set: func(c *command, v string) error { return c.addData(v, false, false) }}, true
	case "--data-urlencode":
		return option{value: true, set: (*command).addEncoded}, true
	case "--json":
		return option{value: true, set: (*command).addJSON}, true
	case "-u", "--user":
		return option{value: true, set: func(c *command, v string) error {
			if !strings.Contains(v, ":") {
				return errors.New("expected user:password")
			}
			c.user = &v
			return nil
		}}, true
	case "--oauth2-bearer":
		return option{value: true, set: func(c *command, v string) error { c.bearer = v; return nil }}, true
	case "-A", "--user-agent":
		return option{value: true, set: func(c *command, v string) error { c.agent = &v; return nil }}, true
	case "-b", "--cookie":
		return option{value: true, set: func(c *command, v string) error {
			if v != "" && !strings.Contains(v, "=") {
				return errors.New("cookie files are not supported; use NAME=VALUE")
			}
			if v != "" {
				c.cookies = append(c.cookies, v)
			}
			return nil
		}}, true
	case "-e", "--referer":
		return option{value: true, set: func(c *command, v string) error {
			c.referer, _, _ = strings.Cut(v, ";auto")
			return nil
		}}, true
	case "-r", "--range":
		return option{value: true, set: func(c *command, v string) error { c.ranges = v; return nil }}, true
	case "--url":
		return option{value: true, set: func(c *command, v string) error { c.urls = append(c.urls, v); return nil }}, true
	case "-I", "--head":
		return option{set: func(c *command, _ string) error { c.head = true; return nil }}, true
	case "-G", "--get":
		return option{set: func(c *command, _ string) error { c.get = true; return nil }}, true
	case "-g", "--globoff":
		return option{set: func(c *command, _ string) error { c.globOff = true; return nil }}, true
	case "--compressed":
		return option{set: func(c *command, _ string) error { c.encodings = true; return nil }}, true

	case "-s", "--silent", "-S", "--show-error", "-i", "--include", "-v", "--verbose", "-N", "--no-buffer", "-#",
		"--progress-bar",
		"--no-progress-meter", "-f", "--fail", "--fail-with-body", "--fail-early", "-q", "--disable", "-O", "--remote-name",
		"--remote-name-all",
		"-J", "--remote-header-name", "-R", "--remote-time", "--create-dirs", "--styled-output", "--no-styled-output",
		"--trace-time",
		"-Z", "--parallel", "--parallel-immediate", "--basic", "--http1.1", "--tcp-nodelay", "--raw", "--path-as-is":
		return option{}, true
	case "-o", "--output", "--output-dir", "-w", "--write-out", "-D", "--dump-header", "--stderr", "--trace",
		"--trace-ascii", "-c", "--cookie-jar",
		"--parallel-max", "--keepalive-time", "--expect100-timeout", "--libcurl", "--etag-save":
		return option{value: true}, true

	case "-k", "--insecure":
		return option{ignored: useInsecure}, true
	case "-L", "--location", "--location-trusted", "--post301", "--post302", "--post303":
		return option{ignored: noRedirects}, true
	case "--max-redirs":
		return option{value: true, ignored: noRedirects}, true
	case "-m", "--max-time", "--connect-timeout", "-y", "--speed-time", "-Y", "--speed-limit":
		return option{value: true, ignored: useTimeout}, true
	case "--retry", "--retry-delay", "--retry-max-time":
		return option{value: true, ignored: "failed requests are counted, not repeated"}, true
	case "--retry-all-errors", "--retry-connrefused":
		return option{ignored: "failed requests are counted, not repeated"}, true
	case "--cacert", "--capath", "-E", "--cert", "--cert-type", "--key", "--key-type", "--pass":
		return option{value: true, ignored: useCert}, true
	case "--http2", "--http2-prior-knowledge":
		return option{ignored: useHTTP2}, true
	case "-4", "--ipv4", "-6", "--ipv6":
		return option{ignored: useResolve}, true
	case "--no-keepalive":
		return option{}, true // TCP keep-alive probes, not HTTP keep-alive
	case "--rate", "--limit-rate":
		return option{value: true, ignored: "use --rate of whet load"}, true
	case "--noproxy":
		return option{value: true}, true

	case "-F", "--form", "--form-string", "-T", "--upload-file":
		return option{value: true, refuse: noUpload}, true
	case "-x", "--proxy", "--preproxy", "--proxy1.0", "-U", "--proxy-user", "--proxy-header", "--socks4", "--socks4a",
		"--socks5", "--socks5-hostname":
		return option{value: true, refuse: noProxy}, true
	case "-p", "--proxytunnel":
		return option{refuse: noProxy}, true
	case "--resolve", "--connect-to":
		return option{value: true, refuse: useResolve}, true
	case "--unix-socket", "--abstract-unix-socket":
		return option{value: true, refuse: "use --unix-socket of whet load"}, true
	case "--anyauth", "--digest", "--negotiate", "--ntlm", "--ntlm-wb", "-n", "--netrc", "--netrc-optional":
		return option{refuse: onlyBasic}, true
	case "--aws-sigv4", "--netrc-file":
		return option{value: true, refuse: onlyBasic}, true
	case "-K", "--config":
		return option{value: true, refuse: "write its options into the command line"}, true
	case "-:", "--next":
		return option{refuse: "write one command line for each request"}, true
	case "-0", "--http1.0", "--http0.9", "--http3", "--http3-only":
		return option{refuse: "only HTTP/1.1 and HTTP/2 are supported"}, true
	case "--request-target", "--url-query":
		return option{value: true, refuse: "write it into the address"}, true
	case "-z", "--time-cond", "-C", "--continue-at", "--etag-compare":
		return option{value: true, refuse: "write it as a header with -H"}, true
	case "--tr-encoding":
		return option{refuse: "write it as a header with -H"}, true
	}
	return option{}, false
}

// parse takes the words after curl.
func (c *command) parse(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			c.urls = append(c.urls, words...)
			return nil
		case len(word) < 2 || word[0] != '-':
			c.urls = append(c.urls, word)
			continue
		case strings.HasPrefix(word, "--"):
			rest, err := c.option(word, "", words)
			if err != nil {
				return err
			}
			words = rest
			continue
		}
		// Several short options in one word; the rest is the value of the first that takes one.
		for letters := word[1:]; letters != ""; {
			name := "-" + letters[:1]
			letters = letters[1:]
			rest, err := c.option(name, letters, words)
			if err != nil {
				return err
			}
			words = rest
			if o, _ := lookUp(name); o.value {
				break
			}
		}
	}
	return nil
}

// option applies one option, whose value is attached to it or the first of words, and returns the
// words after it.
func (c *command) option(name, attached string, words []string) ([]string, error) {
	o, ok := lookUp(name)
	if !ok {
		return nil, hint(c.errorf("unknown curl option %s", name), "remove it if the request is the same without it")
	}
	value := attached
	if o.value && value == "" {
		if len(words) == 0 {
			return nil, c.errorf("curl option %s: missing value", name)
		}
		value, words = words[0], words[1:]
	}
	switch {
	case o.refuse != "":
		return nil, hint(c.errorf("curl option %s would change the request and is not supported", name), o.refuse)
	case o.ignored != "":
		c.r.warn(c.line, "curl option %s has no effect: %s", name, o.ignored)
	case o.set != nil:
		if err := o.set(c, value); err != nil {
			var e *load.Error
			if errors.As(err, &e) {
				return nil, err
			}
			return nil, c.errorf("curl option %s: %w", name, err)
		}
	}
	return words, nil
}

func (c *command) errorf(format string, args ...any) error {
	return c.r.errorf(c.line, format, args...)
}

// addHeader takes "Name: value", "Name;" for an empty value, "Name:" to omit what curl would send,
// and @file with one of these per line.
func (c *command) addHeader(field string) error {
	if file, ok := strings.CutPrefix(field, "@"); ok {
		text, err := c.r.file(c.line, file)
		if err != nil {
			return err
		}
		if err := c.r.count(c.line, len(text)); err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if line := strings.TrimRight(string(line), "\r\n"); line != "" {
				if err := c.addField(line); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return c.addField(field)
}

func (c *command) addField(field string) error {
	name, value, ok := strings.Cut(field, ":")
	if !ok {
		if name, ok = strings.CutSuffix(strings.TrimRight(field, " \t"), ";"); !ok {
			return errors.New("expected Name: value")
		}
		return c.setField(name, "")
	}
	if value = strings.Trim(value, " \t"); value != "" {
		return c.setField(name, value)
	}
	if !isToken(name) {
		return fmt.Errorf("invalid header field name %q", name)
	}
	if name = http.CanonicalHeaderKey(name); name == "User-Agent" {
		c.r.warn(c.line, "the User-Agent header field cannot be removed")
	}
	c.removed = append(c.removed, name)
	return nil
}

func (c *command) setField(name, value string) (err error) {
	c.header, err = addHeader(c.header, name, value)
	return err
}

// addData takes a value of -d and similar options. With file, @name means a file; with text, line
// ends and NUL bytes in it are dropped, as curl's manual says (before version 8, curl also dropped
// what came between a NUL and the end of its line).
func (c *command) addData(value string, file, text bool) error {
	data, err := c.content(value, file)
	if err != nil {
		return err
	}
	if text && file && strings.HasPrefix(value, "@") {
		data = dropBytes(data, "\r\n\x00")
		if err := c.r.count(c.line, len(data)); err != nil {
			return err
		}
	}
	return c.join(data, "&")
}

// content returns value, or the content of the file that it names.
func (c *command) content(value string, file bool) ([]byte, error) {
	if name, ok := strings.CutPrefix(value, "@"); ok && file {
		return c.r.file(c.line, name)
	}
	return []byte(value), c.r.count(c.line, len(value))
}

func dropBytes(data []byte, drop string) []byte {
	kept := make([]byte, 0, len(data))
	for _, c := range data {
		if strings.IndexByte(drop, c) < 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// join adds data, which has been counted, to the body.
func (c *command) join(data []byte, separator string) error {
	if c.data == nil {
		c.data = data[:len(data):len(data)] // appending copies it: it may belong to a file
		return nil
	}
	n := len(separator) + len(data)
	if !c.copied {
		n += len(c.data)
		c.copied = true
	}
	if err := c.r.count(c.line, n); err != nil {
		return err
	}
	c.data = append(append(c.data, separator...), data...)
	return nil
}

// addJSON takes a value of --json.
func (c *command) addJSON(value string) error {
	c.json = true
	data, err := c.content(value, true)
	if err != nil {
		return err
	}
	return c.join(data, "")
}

// addEncoded takes a value of --data-urlencode: content, =content, name=content, @file
// or name@file.
func (c *command) addEncoded(value string) error {
	at := strings.IndexAny(value, "=@")
	name, content := "", []byte(value)
	if at >= 0 {
		name, content = value[:at], []byte(value[at+1:])
		if value[at] == '@' {
			body, err := c.r.file(c.line, value[at+1:])
			if err != nil {
				return err
			}
			content = body
		}
	}
	encoded := escape(content)
	if name != "" {
		encoded = name + "=" + encoded
	}
	if err := c.r.count(c.line, len(encoded)); err != nil {
		return err
	}
	return c.join([]byte(encoded), "&")
}

// escape encodes all but unreserved characters (RFC 3986, section 2.3), as curl does,
// and spaces as +. {{name}} stays.
func escape(content []byte) string {
	var b strings.Builder
	for i := 0; i < len(content); i++ {
		c := content[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// targets turns the command into targets, one per address.
func (c *command) targets() error {
	if len(c.urls) == 0 {
		return c.errorf("expected an address in the curl command")
	}
	t := load.Target{Method: http.MethodGet, Header: c.header, Name: c.r.takeName(), Weight: c.r.takeWeight()}
	query := ""
	switch {
	case c.head && c.data != nil && !c.get:
		return c.errorf("curl options -I and -d are mutually exclusive")
	case c.get:
		query = string(c.data)
	case c.data != nil:
		t.Method, t.Body = http.MethodPost, c.data
	}
	if c.head {
		t.Method = http.MethodHead
	}
	if c.method != "" {
		t.Method = c.method
	}
	if err := c.implied(&t); err != nil {
		return err
	}
	for _, u := range c.urls {
		if err := c.r.count(c.line, len(query)); err != nil {
			return err
		}
		address, err := c.address(u, query)
		if err != nil {
			return err
		}
		t.URL = address
		if err := c.r.add(c.line, t); err != nil {
			return err
		}
	}
	return nil
}

// implied adds the fields that options other than -H imply; those of -H replace them.
func (c *command) implied(t *load.Target) (err error) {
	set := func(name, value string) {
		_, given := t.Header[name]
		for _, r := range c.removed {
			given = given || r == name
		}
		if !given && err == nil {
			t.Header, err = addHeader(t.Header, name, value)
		}
	}
	if c.json {
		set("Content-Type", "application/json")
		set("Accept", "application/json")
	}
	if t.Body != nil {
		set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.bearer != "" {
		set("Authorization", "Bearer "+c.bearer)
	}
	if c.user != nil {
		set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(*c.user)))
	}
	if c.agent != nil && *c.agent != "" {
		set("User-Agent", *c.agent)
	}
	if len(c.cookies) > 0 {
		set("Cookie", strings.Join(c.cookies, ";")) // as curl does
	}
	if c.referer != "" {
		set("Referer", c.referer)
	}
	if c.ranges != "" {
		set("Range", "bytes="+c.ranges)
	}
	if c.encodings {
		set("Accept-Encoding", "deflate, gzip, br, zstd")
	}
	if err != nil {
		return c.errorf("%w", err)
	}
	return nil
}

// address completes the address of a request as curl does.
func (c *command) address(u, query string) (string, error) {
	if !strings.Contains(u, "://") {
		u = "http://" + u
	}
	if at := strings.IndexByte(u, '#'); at >= 0 {
		u = u[:at]
	}
	_, rest, _ := strings.Cut(u, "://")
	afterHost := ""
	if at := strings.IndexAny(rest, "/?"); at >= 0 { // an IPv6 address has brackets, too
		afterHost = rest[at:]
	}
	if !c.globOff && strings.ContainsAny(strings.ReplaceAll(blankVariables(afterHost), "{{}}", ""), "{}[]") {
		return "", hint(c.errorf("curl would expand the braces or brackets into several addresses"),
			"write one command line for each, or add -g if they belong to the address")
	}
	if query == "" {
		return u, nil
	}
	separator := "?"
	if strings.Contains(u, "?") {
		separator = "&"
	}
	return u + separator + query, nil
}
