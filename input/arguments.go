package input

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// SplitPackages separates the profiles in args from the packages after them. The first argument is
// a profile; so is any other that is a file, an address, "-" for standard input, or looks like the
// name of a profile.
func SplitPackages(args []string) (profiles, packages []string) {
	for i, arg := range args {
		fi, err := os.Stat(arg)
		isFile := err == nil && !fi.IsDir()
		named := slices.Contains([]string{".whet", ".partial", ".gz", ".pb", ".pgo", ".prof", ".pprof", ".out"},
			filepath.Ext(arg))
		if i == 0 || arg == "-" || IsURL(arg) || isFile || named && err != nil && !strings.Contains(arg, "...") {
			profiles = append(profiles, arg)
		} else {
			packages = append(packages, arg)
		}
	}
	return profiles, packages
}

// Newest returns the newest recording or profile in a directory, recognized by its name; "" if
// there is none.
func Newest(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	newest, at := "", time.Time{}
	for _, e := range entries {
		name := e.Name()
		if !slices.ContainsFunc([]string{".whet", ".pb.gz", ".pprof", ".prof"},
			func(end string) bool { return strings.HasSuffix(name, end) }) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
			newest, at = filepath.Join(dir, name), info.ModTime()
		}
	}
	return newest
}
