package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/loopback"
)

// Roots are directories that may be read, and whose code may be run. Their paths have no symbolic links.
type Roots struct {
	dirs []string
	Made string // where recordings without another name are written
}

// New returns the roots with some names; without any, the current directory.
func New(names []string, made string) (*Roots, error) {
	if len(names) == 0 {
		names = []string{"."}
	}
	r := &Roots{Made: made}
	for _, name := range names {
		dir, err := filepath.Abs(name)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return nil, &diag.Error{Op: "open root", Subject: name, Err: err, Hint: "name an existing directory with --root"}
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, &diag.Error{
				Op: "open root", Subject: name, Err: errors.Join(err, errors.New("not a directory")),
				Hint: "name an existing directory with --root",
			}
		}
		if dir == filepath.Dir(dir) {
			return nil, &diag.Error{
				Op: "open root", Subject: name, Err: errors.New("it contains the whole file system"),
				Hint: "name the directories of your modules",
			}
		}
		r.dirs = append(r.dirs, dir)
	}
	return r, nil
}

// outsideError is the refusal of a path.
func (r *Roots) outsideError(name string) error {
	return &diag.Error{
		Op: "open", Subject: fmt.Sprintf("%q", name), Err: errors.New("it is outside of the roots of this server"),
		Hint: "the roots are " + strings.Join(r.dirs, ", ") + "; the user may add one with whet mcp --root",
	}
}

// within reports whether a path without symbolic links is in a root.
func (r *Roots) within(real string) bool {
	return slices.ContainsFunc(r.dirs, func(dir string) bool { return IsBelow(dir, real) })
}

// IsBelow reports whether a path is a directory, or below it.
func IsBelow(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// absolute returns a path as a client names it, which is absolute or relative to the first root.
func (r *Roots) absolute(name string) (string, error) {
	if strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "", fmt.Errorf("the name %q has control characters", name)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dirs[0], name)
	}
	return filepath.Clean(name), nil
}

// Existing resolves the symbolic links of a path, and refuses one outside of the roots. That an outside path exists
// is not disclosed.
func (r *Roots) Existing(name string) (string, error) {
	abs, err := r.absolute(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	switch {
	case err != nil && !r.within(abs) && !IsBelow(r.Made, abs):
		return "", r.outsideError(name)
	case errors.Is(err, fs.ErrNotExist):
		return "", &diag.Error{
			Op: "open", Subject: fmt.Sprintf("%q", name), Err: fs.ErrNotExist,
			Hint: "paths are absolute, or relative to " + r.dirs[0],
		}
	case err != nil:
		return "", err
	case !r.within(real):
		return "", r.outsideError(name)
	}
	return real, nil
}

// Recording returns the path of a recording or a profile.
func (r *Roots) Recording(name string) (string, error) {
	if name == "" {
		return "", &diag.Error{
			Op: "open", Err: errors.New("no recording is named, and this session has made none"),
			Hint: "call record first, or give the path of a recording",
		}
	}
	if strings.HasPrefix(name, "-") || strings.Contains(name, "://") {
		return "", fmt.Errorf("%q is not the path of a recording", name)
	}
	if abs := filepath.Clean(name); filepath.Dir(abs) == r.Made {
		if info, err := os.Lstat(abs); err == nil && info.Mode().IsRegular() {
			return abs, nil // made by this server
		}
	}
	real, err := r.Existing(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is not a regular file", name)
	}
	return real, nil
}

// Output returns the path of a recording to write, which must not exist.
func (r *Roots) Output(name string) (string, error) {
	abs, err := r.absolute(name)
	if err != nil {
		return "", err
	}
	if filepath.Ext(abs) != ".whet" {
		return "", fmt.Errorf("the output %q does not end in .whet", name)
	}
	dir, err := r.Existing(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	abs = filepath.Join(dir, filepath.Base(abs))
	if _, err := os.Lstat(abs); err == nil {
		return "", &diag.Error{
			Op: "write", Subject: fmt.Sprintf("%q", name), Err: fs.ErrExist, Hint: "files are not replaced: use another name",
		}
	}
	return abs, nil
}

// Module returns the directory of the module that contains dir; "" is the first root. It refuses modules that are built
// from code outside of the roots.
func (r *Roots) Module(dir string) (string, error) {
	if strings.HasPrefix(dir, "-") {
		return "", fmt.Errorf("%q is not a directory", dir)
	}
	real, err := r.Existing(dir)
	if err != nil {
		return "", err
	}
	_, root, err := find.ModuleOf(real)
	if err != nil {
		return "", &diag.Error{
			Op: "open", Subject: fmt.Sprintf("%q", dir), Err: err,
			Hint: "give the directory of a module with dir, relative to " + r.dirs[0],
		}
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	if !r.within(root) {
		return "", r.outsideError(root)
	}
	if repository := above(root, ".git"); repository != "" && !r.within(repository) {
		return "", &diag.Error{
			Op: "open", Subject: root, Err: fmt.Errorf("its repository %s is outside of the roots", repository),
			Hint: "a proof copies the repository: the user may add it with whet mcp --root " + repository,
		}
	}
	if err := errors.Join(r.checkModule(root), r.checkWorkspace(root), r.checkLinks(root)); err != nil {
		return "", err
	}
	return root, nil
}

// above returns the closest directory, from dir upwards, that contains a file; "" if there is none.
func above(dir, file string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// File returns a Go file of a module as relative to the module's directory, which has no symbolic links. It may be
// given as absolute. A file that a symbolic link of the module leads out of it is refused.
func File(dir, name string) (string, error) {
	if !strings.HasSuffix(name, ".go") {
		return "", fmt.Errorf("%q is not a Go file of the module", name)
	}
	abs := filepath.FromSlash(name)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(dir, abs)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil || !IsBelow(dir, real) {
		return "", fmt.Errorf("%q is not a file of the module in %s", name, dir)
	}
	rel, err := filepath.Rel(dir, real)
	return filepath.ToSlash(rel), err
}

// isSource reports whether the go command compiles files with an extension, through symbolic links, too.
func isSource(ext string) bool {
	switch ext {
	case ".go", ".c", ".cc", ".cpp", ".cxx", ".f", ".h", ".hh", ".hpp", ".hxx", ".m", ".s", ".S", ".swig", ".swigcxx",
		".syso":
		return true
	}
	return false
}

// checkLinks refuses a module with source files that are symbolic links to files outside of the roots. Links to
// directories need no check: the go command does not follow them.
func (r *Roots) checkLinks(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // the go command reports it
		case d.IsDir() && name != dir && (strings.HasPrefix(d.Name(), ".") || isModule(name)):
			return filepath.SkipDir
		case d.Type()&fs.ModeSymlink == 0 || !isSource(filepath.Ext(name)):
			return nil
		}
		return r.checkUsed(dir, name)
	})
}

func isModule(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// checkModule refuses a module whose go.mod names directories outside of the roots.
func (r *Roots) checkModule(dir string) error {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return err
	}
	// ParseLax ignores replacements.
	if strict, err := modfile.Parse(name, data, nil); err == nil {
		mod = strict
	}
	return r.checkReplaced(dir, mod.Replace)
}

func (r *Roots) checkReplaced(dir string, list []*modfile.Replace) error {
	for _, replaced := range list {
		if modfile.IsDirectoryPath(replaced.New.Path) {
			if err := r.checkUsed(dir, replaced.New.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUsed refuses a file or directory that a module or a workspace uses, if it is outside of the roots or has links
// that lead there.
func (r *Roots) checkUsed(dir, used string) error {
	if !filepath.IsAbs(used) {
		used = filepath.Join(dir, used)
	}
	real, err := filepath.EvalSymlinks(used)
	if err != nil {
		return nil // the go command reports it
	}
	if !r.within(real) {
		return &diag.Error{
			Op: "open", Subject: dir, Err: fmt.Errorf("it is built from %s, which is outside of the roots", used),
			Hint: "the user may add that directory with whet mcp --root",
		}
	}
	if isModule(real) {
		return r.checkLinks(real)
	}
	return nil
}

// checkWorkspace does the same for the workspace of a module.
func (r *Roots) checkWorkspace(dir string) error {
	name := os.Getenv("GOWORK")
	switch name {
	case "off":
		return nil
	case "":
		root := above(dir, "go.work")
		if root == "" {
			return nil
		}
		name = filepath.Join(root, "go.work")
	}
	root := filepath.Dir(name)
	if !r.within(root) {
		return &diag.Error{
			Op: "open", Subject: dir, Err: fmt.Errorf("its workspace %s is outside of the roots", name),
			Hint: "the user may add that directory with whet mcp --root, or start the server with GOWORK=off",
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return err
	}
	for _, use := range work.Use {
		if err := r.checkUsed(root, use.Path); err != nil {
			return err
		}
	}
	return r.checkReplaced(root, work.Replace)
}

// packagePattern is a package of the module, relative to its directory, as the go command takes it.
var packagePattern = regexp.MustCompile(`^\.(/[\pL\pN_+~][\pL\pN_.+~-]*)*(/\.\.\.)?$`)

// CheckPackages refuses anything but packages of the module: flags, commands and packages of other modules.
func CheckPackages(patterns ...string) error {
	for _, p := range patterns {
		if !packagePattern.MatchString(p) {
			return &diag.Error{
				Op: "use", Subject: fmt.Sprintf("%q", p), Err: errors.New("it is not a package of the module"),
				Hint: "packages are relative to the module's directory: ., ./..., ./internal/text or ./cmd/...",
			}
		}
	}
	return nil
}

// CheckRegexp refuses what is not a regular expression, or looks like a flag.
func CheckRegexp(name, text string) error {
	if strings.HasPrefix(text, "-") {
		return fmt.Errorf("%s %q begins with -, as flags do", name, text)
	}
	if len(text) > 1000 {
		return fmt.Errorf("%s has %d bytes (want at most 1000)", name, len(text))
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("%s is not a regular expression: %w", name, err)
	}
	return nil
}

// CheckTarget refuses addresses of machines that the user has not named. remote are hosts, or HOST:PORT.
func CheckTarget(address string, remote []string) error {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%q is not an address", address)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the address %q begins with neither http:// nor https://", u.Redacted())
	}
	host := u.Hostname()
	if loopback.Local(host) || slices.Contains(remote, host) || slices.Contains(remote, u.Host) {
		return nil
	}
	if u.Port() == "" && slices.Contains(remote, net.JoinHostPort(host, defaultPort(u))) {
		return nil
	}
	return &diag.Error{
		Op: "use", Subject: fmt.Sprintf("%q", u.Redacted()), Err: errors.New("it is not on this machine"),
		Hint: "only loopback addresses may be recorded and loaded, and hosts that the user names with whet mcp --target",
	}
}

// Remote returns the hosts of addresses that are not on this machine, without ports. CheckTarget has allowed them.
func Remote(addresses []string) (hosts []string) {
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err == nil && !loopback.Local(u.Hostname()) && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

func defaultPort(u *url.URL) string {
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
