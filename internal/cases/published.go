package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A published describes a service as an article published it: reimplemented with the structure of
// the article's code, in its first version (publishedDir/SERVICE/original) and in the author's last
// one (final). whet fixes a copy of the first, which is then compared with both.
type published struct {
	service string
	load    []string // arguments of whet that describe the load
	// benches are the packages that have benchmarks; none if the article has none.
	benches []string
	// underLoad means that no benchmark runs the lines of some rewrites: whet fix gets more time, because a
	// service has more noise.
	underLoad bool
	// figures are what the page's table shows, of the comparisons serviceStep or benchStep.
	figures []headline
	changes []change
}

// A change is one of the author's.
type change struct {
	text   string   // what the author did
	titles []string // parts of the titles of whet's findings about it
	file   string   // where they must be; "" is anywhere
	note   string   // what else there is to know; the only text if no rule is about it
}

// publishedDir has the services' modules.
const publishedDir = "examples/published"

// Steps of published services. Each comparison is of the original with one of the sides.
const (
	fixStep     = "fix"
	serviceStep = "service"
	benchStep   = "bench"

	whetSide     = "-whet"
	settingsSide = "-settings" // whet's, with the settings that it proved
	authorSide   = "-author"
)

// The program that a step's arguments start: as the article published it, as whet left it, and as its
// author left it. {run} are the settings of the environment.
const (
	originalProgram = ".bin/published/{name}/original"
	whetProgram     = ".bin/published/{name}/whet"
	settingsProgram = "{run} .bin/published/{name}/settings"
	authorProgram   = ".bin/published/{name}/author"
)

// study returns the steps of a published service.
func (p published) study(title string) study {
	s := study{name: "published-" + p.service, title: title, services: true, published: &p}
	named := func(text string) string { return strings.ReplaceAll(text, "{name}", p.service) }
	load := slices.Clone(p.load)
	for i := range load {
		if load[i] == "--load-header" { // of whet record and whet fix, whose other headers are for pprof
			load[i] = "--header"
		}
	}
	compare := func(side, program string) step {
		return step{name: serviceStep + side, service: append([]string{named(originalProgram), named(program)}, load...)}
	}
	s.steps = []step{{name: fixStep, fix: []string{"--review"}}}
	if len(p.benches) > 0 {
		s.steps = append(s.steps,
			step{name: benchStep + whetSide, bench: ".", other: fixedExample},
			step{name: benchStep + authorSide, bench: ".", other: "./" + publishedDir + "/" + p.service + "/final"})
	}
	settings := compare(settingsSide, settingsProgram)
	settings.ifSettings = true
	s.steps = append(s.steps, compare(whetSide, whetProgram), compare(authorSide, authorProgram), settings)
	return s
}

// stepLimit is how long one run of whet for a published service may take: enough for twenty findings that
// are measured under load.
const stepLimit = 90 * time.Minute

// loadTimes is how many times longer whet fix measures under load, as its defaults do.
const loadTimes = 6

// measurePublished runs the steps of a study that have no results yet. What is measured is stored after
// each step, in the service's directory below .bin, so that the next run continues where this one ended.
func (b *session) measurePublished(ctx context.Context, s study, r *results) error {
	dir := b.publishedDir(s)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	plan := fmt.Sprintf("%v, fix %v, fuzz %v", b.time, b.fixTime, b.fuzzTime)
	if err := readState(dir, plan, r); err != nil {
		return err
	}
	for program, from := range map[string]string{"original": "original", "author": "final"} {
		if _, err := command(ctx, b.log, filepath.Join(b.root, publishedDir, s.published.service, from),
			"go", "build", "-o", filepath.Join(dir, program), "."); err != nil {
			return err
		}
	}
	for _, st := range s.steps {
		if _, measured := r.Comparisons[st.name]; measured || st.fix != nil && r.Fixes[st.name] != nil {
			continue
		}
		if st.ifSettings && !slices.ContainsFunc(r.Settings[fixStep], attempt.kept) {
			continue
		}
		_, _ = fmt.Fprintf(b.log, "%s: %s\n", s.name, st.name)
		stepCtx, cancel := context.WithTimeout(ctx, stepLimit)
		err := b.step(stepCtx, s, st, dir, "", r)
		cancel()
		if err != nil {
			return fmt.Errorf("step %s: %w", st.name, err)
		}
		if err := writeState(dir, r); err != nil {
			return err
		}
	}
	r.Plan = ""
	return nil
}

func (b *session) publishedDir(s study) string {
	return filepath.Join(b.bin, "published", s.published.service)
}

const stateFile = "results.json"

// readState adds the results in dir to r if they were measured as plan says.
func readState(dir, plan string, r *results) error {
	r.Plan = plan
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	stored := newResults()
	if json.Unmarshal(data, stored) == nil && stored.Schema == schema && stored.Plan == plan {
		*r = *stored
	}
	return nil
}

func writeState(dir string, r *results) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, stateFile), data, 0o644)
}

// fixPublished has whet rewrite a copy of a published service, measured by its benchmarks and under load,
// and builds the result, without and with the settings that whet proved.
func (b *session) fixPublished(ctx context.Context, s study, st step, dir string, r *results) error {
	copied := filepath.Join(dir, fixedDir, s.name)
	if err := os.RemoveAll(copied); err != nil {
		return err
	}
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(b.root, s.example()))); err != nil {
		return err
	}
	// A repository, because whet copies what git does not ignore, and .bin is ignored.
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{
			"-c", "user.name=cases", "-c", "user.email=cases@localhost", "-c", "commit.gpgsign=false",
			"-c", "core.hooksPath=" + os.DevNull, "commit", "-q", "-m", "original",
		},
	} {
		if _, err := command(ctx, b.log, copied, "git", args...); err != nil {
			return err
		}
	}
	load := b.real(s.published.load)
	recordings := []string{filepath.Join(dir, "service.whet")}
	record := append([]string{"record", "-o", recordings[0]}, load...)
	if _, err := b.whet(ctx, dir, append(record, "--", filepath.Join(dir, "original"))...); err != nil {
		return err
	}
	if len(s.published.benches) > 0 {
		recordings = append(recordings, filepath.Join(dir, "bench.whet"))
		record := append([]string{"record", "-o", recordings[1], "--bench", "."}, s.published.benches...)
		if _, err := b.whet(ctx, copied, record...); err != nil {
			return err
		}
	}
	limit := b.fixTime
	if s.published.underLoad {
		limit *= loadTimes
	}
	fix := slices.Concat([]string{"fix"}, recordings, []string{"--apply"}, st.fix, []string{
		"--max-time", limit.String(), "--fuzz-time", b.fuzzTime.String(), "--json", "--service", "",
	}, load)
	out, err := b.whet(ctx, copied, fix...)
	if err != nil {
		return err
	}
	f, err := decodeFix(out)
	if err != nil {
		return err
	}
	r.Fixes[st.name], r.Settings[st.name], r.Left[st.name] = attempts(f.Attempts), attempts(f.Settings), f.left()
	if r.Fixes[st.name] == nil {
		r.Fixes[st.name] = []attempt{} // measured
	}
	return b.buildFixed(ctx, copied, dir, r.Settings[st.name])
}

// buildFixed builds what whet left of a service, without and with the settings that it proved.
func (b *session) buildFixed(ctx context.Context, copied, dir string, settings []attempt) error {
	if _, err := command(ctx, b.log, copied, "go", "build", "-o", filepath.Join(dir, "whet"), "."); err != nil {
		return err
	}
	// As arguments of env, which also passes flags on to go build.
	var variables, flags []string
	for _, build := range proven(settings).Build {
		if strings.HasPrefix(build, "-") {
			flags = append(flags, build)
		} else {
			variables = append(variables, build)
		}
	}
	args := slices.Concat(variables, []string{"go", "build", "-o", filepath.Join(dir, "settings")}, flags, []string{"."})
	_, err := command(ctx, b.log, copied, "env", args...)
	return err
}

func (a attempt) kept() bool { return a.Stage == "kept" }

// proven returns all parts of the settings that whet proved.
func proven(settings []attempt) (all attempt) {
	for _, a := range settings {
		if a.kept() {
			all.Build, all.Run = append(all.Build, a.Build...), append(all.Run, a.Run...)
		}
	}
	return all
}

// real returns arguments with the files of this module's root.
func (b *session) real(args []string) []string {
	var list []string
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			arg = "@" + filepath.Join(b.root, name)
		}
		list = append(list, arg)
	}
	return list
}

// published measures services as published, stores the results in dir, and writes the page from all
// results there. It continues an interrupted run; with again, it starts over.
func (b *session) published(ctx context.Context, dir string, chosen []study, again bool) error {
	var failed []error
	for _, s := range chosen {
		if again {
			err := os.Remove(filepath.Join(b.publishedDir(s), stateFile))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		r := newResults()
		err := b.measure(ctx, s, r)
		if err == nil {
			err = writeResults(dir, s, r)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		if ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
	if len(failed) == 0 {
		// Everything is measured: the next run starts over.
		for _, s := range chosen {
			failed = append(failed, os.Remove(filepath.Join(b.publishedDir(s), stateFile)))
		}
	}
	return errors.Join(append(failed, writePublished(dir))...)
}
