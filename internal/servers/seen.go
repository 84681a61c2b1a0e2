package main

// proofTime is the time to prove the changes of a server, in the words of the page.
const proofTime = "at most five minutes"

// seen is what a reader saw in the results of each server when they were first made, before anything was changed
// because of them.
func seen() map[string]string {
	return map[string]string{
		"Caddy": "half of the CPU time is on four lines that make a template for each request: 20% registers the " +
			"functions of sprig, 13% Caddy's own, 11% executes and 9% parses. The first three are lines with the kind " +
			"template and no rewrite; the advice names the line that parses, and counts its 9% only. Keeping parsed " +
			"templates is a matter of design, since the files may change. No dependency has 2% of a profile below a " +
			"line of Caddy.",
		"node_exporter": "the second of the hottest lines was only a name in procfs. Now it says why: it opens a " +
			"file for each attribute of each network interface. The first look said 170 files per scrape, and a second " +
			"recording 65, where the machine has 121 such files: the estimate used small objects, of which few are " +
			"sampled. It now uses the largest object of a call, and says 163 and 129 for the same two recordings. No " +
			"function of procfs with fitting types does it in another way, and no generator has a change of procfs's " +
			"lines. Six candidates were proposed in client_golang. The regular expression of a flag had less than 2% " +
			"at first, and is named in the recording below, without a rewrite: its pattern is not constant.",
		"nats-server": "the two findings about JSON are right: the pages of the monitoring are indented, which takes a " +
			"seventh of the CPU time, and the lock is held meanwhile. Both need a decision of the authors. There is nothing " +
			"below dependencies, of which the server has few.",
		"Pushgateway": "the hottest line passes requests on, so all that it says about itself is HTTP. The cost is below: " +
			"encoding of metrics in prometheus/common, where the hottest line has a fifth of it, and client_golang. " +
			"Seven candidates were proposed there and none in the module.",
		"Alertmanager": "a third module was named as a dependency of itself: a closure of go-openapi/runtime that was " +
			"inlined into Alertmanager has its name. It is now told by its file. The buffered channel that each request " +
			"for alerts makes is a seventh of the allocated bytes, and was named without a rewrite.",
		"nsqd": "a fifth of the CPU time is `runtime.ReadMemStats`, which stops all goroutines for each page of " +
			"statistics. The line is named, but as lock, and nothing says that there is a cheaper way (package " +
			"runtime/metrics). The finding about the request's body is of no use for this load: its requests have none.",
		"OPA": "16 MiB of heap before a collection (GOGC=400) would save an eighth of the CPU time, and was named first. " +
			"The two pieces of advice are about empty tables that each request makes and then fills: they must not be " +
			"shared, so both are wrong.",
	}
}
