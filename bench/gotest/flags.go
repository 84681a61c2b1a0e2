package gotest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/shell"

	"github.com/whet-go/whet/internal/diag"
)

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// buildFlags are go build's flags that change the resulting program; true marks those without a
// value.
func buildFlags() map[string]bool {
	return map[string]bool{
		"a": true, "race": true, "msan": true, "asan": true, "cover": true, "linkshared": true, "modcacherw": true,
		"trimpath": true, "buildvcs": true,
		"asmflags": false, "buildmode": false, "compiler": false, "covermode": false, "coverpkg": false, "gccgoflags": false,
		"gcflags":       false,
		"installsuffix": false, "ldflags": false, "mod": false, "modfile": false, "overlay": false, "p": false, "pgo": false,
		"pkgdir": false,
		"tags":   false, "toolexec": false,
	}
}

// ParseFlags reads build settings in shell syntax: flags of go build, with one dash or two, and
// KEY=value of the environment, as in
//
//	-tags fast -gcflags='all=-N -l' GOGC=off
//
// $NAME and ~ are expanded as in a shell. Flags are returned as -name or -name=value, with absolute
// file paths.
func ParseFlags(text string) (flags, env []string, err error) {
	words, err := shell.Fields(text, nil)
	if err != nil {
		return nil, nil, &diag.Error{
			Op: "parse flags", Subject: fmt.Sprintf("%q", text), Err: err,
			Hint: "quote as in a shell",
		}
	}
	fails := func(word, message, hint string) ([]string, []string, error) {
		return nil, nil, &diag.Error{
			Op: "parse flags", Subject: fmt.Sprintf("%q", word), Err: errors.New(message),
			Hint: hint,
		}
	}
	known := buildFlags()
	for i := 0; i < len(words); i++ {
		word := words[i]
		if assignment.MatchString(word) {
			env = append(env, word)
			continue
		}
		name, ok := strings.CutPrefix(word, "-")
		if !ok {
			return fails(word, "neither a flag nor KEY=value", "write it as -tags fast GOGC=off")
		}
		name, value, has := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		alone, ok := known[name]
		switch {
		case !ok:
			return fails(word, "not a go build flag that changes the program",
				"`go help build` lists them; a variable of the environment is KEY=value")
		case alone && !has:
			flags = append(flags, "-"+name)
			continue
		case !has && i+1 == len(words):
			return fails(word, "missing value", "write it as "+word+"=VALUE")
		case !has:
			i++
			value = words[i]
		}
		if value, err = absolute(name, value); err != nil {
			return fails(word, err.Error(), "")
		}
		flags = append(flags, "-"+name+"="+value)
	}
	return flags, env, nil
}

// absolute makes the paths in flags absolute, because the go command runs in another directory for
// each side.
func absolute(name, value string) (string, error) {
	isFile := slices.Contains([]string{"overlay", "modfile", "pkgdir"}, name) ||
		name == "pgo" && value != "off" && value != "auto"
	if !isFile || value == "" {
		return value, nil
	}
	return filepath.Abs(value)
}

// ParseProgramFlags is [ParseFlags] for a program whose profile whet chooses, along with whether
// everything is rebuilt: -pgo and -a are errors.
func ParseProgramFlags(text string) (flags, env []string, err error) {
	flags, env, err = ParseFlags(text)
	for _, flag := range flags {
		switch name, _, _ := strings.Cut(flag, "="); name {
		case "-pgo":
			err = &diag.Error{Err: errors.New("-pgo is set by the comparison"), Hint: "omit it"}
		case "-a":
			err = &diag.Error{Err: errors.New("-a is set by --build-time"), Hint: "omit it"}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return flags, env, nil
}

// ParseBenchTime reads how long a round takes, a time such as 100ms or a number of iterations such
// as 1000x, into the options of a run with a timeout.
func ParseBenchTime(text string, timeout time.Duration) (RunOptions, error) {
	o := RunOptions{Timeout: timeout}
	bad := func(message, hint string) (RunOptions, error) {
		return o, &diag.Error{Err: errors.New(message), Hint: hint}
	}
	if digits, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 {
			return bad(fmt.Sprintf("%q is not a number of iterations", text), "write it as 1000x")
		}
		o.Iterations = n
		return o, nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil || d <= 0:
		return bad(fmt.Sprintf("%q is neither a time nor a number of iterations", text), "write it as 100ms or 1000x")
	case d >= timeout:
		return bad(fmt.Sprintf("%v is not less than the timeout, %v", d, timeout), "give more with --timeout")
	}
	o.Time = d
	return o, nil
}

// ParseProcs reads a list of values for GOMAXPROCS, such as "1,2,4"; "" is the default alone, 0.
func ParseProcs(list string) ([]int, error) {
	if list == "" {
		return []int{0}, nil
	}
	var procs []int
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, &diag.Error{Err: fmt.Errorf("%q is not a number of CPUs", part), Hint: "give a list such as 1,2,4"}
		}
		procs = append(procs, n)
	}
	return procs, nil
}
