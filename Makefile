# make demo    build whet and the bundled slow service, record it, show what costs
# make check   what to run before a commit: vet, lint and the tests in short mode, with the slowest tests
# make test    vet, lint, all tests, with the race detector where memory is shared, and the examples
# make fuzz    each fuzz target for a few seconds
# make next    vet with the next Go release, which users have before go.mod asks for it, and short tests of what reads
#              profiles, traces, programs or the compiler's notes
# make next-all  vet, and short tests of all packages, with the next Go release
# make race-all  the tests of all other packages with the race detector, in short mode, and some on ClickHouse
# make platforms vet and build for Linux, macOS and Windows on amd64 and arm64, with this Go release and the next
# make download what the others need from the network, with retries
# make vuln    govulncheck: known vulnerabilities in the code that whet calls (needs vuln.go.dev)
# make release binaries, archives, packages, SBOMs and checksums of the tag of HEAD, into dist
# make release-check     a trial of it, made twice in different directories, which must be equal byte by byte
# make hostile run every command on hostile files and servers, with bounds of memory and time (Linux)
# make hostile-sample   one in eighteen of its probes, the same each time, which CI runs
# make lint    vet, golangci-lint and the rules of internal/lint
# make goldens rewrite golden and generated files from the root: then read the diff
# make fmt     format the Go code
# make ui      rebuild and test the web UI (needs Node; the result is committed)
# make bench-profile   the profile engine and whole programs against go tool pprof
# make bench-power     how often whet bench is right next to a noisy neighbor, for docs/measured/power.md (1 to 2 hours)
# make bench-layout    how often a change that only moves code is reported, as it is and with varied layouts (10 minutes)
# make bench-diff      how often whet diff is right about a request, into docs/measured/diff-pairs.md (15 minutes)
# make bench-capture   costs of copying arguments, and mutants that they notice, into docs/measured/capture.md (2 hours)
# make bench-predict   gains predicted from captured and generated inputs, into docs/measured/capture-gain.md (an hour)
# make bench-find      whet find on a module of 100 000 lines, with cold and warm caches
# make bench-regexp    code written for the regular expressions of public modules against package regexp (2 minutes)
# make exhaustive      the same code on all of RE2's exhaustive tests, from Go's source tree (10 minutes)
# make bench-load      the load generator against wrk, h2load, oha, hey and ab, where installed, into docs/measured/load-rates.md
# make collector   the OpenTelemetry collector between a client and whet serve (needs the module proxy)
# make kills   whet serve and ClickHouse are killed 50 times while clients send: what was acknowledged is stored once (10 minutes)
# make bench-store     the store of profiles in a directory and on ClickHouse, into docs/measured/store*.md (30 minutes; needs Python and PyPI)
# make bench-regressions   how many regressions of generated fleets are found, into docs/measured/regressions.md (10 minutes)
# make bench-ui        the pages of whet ui in Chromium next to go tool pprof -http and speedscope, into docs/measured/ui.md (needs Node and npm; 5 minutes)
# make bench-trace     whet trace against go tool trace and a bare reader (WHET_TRACE_BIG=1: also on 1 GB)
# make manifests   the Kubernetes manifests of docs/kubernetes against the schemas, with kubeconform (needs Python, PyPI and the module proxy)
# make mcp-python    whet mcp with the official Python SDK, without proofs that measure (needs Python and PyPI; 2 minutes)
# make mcp-clients   whet mcp with clients that others wrote, into docs/measured/mcp-clients.md (needs Python, Node, PyPI and npm; 5 minutes)
# make watch-incidents   how often whet watch names the request that was slow, in 40 incidents
# make cases   measure the articles' cases and write docs/measured/cases (45 minutes; a trial: CASES_TIME=2s CASES_DIR=cases.tmp)
# make published   whet fix against the authors of the articles' services, into docs/measured/published.md (90 minutes, continues where it was ended; needs the module proxy)
# make precision   how often whet find is right on forty modules, into docs/measured/precision.md (needs the module proxy; 45 minutes, goes on where it was ended)
# make servers     what whet says about popular servers after nine seconds, into docs/measured/servers.md (needs the module proxy; 10 minutes for each, goes on where it was ended)
# make reach         how many hot lines of seven modules get a candidate, into docs/measured/reach.md (needs the module proxy; 45 minutes)
# make prove-power   how often whet prove is right on changes whose effect is known, into docs/measured/prove-power.md (needs the module proxy; hours, continues where it was ended)
#
# Needs Go; `make test` takes its tools from the module proxy, in pinned versions.

GO      ?= go
BIN     := $(CURDIR)/.bin
SHELL   := bash
# What downloads is run again when it fails: the network is not what is tested.
RETRY   := retry() { for wait in 5 20 60; do "$$@" && return; echo "$$1 failed: again in $$wait s" >&2; sleep $$wait; done; "$$@"; }; retry
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GOLANGCI_LINT := v2.15.0
GOFUMPT       := v0.12.0
GOTESTSUM     := v1.13.0
GOVULNCHECK   := v1.9.0
KUBECONFORM   := v0.8.0
# The Python package with the schemas of this version of Kubernetes.
KUBERNETES    := 1.37.0
# The newest nfpm whose dependencies the module proxy has.
NFPM          := v2.44.0

# $(call test,FLAGS,PACKAGES) is go test. With RERUN=1, as in CI, a test that fails is run again, at most twice, unless
# more than ten fail: a shared machine may stand still for seconds. What failed is printed in any case.
RERUN ?=
test = $(if $(RERUN),$(BIN)/gotestsum --format pkgname --format-hide-empty-pkg --hide-summary=skipped \
	--rerun-fails=2 --rerun-fails-run-root-test --packages="$(2)" -- $(1),$(GO) test $(1) $(2))

# Lists all packages, first those whose tests take longest: two packages are tested at the same time, and none of
# them should be left alone at the end.
LONG_FIRST = { $(GO) list ./internal/prove/differ ./prove ./internal/cli ./fix ./internal/mcp; $(GO) list ./...; } | awk '!seen[$$0]++'

# How long each target is fuzzed.
FUZZTIME ?= 2s

# The newest Go release. Releases of whet are built with it: a type checker knows no newer Go than its own.
NEXT := go1.27.4

# Packages that share memory between goroutines: their tests run with the race
# detector, which makes others only slow.
RACE := ./agent/... ./collect/... ./internal/collect/... ./load/... ./internal/load/... ./profile/... ./recording/...

# Tests of those packages that measure memory, or use one goroutine and take the detector minutes.
ALONE := ^(TestReadDeep|TestReadHostile|TestWriteKeepsEverything|TestTreeEqualsNaiveTree|TestFloodStreams|TestEndlessAnswers|TestDrip|TestHeaderBombs)$$

# Tests on ClickHouse, where there is one, in which goroutines share memory.
SHARED := ^TestServer$$/^(Store|LostAnswer)$$/^(Concurrent|LeasesAtOnce|MergeEqualsProfiles)$$

.PHONY: help exhaustive download demo build check test next next-all vet lint unit race race-all collector kills platforms vuln release release-check nfpm fuzz hostile hostile-sample layout examples goldens fmt ui bench-profile bench-capture bench-diff bench-find bench-layout bench-load bench-power bench-predict bench-regexp bench-regressions bench-store bench-trace bench-ui manifests mcp-clients mcp-python watch-incidents cases published precision servers prove-power reach recall tools clean

help:
	@sed -n 's/^# \(make \)/\1/p' Makefile

# --- demo ---------------------------------------------------------------

DEMO_TIME ?= 8s
DEMO_ADDR ?= 127.0.0.1:18080
DEMO_LOAD := http://$(DEMO_ADDR)/v1/leftpad/?str=test&len=50&chr=*

build:
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -o $(BIN)/whet ./cmd/whet

demo: build
	cd examples/leftpad && CGO_ENABLED=0 $(GO) build -o $(BIN)/leftpad .
	rm -f $(BIN)/leftpad.log
	$(BIN)/whet record -o demo.whet -d $(DEMO_TIME) --load '$(DEMO_LOAD)' -- $(BIN)/leftpad -addr $(DEMO_ADDR) -pprof 127.0.0.1:0 -log $(BIN)/leftpad.log
	$(BIN)/whet top -n 20 demo.whet
	$(BIN)/whet top -n 20 --type alloc_space demo.whet

# --- test ---------------------------------------------------------------

test: lint unit race examples

# Under a minute on two idle cores when nothing has changed; what took longest is printed.
check: lint
	@mkdir -p $(BIN)
	$(GO) test -short $$($(GO) list ./... | grep -v -e /internal/hostile/suite -e '/internal/lint$$') | tee $(BIN)/check.log | awk '!/^ok/ && !/no test files/'
	@echo 'took longest:'; awk '/^ok/ && $$3 != "(cached)" { print $$3, $$2 }' $(BIN)/check.log | sort -rn | awk 'NR <= 10'

vet:
	$(GO) vet ./...

lint: vet tools layout
	$(BIN)/golangci-lint run ./...

layout:
	$(GO) test -count=1 ./internal/lint

unit: tools
	packages=$$($(LONG_FIRST) | grep -v /internal/hostile/suite | grep -vxF "$$($(GO) list $(RACE))"); \
	$(call test,-timeout 60m,$$packages)

# Short tests: what takes long is whole proofs, which differ little between releases. That both versions of a package
# are compared in one program depends on the runtime, so the traps are all called.
next: tools
	GOTOOLCHAIN=$(NEXT) $(GO) vet ./...
	packages=$$($(GO) list $(NEXT_TESTS) | grep -v -e /internal/lint -e /internal/hostile/suite); \
	export GOTOOLCHAIN=$(NEXT); $(call test,-short -timeout 30m,$$packages); \
	$(call test,-timeout 30m -run TestTraps,./internal/prove/differ)

# Packages that read what a release may write in another way: profiles, traces, programs, notes of the compiler, output
# of the go command and syntax trees.
NEXT_TESTS ?= ./agent/... ./bench/gotest ./collect/... ./internal/capture/... ./internal/collect/... ./internal/goruntime \
	./internal/trace/... ./pgo ./profile/... ./recording/... ./source/... ./trace/...

next-all:
	$(MAKE) next NEXT_TESTS=./...

# The race detector needs a C compiler; without one the tests run as they are.
race: tools
	@flag=-race; \
	if ! command -v "$$($(GO) env CC)" >/dev/null; then flag=; echo 'no C compiler: tests run without the race detector' >&2; fi; \
	set -x; $(call test,$$flag -timeout 60m -skip '$(ALONE)',$(RACE)); \
	$(call test,-timeout 20m -run '$(ALONE)',./profile ./load); \
	$(call test,$$flag -timeout 20m -run 'Scan|Records',./trace/index); \
	$(call test,$$flag -timeout 20m -run Concurrent,./internal/graphviz) # the rest of it compiles, which the detector makes very slow

# Short mode, and several packages at once: each of them waits a lot. Where there is ClickHouse, also tests on it.
race-all:
	@if ! command -v "$$($(GO) env CC)" >/dev/null; then echo 'race-all: skipped, there is no C compiler' >&2; exit 0; fi; \
	set -x; $(GO) test -race -short -timeout 60m $$($(GO) list ./... | grep -v -e /internal/hostile/suite -e /internal/lint -e /internal/graphviz | grep -vxF "$$($(GO) list $(RACE))"); \
	$(GO) test -race -timeout 20m -run '$(SHARED)' ./store/clickhouse

# A separate module, since the collector has more dependencies than whet.
collector: tools
	cd internal/server/ingest/collector && $(GO) vet ./... && $(call test,-count=1 -timeout 20m,./...)

# `make test` kills 8 times.
kills:
	WHET_KILLS=50 WHET_CLICKHOUSE_DOWNLOAD=1 $(GO) test -count=1 -v -timeout 30m -run 'TestKilled(Serve|ClickHouse)$$' ./internal/cli
	$(GO) test -count=1 -v -run 'TestKill$$' ./store/local ./internal/scrape/spool ./internal/scrape/buffer

# PLATFORMS are GO/OS/ARCH, where GO is local or a toolchain. vet type-checks tests, too; the build links what vet does
# not. Not with -N -l: without optimization, system calls exceed the stack of nosplit functions on arm64.
PLATFORMS ?= $(foreach go,local $(NEXT),$(foreach os,linux darwin windows,$(foreach arch,amd64 arm64,$(go)/$(os)/$(arch))))

platforms:
	@for one in $(PLATFORMS); do IFS=/ read -r go os arch <<<"$$one"; \
		echo "vet and build $$go $$os/$$arch"; \
		export GOTOOLCHAIN=$$go GOOS=$$os GOARCH=$$arch CGO_ENABLED=0; \
		$(GO) vet ./... && $(GO) build -o /dev/null ./cmd/whet || exit 1; \
	done

# One target at a time: go test takes no more. When the time is up while a worker is asked for something, go
# test takes that for a failure without an input: then the target runs again.
fuzz:
	@mkdir -p $(BIN)
	@run() { $(GO) test -run '^$$' -fuzz "^$$2\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$1" >$(BIN)/fuzz.log 2>&1 </dev/null; }; \
	late() { grep -q '^ *context deadline exceeded$$' $(BIN)/fuzz.log && ! grep -q 'Failing input' $(BIN)/fuzz.log; }; \
	part="$${WHET_PART:-1/1}"; \
	in_part() { set -- $$(cksum <<<"$$1"); [ $$(($$1 % $${part#*/} + 1)) = "$${part%/*}" ]; }; \
	$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ { names[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, names[i]; n = 0 }' \
	| while read -r pkg name; do \
		in_part "$$pkg" || continue; \
		echo "fuzz $$pkg $$name"; \
		for try in 1 2 3 4 5; do \
			if run "$$pkg" "$$name"; then break; fi; \
			if [ $$try = 5 ] || ! late; then cat $(BIN)/fuzz.log; exit 1; fi; \
		done; \
	done

# Each command is a process of its own, whose peak memory and CPU time are measured.
hostile:
	$(GO) test -count=1 -timeout 60m ./internal/hostile/suite

hostile-sample: tools
	$(call test,-short -count=1 -timeout 20m,./internal/hostile/suite)

# Examples are modules of their own, as users' services are. Each is slow, and fast with -tags fast.
examples: tools
	@for mod in examples/*/go.mod; do \
		for tags in '' fast; do \
			(cd "$$(dirname $$mod)" && set -x && $(GO) vet -tags "$$tags" ./... && $(call test,-tags "$$tags",./...)); \
		done; \
	done
	@for mod in examples/published/*/*/go.mod; do \
		(cd "$$(dirname $$mod)" && set -x && $(GO) build -o $(BIN)/published/build/ ./... && $(call test,-vet=off,./...)); \
	done # with all that vet finds in them

# Packages whose tests have the flag -update, which go test refuses for others.
goldens:
	$(GO) test -timeout 20m $$($(GO) list -test -f '{{range .Deps}}{{if eq . "github.com/whet-go/whet/internal/golden"}}{{$$.ImportPath}}{{"\n"}}{{end}}{{end}}' ./... | sed -n 's/\.test$$//p') -update

# --- tools --------------------------------------------------------------

# The modules that builds and tests need, also those for other systems, and the next Go release: the go command
# downloads each of them once, and gives up.
download: tools
	@for os in linux darwin windows; do export GOOS=$$os; $(RETRY) $(GO) list -deps -test ./... >/dev/null; done
	@export GOTOOLCHAIN=$(NEXT); $(RETRY) $(GO) version

tools:
	@mkdir -p $(BIN)
	@$(BIN)/golangci-lint version 2>/dev/null | grep -qF ' $(GOLANGCI_LINT:v%=%) ' || \
		{ export GOBIN=$(BIN); $(RETRY) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT); }
	@$(GO) version -m $(BIN)/gotestsum 2>/dev/null | grep -qF '$(GOTESTSUM)' || \
		{ export GOBIN=$(BIN); $(RETRY) $(GO) install gotest.tools/gotestsum@$(GOTESTSUM); }
	@$(GO) version -m $(BIN)/gofumpt 2>/dev/null | grep -qF '$(GOFUMPT)' || \
		{ export GOBIN=$(BIN); $(RETRY) $(GO) install mvdan.cc/gofumpt@$(GOFUMPT); }

fmt: tools
	$(BIN)/golangci-lint fmt ./...

# --- release ------------------------------------------------------------

# The database is on the network. Without it nothing can be said, which is not a success of the check: it says so.
vuln:
	@mkdir -p $(BIN)
	@$(GO) version -m $(BIN)/govulncheck 2>/dev/null | grep -qF '$(GOVULNCHECK)' || \
		{ export GOTOOLCHAIN=$(NEXT) GOBIN=$(BIN); $(RETRY) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK); }
	@if ! curl -fsS -m 20 -o /dev/null $(VULNDB)/index/db.json; then \
		echo 'vuln: skipped, not checked: $(VULNDB) cannot be reached' >&2; exit 0; fi; \
	set -x; GOTOOLCHAIN=$(NEXT) $(BIN)/govulncheck -db $(VULNDB) ./...

VULNDB ?= https://vuln.go.dev

nfpm:
	@mkdir -p $(BIN)
	@$(GO) version -m $(BIN)/nfpm 2>/dev/null | grep -qF '$(NFPM)' || \
		{ export GOTOOLCHAIN=$(NEXT) GOBIN=$(BIN); $(RETRY) $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM); }

release: nfpm
	GOTOOLCHAIN=$(NEXT) $(GO) run ./internal/release -nfpm $(BIN)/nfpm

# TRIAL is the version that a commit without a tag gets.
TRIAL ?= v0.0.0-trial

release-check: nfpm
	rm -rf $(BIN)/dist
	GOTOOLCHAIN=$(NEXT) $(GO) run ./internal/release -nfpm $(BIN)/nfpm -trial $(TRIAL) -check -o $(BIN)/dist
	cd $(BIN)/dist && sha256sum --quiet -c SHA256SUMS
	if command -v dpkg-deb >/dev/null; then \
		dpkg-deb --info $(BIN)/dist/whet_$(TRIAL:v%=%)_amd64.deb; rm -rf $(BIN)/deb; \
		dpkg-deb --extract $(BIN)/dist/whet_$(TRIAL:v%=%)_amd64.deb $(BIN)/deb; \
		if [ "$$($(GO) env GOHOSTOS)/$$($(GO) env GOHOSTARCH)" = linux/amd64 ]; then $(BIN)/deb/usr/bin/whet --version | grep -F '$(TRIAL)'; fi; \
	fi

# --- web UI -------------------------------------------------------------

ui:
	cd ui && $(RETRY) npm ci --no-audit --no-fund
	cd ui && npm run typecheck && npm test && npm run build
	git diff --exit-code -- ui/dist
	$(GO) test -count=1 -timeout 40m -run 'Journey' -v ./internal/report/... ./internal/server/...

# --- measurements -------------------------------------------------------

# On an otherwise idle machine.
bench-profile:
	$(GO) test -run '^$$' -bench . -benchmem ./profile
	$(GO) test -run '^$$' -bench 'Top|Picture' -benchtime 3x -timeout 60m ./internal/peers

# The module is whet itself, in a profile that has all its lines.
bench-find:
	$(GO) test -run '^$$' -bench Find -benchtime 1x -timeout 30m ./find

# The peer has the methods of package regexp; it comes from the module proxy.
bench-regexp:
	WHET_BENCH_REGEXP=1 WHET_REGEXP_PEER=github.com/grafana/regexp@v0.0.0-20250905101755-5eb4f3acbf71 \
		$(GO) test -count=1 -v -run 'TestBench$$' ./internal/find/regexpcode

exhaustive:
	WHET_EXHAUSTIVE=1 $(GO) test -count=1 -v -timeout 60m -run 'Exhaustive$$' ./internal/find/regexpcode

# On two processors that are idle otherwise: the generators get one, the server the
# other. Debian has wrk, hey, ab (apache2-utils) and h2load (nghttp2-client).
# Twenty minutes in all. WHET_LOAD_ROUNDS and WHET_LOAD_TIME make it shorter.
bench-load:
	WHET_LOAD_PAGE=$(CURDIR)/docs/measured/load-rates.md $(GO) test -run '^$$' -bench 'LoadRates' -benchtime 1x -timeout 60m ./internal/peers
	$(GO) test -run '^$$' -bench 'Load(Connections|Memory|Send)' -benchtime 3x -timeout 60m ./internal/peers
	$(GO) test -run '^$$' -bench 'LoadStall' -benchtime 1x -timeout 60m ./internal/peers
	$(GO) test -run '^$$' -bench . -benchtime 0.3s -benchmem ./load/... ./internal/load/...

# The traces are of a server under load, and are used again: 10 M events, and with WHET_TRACE_BIG=1 also 1 GB,
# of some 200 M events, which takes three minutes to make.
WHET_TRACE_BIG ?=

watch-incidents:
	WHET_INCIDENTS=40 $(GO) test -count=1 -v -run 'TestIncidents$$' ./internal/collect/watch

bench-store:
	WHET_STORE_PAGE=$(CURDIR)/docs/measured/store.md GOGC=40 $(GO) test -run '^$$' -bench BenchmarkStore -benchtime 1x \
		-timeout 60m ./store/local
	WHET_CLICKHOUSE_DOWNLOAD=1 WHET_STORE_CLICKHOUSE_PAGE=$(CURDIR)/docs/measured/store-clickhouse.md GOGC=40 \
		$(GO) test -run '^$$' -bench BenchmarkStore -benchtime 1x -timeout 60m ./store/clickhouse

bench-regressions:
	WHET_REGRESSIONS_PAGE=$(CURDIR)/docs/measured/regressions.md $(GO) test -run '^$$' -bench BenchmarkFleets -benchtime 1x \
		-timeout 60m ./store/regressions

# Needs Chromium, and npm ci in ui.
SPEEDSCOPE := 1.25.0

bench-ui:
	@mkdir -p $(BIN)
	@test -s $(BIN)/10M.trace || $(GO) run ./internal/bigtrace -events 10000000 -o $(BIN)/10M.trace
	npm install --no-audit --no-fund --prefix $(BIN)/speedscope speedscope@$(SPEEDSCOPE)
	WHET_UI_PAGE=$(CURDIR)/docs/measured/ui.md WHET_UI_SPEEDSCOPE=$(BIN)/speedscope/node_modules/speedscope/dist/release \
		WHET_BENCH_TRACE=$(BIN)/10M.trace $(GO) test -run '^$$' -bench 'UI$$' -benchtime 1x -timeout 60m -v ./internal/peers

bench-trace:
	@mkdir -p $(BIN)
	@test -s $(BIN)/10M.trace || $(GO) run ./internal/bigtrace -events 10000000 -o $(BIN)/10M.trace
	WHET_BENCH_TRACE=$(BIN)/10M.trace $(GO) test -run '^$$' -bench 'Trace' -benchtime 5x -timeout 60m ./internal/peers
	WHET_BENCH_TRACE=$(BIN)/10M.trace $(GO) test -run '^$$' -bench 'Timeline' -timeout 60m ./trace/...
ifneq ($(WHET_TRACE_BIG),)
	@test -s $(BIN)/1GB.trace || $(GO) run ./internal/bigtrace -size 1GB -o $(BIN)/1GB.trace
	WHET_BENCH_TRACE=$(BIN)/1GB.trace $(GO) test -run '^$$' -bench 'Trace' -benchtime 3x -timeout 60m ./internal/peers
	WHET_BENCH_TRACE=$(BIN)/1GB.trace $(GO) test -run '^$$' -bench 'Timeline' -timeout 60m ./trace/...
endif

# CASES are names of studies (internal/cases/list.go), all by default; CASES_STEPS is a regular expression of
# steps to measure again, of results that are there.
CASES      ?=
CASES_DIR  ?= docs/measured/cases
CASES_TIME ?= 12s

cases: build
	$(GO) run ./internal/cases -whet $(BIN)/whet -dir $(CASES_DIR) -time $(CASES_TIME) -steps '$(CASES_STEPS)' $(CASES)

# PUBLISHED are names of services (internal/cases/publishedlist.go) to measure anew; by default all, those of a run that
# was ended from where it was. PUBLISHED_FIX is how long whet fix measures each rewrite; six times as long under load.
PUBLISHED      ?=
PUBLISHED_FIX  ?= 20s
PUBLISHED_FUZZ ?= 5s

published: build
	$(GO) run ./internal/cases -published -whet $(BIN)/whet -dir $(CASES_DIR) -time $(CASES_TIME) -fix-time $(PUBLISHED_FIX) -fuzz-time $(PUBLISHED_FUZZ) $(PUBLISHED)

# PRECISION are names of modules (internal/precision/modules.go), which are measured again; by default those
# that have no results. WHET_PRECISION_TIME is what a rewrite gets on average.
PRECISION           ?=
WHET_PRECISION_TIME ?= 100s

precision: build
	$(GO) run ./internal/precision -whet $(BIN)/whet -work $(BIN)/precision -time $(WHET_PRECISION_TIME) $(PRECISION)

# SERVERS are names of servers (internal/servers/servers.go), which are measured again; by default those that have no
# results. SERVERS_TIME is the time to prove the changes of each.
SERVERS      ?=
SERVERS_TIME ?= 5m

servers: build
	$(GO) run ./internal/servers -whet $(BIN)/whet -work $(BIN)/servers -time $(SERVERS_TIME) $(SERVERS)

# REACH_BUDGET is the time in which the candidates of a module are tried.
REACH_BUDGET ?= 4m

reach: build
	$(GO) run ./internal/precision -whet $(BIN)/whet -work $(BIN)/precision -reach $(REACH_BUDGET)

# RECALL are flags of internal/recall: -cases REGEXP measures some cases, -held also those that are held back, -for 1h
# begins none after an hour, and -verify only checks that each case is one.
RECALL ?=

recall: build
	$(GO) build -o $(BIN)/power-cases ./internal/power
	$(GO) run ./internal/recall -whet $(BIN)/whet -power $(BIN)/power-cases -work $(BIN)/recall -modules $(BIN)/power $(RECALL)

# POWER are flags of internal/power: -held also runs the cases that are held back, -cases REGEXP and -again run cases again.
POWER ?=

prove-power:
	$(GO) run ./internal/power -work $(BIN)/power $(POWER)

# WHET_POWER_SAME, WHET_POWER_PLANTED and WHET_POWER_TIME make it shorter.
bench-power:
	$(GO) test -run '^$$' -bench 'Power' -benchtime 1x -timeout 4h -v ./internal/peers

# WHET_LAYOUT_CHANGES and WHET_LAYOUT_TIME make it shorter.
bench-layout:
	$(GO) test -run '^$$' -bench 'Layout' -benchtime 1x -timeout 1h -v ./internal/peers

# The versions are pinned, since both change their interfaces.
MCP_PYTHON    := 2.3.0
MCP_INSPECTOR := 2.12.0

# Kubernetes' schemas come from PyPI: kubeconform's default place is not a package registry.
manifests:
	@mkdir -p $(BIN)/schemas
	@$(GO) version -m $(BIN)/kubeconform 2>/dev/null | grep -qF '$(KUBECONFORM)' || \
		{ export GOBIN=$(BIN); $(RETRY) $(GO) install github.com/yannh/kubeconform/cmd/kubeconform@$(KUBECONFORM); }
	@ls $(BIN)/schemas/kubernetes_validate-$(KUBERNETES)-*.whl >/dev/null 2>&1 || \
		{ $(RETRY) python3 -m pip download -q --no-deps -d $(BIN)/schemas kubernetes-validate==$(KUBERNETES); }
	python3 docs/kubernetes/schemas.py $(BIN)/schemas/kubernetes_validate-$(KUBERNETES)-*.whl $(KUBERNETES) $(BIN)/schemas \
		$$(sed -n 's/^kind: //p' docs/kubernetes/whet.yaml | tr A-Z a-z | sort -u)
	$(BIN)/kubeconform -strict -summary -schema-location '$(BIN)/schemas/{{.ResourceKind}}{{.KindSuffix}}.json' \
		docs/kubernetes/*.yaml

# A venv needs ensurepip, which Debian has in a package of its own (python3-venv): pip's --target does not.
.PHONY: mcp-sdk
mcp-sdk:
	@mkdir -p $(BIN)
	@ls -d $(BIN)/mcp-python/mcp-$(MCP_PYTHON).dist-info >/dev/null 2>&1 || \
		{ $(RETRY) python3 -m pip install --quiet --upgrade --target $(BIN)/mcp-python mcp==$(MCP_PYTHON); }

mcp-python: mcp-sdk
	PYTHONPATH=$(BIN)/mcp-python WHET_MCP_PYTHON=python3 WHET_MCP_SHORT=1 $(GO) test -count=1 -timeout 10m -run TestPython ./internal/mcp

mcp-clients: mcp-sdk
	@$(RETRY) npm install --no-audit --no-fund --silent --prefix $(BIN)/mcp-inspector @modelcontextprotocol/inspector@$(MCP_INSPECTOR)
	printf '# Clients of whet mcp\n\nWhat clients that others wrote printed, and how soon a canceled call has left nothing behind.\n`make mcp-clients` runs all of it again.\n' >docs/measured/mcp-clients.md
	WHET_MCP_PAGE=$(CURDIR)/docs/measured/mcp-clients.md PYTHONPATH=$(BIN)/mcp-python WHET_MCP_PYTHON=python3 \
	WHET_MCP_INSPECTOR=$(BIN)/mcp-inspector/node_modules/.bin/mcp-inspector \
	$(GO) test -count=1 -timeout 20m -v -run 'TestPython|TestInspector' ./internal/mcp
	WHET_MCP_PAGE=$(CURDIR)/docs/measured/mcp-clients.md $(GO) test -count=1 -v -run '^TestCancel$$' ./internal/mcp

# Both recordings of a pair share the machine, so it need not be idle. WHET_DIFF_PAIRS and WHET_DIFF_TIME make it shorter.
bench-diff:
	WHET_DIFF_PAGE=$(CURDIR)/docs/measured/diff-pairs.md $(GO) test -run '^$$' -bench 'DiffPairs' -benchtime 1x -timeout 60m -v ./internal/peers

# On a quiet machine. WHET_CAPTURE_TIME makes each comparison shorter. CAPTURE is what is measured: some of Overhead, Share
# and Kills, with | between them. CAPTURE_SERVICE is a service, all of them by default. Other rows of the page stay.
CAPTURE         ?= Overhead|Share|Kills
CAPTURE_SERVICE ?= .

bench-capture:
	$(GO) test -run '^$$' -bench 'Gate|Copy' ./internal/capture/support
	$(GO) test -run '^$$' -bench 'Share' -benchtime 100x -count 6 ./internal/capture/support
	WHET_CAPTURE_COSTS=$(CURDIR)/docs/measured/capture.md \
		$(GO) test -run '^$$' -bench 'Capture($(CAPTURE))$$/$(CAPTURE_SERVICE)' -benchtime 1x -timeout 3h -v ./internal/peers

# On a quiet machine: services are compared under load.
bench-predict:
	WHET_CAPTURE_GAINS=$(CURDIR)/docs/measured/capture-gain.md \
		$(GO) test -run '^$$' -bench 'CaptureGain/$(CAPTURE_SERVICE)' -benchtime 1x -timeout 3h -v ./internal/peers

clean:
	rm -rf $(BIN)/whet $(BIN)/*-slow $(BIN)/*-fast $(BIN)/leftpad $(BIN)/fuzz.log demo.whet
