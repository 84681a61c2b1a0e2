package service

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/load/targets"
)

// A Command configures how to start one side.
type Command struct {
	// Args are the program, looked up in PATH unless it contains a slash, and its arguments. In
	// Args and Env, {addr} is replaced by a free loopback address as host:port, and {port} by its
	// port; {addr2} to {addr9} and {port2} to {port9} are replaced by further ones.
	Args []string
	// Env are variables ("KEY=value") that override those of whet's environment.
	Env []string
	// Dir is the working directory; "" means whet's own.
	Dir string
}

var errEmpty = errors.New("no program")

// ParseCommand splits a command like a shell, including leading variables. There is no shell to run
// it, so shell features are an error.
func ParseCommand(text string) (Command, error) {
	c, err := cut(text)
	if err == nil && len(c.Args) == 0 {
		err = errEmpty
	}
	if err != nil {
		return Command{}, &diag.Error{
			Op: "read command", Subject: fmt.Sprintf("%q", text), Err: err, Kind: diag.Usage,
			Hint: "write it as for a shell, without pipes and variables: 'GOGC=200 ./server -addr {addr}'; what needs a " +
				"shell goes into sh -c '…'",
		}
	}
	return c, nil
}

// ParseArguments splits a command like [ParseCommand], but without the program, which is built
// first: its path is then prepended to Args, which may be empty.
func ParseArguments(text string) (Command, error) {
	c, err := cut(text)
	if err != nil {
		return Command{}, &diag.Error{
			Op: "read arguments", Subject: fmt.Sprintf("%q", text), Err: err, Kind: diag.Usage,
			Hint: "write them as for a shell, without pipes and variables: 'GOGC=200 -addr {addr}'",
		}
	}
	return c, nil
}

// cut separates variables from the words after them.
func cut(text string) (Command, error) {
	words, err := targets.Words(text)
	if err != nil {
		return Command{}, err
	}
	n := 0
	for n < len(words) && isVariable(words[n]) {
		n++
	}
	return Command{Args: words[n:], Env: words[:n:n]}, nil
}

// isVariable reports whether a word sets a variable.
func isVariable(word string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`).MatchString(word)
}

// String returns the command as it would be typed, with quotes around words that contain spaces.
func (c Command) String() string {
	var out []string
	for _, word := range slices.Concat(c.Env, c.Args) {
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`;&|<>()#*?[~") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// placeholder matches a placeholder for a part of an address.
func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{(addr|port)([2-9]?)\}`) }

// An instance is how one side is started and loaded: its command and the address of its load,
// without placeholders.
type instance struct {
	command Command
	url     *url.URL
	// reserved listens on the addresses assigned to the placeholders until the commands are
	// started.
	reserved map[string]net.Listener // by number: "", "2", …
}

// instances finds an address for each side.
func instances(commands [2]Command, urls []string) (instances [2]instance, err error) {
	if err := checkAddresses(commands, urls); err != nil {
		return instances, err
	}
	defer func() {
		if err != nil {
			release(instances)
		}
	}()
	for i := range instances {
		p := &instances[i]
		p.reserved = map[string]net.Listener{}
		replace := func(text string) string {
			return placeholder().ReplaceAllStringFunc(text, func(match string) string {
				m := placeholder().FindStringSubmatch(match)
				address, aerr := p.reserve(m[2])
				if aerr != nil {
					err = aerr
					return match
				}
				if m[1] == "port" {
					_, address, _ = net.SplitHostPort(address)
				}
				return address
			})
		}
		p.command = commands[i]
		p.command.Args, p.command.Env = slices.Clone(commands[i].Args), slices.Clone(commands[i].Env)
		for _, words := range [][]string{p.command.Args, p.command.Env} {
			for k, word := range words {
				words[k] = replace(word)
			}
		}
		text := replace(urls[min(i, len(urls)-1)])
		if err != nil {
			return instances, &diag.Error{Op: "find a free address", Err: err}
		}
		if p.url, err = parseAddress(text); err != nil {
			return instances, err
		}
	}
	return instances, nil
}

// sameAddress reports whether both services listen at one address, so that only one can run at a
// time.
func sameAddress(instances [2]instance) bool { return instances[0].url.Host == instances[1].url.Host }

const ownAddress = "{addr} in the commands and in --load is replaced by a free address, as in " +
	"'./server -addr {addr}' and --load http://{addr}/; or give --load twice, for A and for B"

// checkAddresses reports missing placeholders, before any are replaced.
func checkAddresses(commands [2]Command, urls []string) error {
	if len(urls) != 1 && len(urls) != 2 {
		return diag.Usagef("--load", fmt.Sprintf("%d addresses for two services", len(urls)),
			"give one with {addr} in it, such as http://{addr}/, or two, for A and for B")
	}
	for i, c := range commands {
		url := urls[min(i, len(urls)-1)]
		words := strings.Join(slices.Concat(c.Args, c.Env), " ")
		if m := regexp.MustCompile(`\{(addr|port)\}`).FindString(words); m != "" && len(urls) == 1 &&
			!placeholder().MatchString(url) {
			return diag.Usagef("--load", fmt.Sprintf("%s gets the address %s, and the load goes to %s",
				sideName(i), m, hostOf(url)), "give each a separate address: "+ownAddress)
		}
		for _, m := range placeholder().FindAllStringSubmatch(url, -1) {
			if !strings.Contains(words, "{addr"+m[2]+"}") && !strings.Contains(words, "{port"+m[2]+"}") {
				return diag.Usagef("read command", fmt.Sprintf("%s does not get its address: %s is in --load but not in %q",
					sideName(i), m[0], c),
					"put {addr} (host:port) or {port} where the command takes its address, such as ./server -addr "+
						"{addr}, or PORT={port} ./server")
			}
		}
	}
	return nil
}

// hostOf returns the host and port of an address, or the text itself.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host
	}
	return "the same address"
}

// parseAddress parses the address of a side's load. It must be on this machine, like the service.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// err is not included, because it may contain a password
		return nil, diag.Usagef("--load", "not an http or https address",
			"write it with its scheme, such as http://{addr}/path")
	}
	if ip := net.ParseIP(u.Hostname()); !strings.EqualFold(u.Hostname(), "localhost") && (ip == nil || !ip.IsLoopback()) {
		return nil, diag.Usagef("--load", u.Host+" is not this machine's loopback, where the services are started",
			"use 127.0.0.1 or {addr}; a name for the Host header is sent as a header, Host: NAME")
	}
	if u.Port() == "" {
		port := "80"
		if u.Scheme == "https" {
			port = "443"
		}
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	return u, nil
}

// reserve returns the address for the placeholders with a number.
func (p *instance) reserve(number string) (string, error) {
	l := p.reserved[number]
	if l == nil {
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return "", err
		}
		p.reserved[number] = l
	}
	return l.Addr().String(), nil
}

// release frees the reserved addresses for the commands. All are held until now, so that they are
// distinct; another program may take one first, which the command then reports.
func release(instances [2]instance) {
	for _, p := range instances {
		for _, l := range p.reserved {
			_ = l.Close() // no connection was accepted
		}
	}
}

// sideName returns A or B.
func sideName(i int) string { return [...]string{"A", "B"}[i] }
