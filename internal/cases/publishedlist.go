package main

// publishedStudies returns the services as their articles published them, in the order of the page.
func publishedStudies() []study {
	return []study{publishedLeftpad(), publishedHash(), publishedTags(), publishedPage()}
}

// serviceFigures returns the figures of a service that the page shows, and more.
func serviceFigures(more ...headline) []headline {
	return append([]headline{
		{point{serviceStep, "", cpuReq}, "CPU time per request"},
		{point{serviceStep, "", "allocs/req"}, "allocations per request"},
		{point{serviceStep, "", "p50-sec"}, "latency, p50"},
		{point{serviceStep, "", "p99-sec"}, "latency, p99"},
	}, more...)
}

func publishedLeftpad() study {
	p := published{
		service: "leftpad",
		load:    []string{"--load", "http://127.0.0.1:28080/v1/leftpad/?str=test&len=50&chr=*", "-c", "8"},
		benches: []string{"."},
		changes: []change{
			{
				text: "makes the `strings.Replacer` once", titles: []string{"strings.Replacer built on each call"},
			},
			{
				text:   "appends to a buffer instead of formatting strings, and writes the buffer",
				titles: []string{"string built in several steps", "string formatted by fmt"}, file: "metrics.go",
			},
			{
				text: "writes a metric's value as a number",
				note: "not done: it changes what is sent. `%s` of a float64 writes `%!s(float64=1)`, which whet keeps",
			},
			{
				text:   "repeats the character instead of prepending it in a loop",
				titles: []string{"string prepended to in a loop"},
				note:   "The author's version counts characters where the loop counts bytes; whet's counts bytes",
			},
			{
				text:   "makes the names of metrics once for each handler",
				titles: []string{"same result computed", "string formatted by fmt"}, file: "handlers.go",
				note: "It makes the handler too large to be inlined in `TimedHandler`, whose recorder then escapes",
			},
			{
				text: "buffers the log", titles: []string{"each log line is a system call"},
				note: "The author's buffer is never flushed",
			},
			{
				text: "removes the log line about a request's duration",
				note: "not done: it removes a feature",
			},
		},
		figures: serviceFigures(),
	}
	for _, b := range []string{"TimedHandler", "LeftpadHandler", "Leftpad10", "Leftpad50", "StatsD"} {
		p.figures = append(p.figures,
			headline{point{benchStep, b, secOp}, "`" + b + "`, time"},
			headline{point{benchStep, b, allocsOp}, "`" + b + "`, allocations"})
	}
	return p.study("Padding texts")
}

func publishedHash() study {
	p := published{
		service: "hash", underLoad: true,
		load: []string{
			"--load", "http://127.0.0.1:28081/hashes", "-m", "GET", "--body", "@examples/hash/testdata/items.json", "-c", "30",
		},
		figures: serviceFigures(),
		changes: []change{
			{
				text: "reads the body into a buffer that is reused", titles: []string{"body read into a growing buffer"},
			},
			{
				text: "reuses the list of decoded items",
				note: "not done: `encoding/json` keeps fields of the previous request, " +
					"so answers may depend on another client's data",
			},
			{
				text: "makes the list of hashes with its final capacity", titles: []string{"slice grows to"},
				note: "The author's answer to an empty list changes from `null` to `[]`",
			},
			{
				text:   "reuses the hash, and appends its sum and the encoded text to buffers",
				titles: []string{"hash input or sum"},
			},
			{
				text: "turns strings into bytes without a copy", titles: []string{"hash input or sum"},
				note: "The author's conversion reads a capacity from beyond the string's header",
			},
			{
				text:   "decodes and encodes with generated code (easyjson)",
				titles: []string{"JSON encoded or decoded by reflection"},
				note:   "whet adds no modules; it measures `GOEXPERIMENT=jsonv2`, which needs no change of the code",
			},
		},
	}
	return p.study("JSON in, hashes out")
}

func publishedTags() study {
	const agent = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
	p := published{
		service: "tags", underLoad: true,
		load:    []string{"--load", "http://127.0.0.1:28082/hello", "--load-header", agent, "-c", "8"},
		benches: []string{"./stats"},
		figures: serviceFigures(
			headline{point{benchStep, "Tagged", secOp}, "`Tagged`, time"},
			headline{point{benchStep, "Tagged", allocsOp}, "`Tagged`, allocations"},
		),
		changes: []change{
			{text: "fetches the host's name once", titles: []string{"host name fetched"}},
			{
				text: "replaces characters in a loop instead of by a regular expression", titles: []string{"regular expression"},
				note: "The author's loop lets `\\n`, `\\f` and `\\r` pass, which the expression replaces",
			},
			{text: "makes slices with their capacity", titles: []string{"slice grows to"}},
			{text: "writes to one buffer instead of joining parts", titles: []string{"strings collected only to be joined"}},
		},
	}
	return p.study("Metrics with tags")
}

func publishedPage() study {
	p := published{
		service: "page", underLoad: true,
		load:    []string{"--load", "http://127.0.0.1:28083/?group=all", "-c", "10"},
		figures: serviceFigures(),
		changes: []change{
			{text: "keeps the rendered page for each input", titles: []string{"page rendered again"}},
		},
	}
	return p.study("A page rendered for each request")
}
