package main

// studies returns all pages, in the order of the articles.
func studies() []study {
	return []study{leftpad(), renderedPage(), hash(), tags(), micro(), leak(), spin()}
}

// Units of the comparisons.
const (
	secOp    = "sec/op"
	bytesOp  = "B/op"
	allocsOp = "allocs/op"
	rate     = "req/s"
	cpuReq   = "cpu-sec/req"
)

const (
	ns = 1e-9
	ms = 1e-3
)

func leftpad() study {
	const target = "http://{addr}/v1/leftpad/?str=test&len=50&chr=*"
	service := func(version string) string {
		return ".bin/leftpad-" + version + " -addr {addr} -statsd {sink} -pprof 127.0.0.1:0"
	}
	s := study{
		name: "leftpad", title: "A service that pads texts", services: true,
		steps: []step{
			{
				name: "leftpad",
				record: []string{
					"-d", "8s", "--load", target,
					"--", ".bin/leftpad-slow", "-addr", "{addr}", "-statsd", "{sink}", "-pprof", "127.0.0.1:0",
				},
			},
			{name: "top", show: []string{"top", "-n", "6", "leftpad.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
			{name: "service", service: []string{service("slow"), service("fast"), "--load", target, "-c", "8"}},
			{name: "fix", fix: []string{"--review"}},
			{name: "service-fixed", service: []string{service("slow"), service("fixed"), "--load", target, "-c", "8"}},
		},
		theirs: []quote{{"service", "", rate, 22810.15, 32619.54}},
		headline: []headline{
			{point{"benchmarks", "StatsD", secOp}, "a metric, in time"},
			{point{"benchmarks", "Leftpad50", secOp}, "padding to 50 characters, in time"},
			{point{"benchmarks", "TimedHandler", secOp}, "timing and counting a request, in time"},
			{point{"benchmarks", "LeftpadHandler", secOp}, "the handler, in time"},
			{point{"service", "", cpuReq}, "the service, in CPU time per request"},
			{point{"service", "", rate}, "the service, in requests a second"},
			{point{"fix", "StatsD", secOp}, "by `whet fix`: a metric, in time"},
			{point{"fix", "Leftpad50", secOp}, "by `whet fix`: padding to 50 characters, in time"},
			{point{"fix", "TimedHandler", secOp}, "by `whet fix`: timing and counting a request, in time"},
			{point{"fix", "LeftpadHandler", secOp}, "by `whet fix`: the handler, in time"},
		},
	}
	for _, b := range []struct {
		name           string
		time           [2]float64 // in nanoseconds
		bytes, objects [2]float64
	}{
		{"TimedHandler", [2]float64{6511, 1181}, [2]float64{1621, 448}, [2]float64{41, 5}},
		{"LeftpadHandler", [2]float64{10546, 3337}, [2]float64{3297, 1416}, [2]float64{75, 18}},
		{"Leftpad10", [2]float64{339, 136}, [2]float64{64, 24}, [2]float64{6, 3}},
		{"Leftpad50", [2]float64{3079, 201}, [2]float64{1568, 160}, [2]float64{46, 3}},
		{"StatsD", [2]float64{1516, 381}, [2]float64{560, 112}, [2]float64{15, 1}},
	} {
		s.theirs = append(s.theirs,
			quote{"benchmarks", b.name, secOp, b.time[0] * ns, b.time[1] * ns},
			quote{"benchmarks", b.name, bytesOp, b.bytes[0], b.bytes[1]},
			quote{"benchmarks", b.name, allocsOp, b.objects[0], b.objects[1]},
		)
	}
	return s
}

func renderedPage() study {
	return study{
		name: "page", title: "A page rendered for each request", services: true,
		steps: []step{
			{
				name: "page",
				record: []string{
					"-d", "8s", "--load", "http://{addr}/", "--", ".bin/page-slow", "-addr", "{addr}",
					"-pprof", "127.0.0.1:0",
				},
			},
			{name: "top", show: []string{"top", "-n", "4", "page.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
			{name: "service", service: []string{
				".bin/page-slow -addr {addr} -pprof 127.0.0.1:0", ".bin/page-fast -addr {addr} -pprof 127.0.0.1:0", "--load",
				"http://{addr}/", "-c", "10",
			}},
			{name: "fix", fix: []string{"--review", "--max-time", "8s"}},
			{name: "service-fixed", service: []string{
				".bin/page-slow -addr {addr} -pprof 127.0.0.1:0", ".bin/page-fixed -addr {addr} -pprof 127.0.0.1:0", "--load",
				"http://{addr}/", "-c", "10",
			}},
		},
		theirs: []quote{{"service", "", rate, 14.13, 638.38}},
		headline: []headline{
			{point{"benchmarks", "Page", secOp}, "a page requested before, in time"},
			{point{"benchmarks", "PageStrangers", secOp}, "a page never requested again, in time"},
			{point{"service", "", cpuReq}, "the service, in CPU time per request"},
			{point{"service", "", rate}, "the service, in requests a second"},
			{point{"fix", "Page", secOp}, "by `whet fix`: a page requested before, in time"},
		},
	}
}

func hash() study {
	service := func(connections string) []string {
		return []string{
			".bin/hash-slow -addr {addr} -pprof 127.0.0.1:0", ".bin/hash-fast -addr {addr} -pprof 127.0.0.1:0",
			"--load", "http://{addr}/v1/hashes", "-m", "POST", "--body", "@examples/hash/testdata/items.json", "-c", connections,
		}
	}
	return study{
		name: "hash", title: "JSON in, hashes out", services: true,
		steps: []step{
			{name: "hash", record: []string{".", "--bench", "Handler$", "-d", "6s"}, inside: true},
			{name: "top", show: []string{"top", "-n", "6", "hash.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
			{name: "one", service: service("1")},
			{name: "thirty", service: service("30")},
			{name: "fix", fix: []string{"--settings=false"}},
			{name: "setting", bench: ".", flags: "GOEXPERIMENT=jsonv2"},
		},
		theirs: []quote{
			{"one", "", rate, 454.3617, 1145.6503},
			{"thirty", "", rate, 1089.9231, 5129.6624},
		},
		headline: []headline{
			{point{"one", "", rate}, "one client, in requests a second"},
			{point{"thirty", "", rate}, "thirty clients, in requests a second"},
			{point{"thirty", "", cpuReq}, "thirty clients, in CPU time per request"},
			{point{"fix", "Handler", allocsOp}, "by `whet fix`: a request of 300 items, in allocations"},
			{point{"setting", "Handler", secOp}, "by `whet fix` and GOEXPERIMENT=jsonv2: the same, in time"},
		},
	}
}

func tags() study {
	const agent = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
	service := func(version string) string {
		return ".bin/tags-" + version + " -addr {addr} -statsd {sink} -pprof 127.0.0.1:0"
	}
	share := func(version string) []string {
		return []string{
			service(version), service(version), "--load", "http://{addr}/simple", "--load", "http://{addr}/hello",
			"-H", agent, "-c", "8",
		}
	}
	return study{
		name: "tags", title: "Metrics with tags", services: true,
		steps: []step{
			{
				name: "tags",
				record: []string{
					"-d", "8s", "--load", "http://{addr}/hello",
					"--", ".bin/tags-slow", "-addr", "{addr}", "-statsd", "{sink}", "-pprof", "127.0.0.1:0",
				},
			},
			{name: "top", show: []string{"top", "-n", "6", "tags.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
			{name: "hello", service: []string{
				service("slow"), service("fast"), "--load", "http://{addr}/hello",
				"-H", agent, "-c", "8",
			}},
			{name: "share-slow", service: share("slow")},
			{name: "share-fast", service: share("fast")},
			{name: "fix", fix: []string{"--review"}},
			{name: "share-fixed", service: share("fixed")},
		},
		headline: []headline{
			{point{"benchmarks", "Name", secOp}, "a metric's name, in time"},
			{point{"benchmarks", "Hello", secOp}, "/hello, in time"},
			{point{"hello", "", cpuReq}, "/hello, in CPU time per request"},
			{point{"hello", "", rate}, "/hello, in requests a second"},
			{point{"fix", "Hello", secOp}, "by `whet fix`: /hello, in time"},
		},
	}
}

func micro() study {
	return study{
		name: "micro", title: "Ten small functions",
		steps: []step{
			{name: "benchmarks", bench: "."},
			{name: "micro", record: []string{".", "--bench", "Pattern|Print|Convert|Join", "-d", "4s"}, inside: true},
			{name: "top", show: []string{"top", "-n", "5", "--type", "alloc_space", "micro.whet"}, head: 2},
		},
		theirs: []quote{
			{"benchmarks", "Substring", secOp, 7516 * ns, 194 * ns},
			{"benchmarks", "Pattern", secOp, 7516 * ns, 490.7 * ns},
			{"benchmarks", "Print", secOp, 81.76 * ns, 10.77 * ns},
			{"benchmarks", "Print", bytesOp, 16, 0},
			{"benchmarks", "Print", allocsOp, 1, 0},
			{"benchmarks", "Convert", secOp, 19.52 * ns, 5.846 * ns},
			{"benchmarks", "Convert", bytesOp, 8, 0},
			{"benchmarks", "Convert", allocsOp, 1, 0},
			{"benchmarks", "Pad", secOp, 3079 * ns, 201 * ns},
			{"benchmarks", "Pad", bytesOp, 1568, 160},
			{"benchmarks", "Pad", allocsOp, 46, 3},
		},
		headline: []headline{
			{point{"benchmarks", "Pattern", secOp}, "a pattern compiled once, in time"},
			{point{"benchmarks", "Print", secOp}, "a name written without Fprintf, in time"},
			{point{"benchmarks", "Convert", secOp}, "bytes remembered without a string, in time"},
			{point{"benchmarks", "Join", secOp}, "strings joined, in time"},
		},
	}
}

func leak() study {
	return study{
		name: "leak", title: "Two goroutines allocate, one keeps", services: true,
		steps: []step{
			{
				name: "leak",
				record: []string{
					"-d", "10s", "--trace", "0", "--", ".bin/leak-slow", "-rate", "5000", "-addr", "{addr}",
					"-pprof", "127.0.0.1:0",
				},
			},
			{name: "inuse", show: []string{"top", "-n", "3", "--type", "inuse_space", "leak.whet"}},
			{name: "alloc", show: []string{"top", "-n", "3", "--type", "alloc_space", "leak.whet"}},
			{name: "memory", show: []string{"memory", "leak.whet"}, head: 2},
			{
				name: "bounded",
				record: []string{
					"-d", "10s", "--trace", "0", "--", ".bin/leak-fast", "-rate", "5000", "-addr", "{addr}",
					"-pprof", "127.0.0.1:0",
				},
			},
			{name: "memory-fast", show: []string{"memory", "bounded.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
		},
		headline: []headline{
			{point{"benchmarks", "Add10000", bytesOp}, "10 000 events taken, in bytes"},
			{point{"benchmarks", "Add10000", secOp}, "10 000 events taken, in time"},
		},
	}
}

func spin() study {
	service := func(version string) string {
		return ".bin/spin-" + version + " -addr {addr} -pprof 127.0.0.1:0"
	}
	record := func(version string) []string {
		return []string{"-d", "7s", "--trace", "3s", "--", ".bin/spin-" + version, "-addr", "{addr}", "-pprof", "127.0.0.1:0"}
	}
	return study{
		name: "spin", title: "Two goroutines that poll for work", services: true,
		steps: []step{
			{name: "spin", record: record("slow")},
			{name: "top", show: []string{"top", "-n", "3", "spin.whet"}},
			{name: "goroutines", show: []string{"goroutines", "--focus", "Pool", "spin.whet"}, head: 2},
			{name: "waiting", record: record("fast")},
			{name: "goroutines-fast", show: []string{"goroutines", "--focus", "Pool", "waiting.whet"}, head: 2},
			{name: "benchmarks", bench: "."},
			{name: "service", service: []string{
				service("slow"), service("fast"), "--load",
				"http://{addr}/digest?text=test", "-c", "8",
			}},
		},
		headline: []headline{
			{point{"benchmarks", "Digest", secOp}, "one caller, in time"},
			{point{"service", "", cpuReq}, "the service, in CPU time per request"},
			{point{"service", "", rate}, "the service, in requests a second"},
		},
	}
}
