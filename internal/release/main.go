package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

// A release is the state shared by its steps.
type release struct {
	tag   string    // v0.1.0
	tree  string    // the clone
	out   string    // the output directory
	nfpm  string    // the nfpm program
	time  time.Time // of the commit
	print io.Writer // for progress
}

// version returns the tag without its v.
func (r *release) version() string { return strings.TrimPrefix(r.tag, "v") }

var semver = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("o", "dist", "`directory` to write to, which must not exist")
	nfpm := flags.String("nfpm", ".bin/nfpm", "the nfpm `program`")
	trial := flags.String("trial", "", "make a trial of this `version` from a commit without a tag")
	check := flags.Bool("check", false, "make the release twice, in different directories, and compare")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	tag := *trial
	if tag == "" {
		var err error
		if tag, err = git(ctx, ".", "describe", "--tags", "--exact-match", "HEAD"); err != nil {
			return fmt.Errorf("HEAD has no tag: tag it, or pass -trial v0.0.0: %w", err)
		}
	}
	if !semver.MatchString(tag) {
		return fmt.Errorf("unknown kind of tag %q (want v1.2.3 or v1.2.3-rc.1)", tag)
	}
	head, err := git(ctx, ".", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	program, err := filepath.Abs(*nfpm)
	if err != nil {
		return err
	}
	if err := makeIn(ctx, *out, head, tag, program, stdout); err != nil || !*check {
		return err
	}
	again, err := os.MkdirTemp("", "whet-release-again-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(again) }()
	second := filepath.Join(again, "a directory", "dist")
	if err := os.Mkdir(filepath.Dir(second), 0o755); err != nil {
		return err
	}
	if err := makeIn(ctx, second, head, tag, program, io.Discard); err != nil {
		return err
	}
	names, err := same(*out, second)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d files are equal in both builds\n", names)
	return err
}

// makeIn makes a release of a commit in a directory.
func makeIn(ctx context.Context, out, head, tag, nfpm string, print io.Writer) (err error) {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	// The clone's name differs from one release to the next; the check relies on that.
	tree, err := os.MkdirTemp("", "whet-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	for _, args := range [][]string{
		{"clone", "-q", "--no-checkout", ".", tree},
		{"-C", tree, "checkout", "-q", "--detach", head},
	} {
		if _, err := git(ctx, ".", args...); err != nil {
			return err
		}
	}
	if at, err := git(ctx, tree, "describe", "--tags", "--exact-match", "HEAD"); err != nil || at != tag {
		if _, err := git(ctx, tree, "tag", "--no-sign", tag); err != nil {
			return err
		}
	}
	seconds, err := git(ctx, tree, "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r := &release{tag: tag, tree: tree, out: out, nfpm: nfpm, time: time.Unix(unix, 0).UTC(), print: print}
	return r.make(ctx)
}

// make runs the steps.
func (r *release) make(ctx context.Context) error {
	bin := filepath.Join(r.tree, ".bin")
	for _, p := range platforms() {
		dir := filepath.Join(bin, p.String())
		if err := r.build(ctx, p, dir); err != nil {
			return fmt.Errorf("build for %s: %w", p, err)
		}
		if err := r.archive(p, dir); err != nil {
			return fmt.Errorf("archive for %s: %w", p, err)
		}
		if err := r.sbom(p, filepath.Join(dir, p.exe("whet"))); err != nil {
			return fmt.Errorf("SBOM for %s: %w", p, err)
		}
		if p.os == "linux" {
			if err := r.debian(ctx, p, dir); err != nil {
				return fmt.Errorf("package for Debian, %s: %w", p.arch, err)
			}
		}
	}
	sums, err := checksums(r.out)
	if err != nil {
		return err
	}
	if err := r.formula(sums); err != nil {
		return fmt.Errorf("formula: %w", err)
	}
	return r.writeSums()
}

// git runs git and returns its output without the last newline.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
