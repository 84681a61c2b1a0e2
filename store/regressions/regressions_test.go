package regressions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// grid returns a cell for each instance and slot.
func grid(insts, slots int) (cells []cell) {
	for i := range insts {
		for t := range slots {
			cells = append(cells, cell{inst: i, slot: t, weight: 1, total: 1})
		}
	}
	return cells
}

// stepAt returns a column that is 1 from a slot on.
func stepAt(cells []cell, slot int) []float64 {
	x := make([]float64, len(cells))
	for i, c := range cells {
		if c.slot >= slot {
			x[i] = 1
		}
	}
	return x
}

// TestFitExact expects steps next to levels of instances and of times of day without noise.
func TestFitExact(t *testing.T) {
	cells := grid(5, 96)
	y := make([]float64, len(cells))
	for i, c := range cells {
		y[i] = 1 + 0.3*float64(c.inst) + math.Sin(float64(c.slot%24))
		if c.slot >= 30 {
			y[i] += 0.5
		}
		if c.slot >= 70 {
			y[i] -= 0.2
		}
	}
	d := newDesign(cells, 5, 96, true, 24, 24, [][]float64{stepAt(cells, 30), stepAt(cells, 70)})
	steps, left := d.fit(y)
	if math.Abs(steps[0].step-0.5) > 1e-9 || math.Abs(steps[1].step+0.2) > 1e-9 {
		t.Errorf("%+v", steps)
	}
	for slot, v := range left {
		if math.Abs(v) > 1e-9 {
			t.Fatalf("slot %d: %g is left", slot, v)
		}
	}
	// The same step twice cannot be told apart.
	d = newDesign(cells, 5, 96, true, 24, 24, [][]float64{stepAt(cells, 30), stepAt(cells, 30)})
	if steps, _ := d.fit(y); steps[0].p() != 1 || steps[1].p() != 1 {
		t.Errorf("%+v", steps)
	}
}

// TestFitNoise expects p values of no step to be about uniform, with noise of instances, of slots with
// correlation, and of instances at the step.
func TestFitNoise(t *testing.T) {
	const runs, insts, slots = 400, 8, 96
	r := rand.New(rand.NewPCG(5, 5))
	cells := grid(insts, slots)
	d := newDesign(cells, insts, slots, true, 24, 24, [][]float64{stepAt(cells, 60)})
	low, least := 0, 0
	for range runs {
		y := make([]float64, len(cells))
		var after [insts]float64
		for i := range after {
			after[i] = 0.02 * r.NormFloat64()
		}
		shock := make([]float64, slots)
		for s := 1; s < slots; s++ {
			shock[s] = 0.6*shock[s-1] + 0.02*r.NormFloat64()
		}
		for i, c := range cells {
			y[i] = 1 + shock[c.slot] + 0.05*r.NormFloat64()
			if c.slot >= 60 {
				y[i] += after[c.inst]
			}
		}
		steps, _ := d.fit(y)
		if p := steps[0].p(); p < 0.1 {
			low++
			if p < 0.01 {
				least++
			}
		}
	}
	if low > runs*15/100 || least > runs*3/100 {
		t.Errorf("of %d, %d are below 0.1 and %d below 0.01", runs, low, least)
	}
	if low == 0 {
		t.Error("no p value is below 0.1")
	}
}

// TestDeploys finds a deploy and its rollback, and gives no weight to a build of few instances.
func TestDeploys(t *testing.T) {
	p := &panel{slots: 30, step: time.Hour, from: fleettest.Epoch(), instances: 4, label: "version"}
	for i := range 4 {
		for slot := range 30 {
			version := "v1"
			if slot >= 10+i && slot < 20 {
				version = "v2"
			}
			if i == 3 && slot == 5 {
				version = "test"
			}
			p.cells = append(p.cells, cell{inst: i, slot: slot, weight: 1, total: 1})
			p.versions = append(p.versions, version)
		}
	}
	p.findDeploys()
	if len(p.deploys) != 2 || p.slotOf[0] != 10 || p.slotOf[1] != 20 || p.deploys[0].After != "v2" ||
		p.deploys[1].After != "v1" {
		t.Fatalf("%+v at %v", p.deploys, p.slotOf)
	}
	if len(p.cells) != 119 || !p.paired {
		t.Errorf("%d cells, paired %v", len(p.cells), p.paired)
	}
	for i, c := range p.cells {
		if want := map[bool]int{true: 1}[p.versions[i] == "v2"]; p.versions[i] == "v2" && c.epoch != want {
			t.Errorf("slot %d of %s: epoch %d", c.slot, p.versions[i], c.epoch)
		}
	}
}

// TestEmpty expects an error with a hint without profiles, and no failure with too few.
func TestEmpty(t *testing.T) {
	if _, err := Find(context.Background(), fleettest.Fleet{}, Options{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	f := fleettest.Fleet{fleettest.New(fleettest.Options{Hosts: 1, Days: 1}, 3, 0, fleettest.Slower)}
	for _, hours := range []int{1, 2, 5, 24} {
		o := Options{}
		o.To = fleettest.Epoch().Add(time.Duration(hours) * time.Hour)
		r, err := Find(context.Background(), f, o)
		if err != nil {
			t.Fatalf("%d hours: %v", hours, err)
		}
		if !slices.ContainsFunc(r.Warnings.Texts(), func(s string) bool { return strings.Contains(s, "two days") }) {
			t.Errorf("%d hours: no warning in %v", hours, r.Warnings.Texts())
		}
	}
	o := Options{Step: time.Second}
	if _, err := Find(context.Background(), f, o); err == nil || !strings.Contains(err.Error(), "use a longer step") {
		t.Errorf("%v", err)
	}
}

// report returns one with a regression at a deploy.
func report() *Report {
	d := &Deploy{
		At: fleettest.Epoch(), Before: "v1", After: "v2", Label: "version",
		Commits: []Commit{{Hash: "0123456789abcdef", Subject: "shop: sort twice"}},
	}
	return &Report{Kind: "cpu", Regressions: []Change{{
		Service: "shop", Function: "shop.Price", Cause: CauseDeploy, At: d.At, Deploy: d,
		Effect: Effect{
			Before: 0.01, After: 0.0105, Change: 0.0005, Low: 0.0004, High: 0.0006, Relative: 0.05, P: 1e-9, Q: 1e-6,
		},
	}}}
}

func TestSend(t *testing.T) {
	var got []Alert
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/v2/alerts" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	ctx, address := context.Background(), s.URL+"/api/v2/alerts"
	if err := Send(ctx, nil, address, report().Alerts()); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Labels["alertname"] != "WhetRegression" || got[0].Labels["version"] != "v2" ||
		got[0].Labels["function"] != "shop.Price" || !got[0].StartsAt.Equal(fleettest.Epoch()) ||
		!strings.Contains(got[0].Annotations["commit_01"], "sort twice") ||
		!strings.Contains(got[0].Annotations["summary"], "1.050%") {
		t.Errorf("%+v", got)
	}
	status = http.StatusBadRequest
	if err := Send(ctx, nil, address, report().Alerts()); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("%v", err)
	}
	got = nil
	if err := Send(ctx, nil, address, nil); err != nil || got != nil {
		t.Errorf("%v, %v: without alerts nothing is sent", got, err)
	}
	for _, bad := range []string{"", "alertmanager:9093", "file:///etc/passwd", "http://"} {
		if err := Send(ctx, nil, bad, report().Alerts()); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	err := Send(ctx, nil, "http://user:secret@127.0.0.1:1/", report().Alerts())
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// TestAlertJSON compares what is sent with the keys of postableAlert in Alertmanager's API v2, as literal text: labels,
// annotations and generatorURL are strings, and times are in RFC 3339.
func TestAlertJSON(t *testing.T) {
	var got []byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var err error
		if got, err = io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	alerts := report().Alerts()
	alerts[0].EndsAt = alerts[0].StartsAt.Add(time.Hour)
	alerts[0].GeneratorURL = "http://whet:8080/?service=shop"
	if err := Send(t.Context(), nil, s.URL, append(alerts, report().Alerts()[0])); err != nil {
		t.Fatal(err)
	}
	const alert = `{"labels":{"alertname":"WhetRegression","cause":"deploy","function":"shop.Price","kind":"cpu",` +
		`"service":"shop","severity":"warning","version":"v2"},"annotations":{"commit_01":"0123456789ab shop: sort twice",` +
		`"description":"change 0.050% (95% interval 0.040% to 0.060%), adjusted p 1e-06","previous_version":"v1",` +
		`"summary":"shop.Price of shop: 1.050% of the cost, was 1.000%"},"startsAt":"2026-05-04T00:00:00Z"`
	want := "[" + alert +
		`,"endsAt":"2026-05-04T01:00:00Z","generatorURL":"http://whet:8080/?service=shop"},` + alert + "}]"
	if string(got) != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

// TestAnnotate lists commits of a repository and joins a line that moved.
func TestAnnotate(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command("git", append([]string{
			"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false",
		}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(text, subject string) string {
		if err := os.MkdirAll(filepath.Join(dir, "shop"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "shop", "price.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", ".")
		run("commit", "-q", "-m", subject)
		return run("rev-parse", "HEAD")
	}
	run("init", "-q")
	a := commit("package shop\n\n\tsort(x)\n", "first")
	run("tag", "v1")
	commit("package shop\n\n\tsort(x)\n\ty()\n", "second")
	b := commit("package shop\n\n// moved\n\n\tsort(x)\n", "third")

	r := report()
	c := &r.Regressions[0]
	c.File = "/build/shop/price.go"
	d := c.Deploy
	d.Commits, d.Before, d.After = nil, "v1", "v1.0.0-2-g"+b[:8]
	c.Lines = []LineChange{
		{LineAfter: 5, Effect: Effect{After: 0.0105, Change: 0.0105}},
		{LineBefore: 3, Effect: Effect{Before: 0.01, Change: -0.01}},
	}
	r.Services = []Service{{Name: "shop", Deploys: []Deploy{*d}}}
	c.Deploy = &r.Services[0].Deploys[0]
	if err := r.Annotate(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	if got := c.Deploy.Commits; len(got) != 2 || got[0].Subject != "third" || got[1].Subject != "second" ||
		got[0].Hash != b {
		t.Errorf("%+v", got)
	}
	if len(c.Lines) != 1 || c.Lines[0].Code != "sort(x)" || c.Lines[0].LineBefore != 3 || c.Lines[0].LineAfter != 5 ||
		math.Abs(c.Lines[0].Change-0.0005) > 1e-12 {
		t.Errorf("%+v", c.Lines)
	}
	for version, want := range map[string]string{
		a: a, "v1": a, "v2": "", "--all": "", "HEAD^{/x}": "", "v0.0.0-20260504000000-" + a[:12]: a,
	} {
		if got := resolve(context.Background(), dir, version); got != want {
			t.Errorf("%s is %q, want %q", version, got, want)
		}
	}
	r.Services[0].Deploys[0].After = "v9"
	r.Warnings = nil
	if err := r.Annotate(context.Background(), dir); err != nil || len(r.Warnings) != 1 {
		t.Errorf("%v, %v", r.Warnings, err)
	}
	if err := r.Annotate(context.Background(), t.TempDir()); err == nil {
		t.Error("a directory that is not a repository")
	}
}
