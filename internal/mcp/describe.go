package mcp

// descriptions returns what clients read about the fields of arguments and results, by the type and the name in
// JSON. Struct tags would be longer than a line.
func descriptions() map[string]string {
	return map[string]string{
		"evidenceInput.file":            "a Go file, relative to the module, as hot_lines and find name it",
		"evidenceInput.recording":       "path of a .whet recording or pprof file; the last one that record made if omitted",
		"evidenceInput.dir":             "directory of the module (default: the first root)",
		"evidenceInput.skip_benchmarks": "do not run the benchmarks to see which ones reach the line",

		"findInput.recording":    "path of a .whet recording or a CPU profile; the last one that record made if omitted",
		"findInput.dir":          "directory of the recorded module (default: the first root)",
		"findInput.n":            "number of findings; 10 if omitted",
		"findInput.dependencies": "also look into copies of the dependencies that cost most, which takes seconds",

		"foundResult.findings": "known kinds of waste, the most expensive first",
		"foundResult.advice": "causes across time and lines: queries in loops, held locks, leaks, growth, " +
			"repeated work",
		"foundResult.unexplained":  "expensive lines that no rule explains",
		"foundResult.dependencies": "calls of other modules that cost, with their hottest lines and what they do",
		"foundResult.upstream":     "changes of dependencies, for their authors",
		"foundResult.waiting":      "lines where requests or goroutines wait",
		"foundResult.stale":        "functions that have changed since the recording: record again",

		"finding.saving":  "share of the CPU time that a fix can save at most",
		"finding.needs":   "review if the rewrite may change behavior",
		"finding.setting": "a build or run setting that is the fix",

		"waiting.share": "of the time of all requests",

		"Truncated.truncated": "set if something was left out to keep the result short: where the rest is",

		"loadToolInput.seconds": "length of the measured part; 10 if omitted",

		"loaded.status":                    "number of answers by status code",
		"loaded.rate":                      "complete answers per second",
		"loaded.target_cpu_ms_per_request": "CPU time of the server for a request",
		"loaded.verdict":                   "reasons to distrust these figures",

		"Edit.file": "relative to the module",
		"Edit.old":  "text to replace; it must occur exactly once. Empty for a new file",

		"proveInput.patch": "the change as a unified diff, as git diff writes it, with paths relative to the module or " +
			"the repository",
		"proveInput.edits":    "the change as replacements of text, instead of a patch",
		"proveInput.dir":      "directory of the module (default: the first root)",
		"proveInput.packages": "judge only these packages, such as ./internal/text",
		"proveInput.bench": "measure with benchmarks that match this regular expression; those that run the changed lines " +
			"if omitted",
		"proveInput.recording": "path of a recording of the module before the change; the last one that record made if " +
			"omitted",
		"proveInput.budget_seconds": "limit on the whole proof; 600 if omitted",
		"proveInput.wait_seconds":   "return after this time although the proof goes on; 45 if omitted",

		"jobInput.job":          "the job that prove returned; the last one if omitted",
		"jobInput.wait_seconds": "wait for the end for at most this time; 45 if omitted, 0 to return at once",

		"cancelInput.job": "the job that prove returned; the last one if omitted",

		"verdict.state":   "waiting, running, done, canceled or failed",
		"verdict.step":    "what a running proof does",
		"verdict.seconds": "time since it began",
		"verdict.next":    "what to do next",
		"verdict.outcome": "faster, same speed, slower, different, broken or unproven",
		"verdict.reason": "the figure that changed, the input with both results, the test that fails, or the compiler's " +
			"error",
		"verdict.test":              "a test that passes without the change and fails with it",
		"verdict.command":           "how to run that test",
		"verdict.missing":           "what is missing to decide, and what to do about it",
		"verdict.figures":           "how the benchmarks changed, with confidence intervals",
		"verdict.written_benchmark": "the source of the benchmark that whet wrote, as no benchmark runs the lines",
		"verdict.compared":          "functions that were called with the same inputs in both versions",
		"verdict.inputs":            "number of inputs on which both returned the same",
		"verdict.strength":          "how many small errors in the changed lines would be noticed",
		"verdict.not_used":          "files of the patch that were not used: tests, documentation, what is not compiled",
		"verdict.suspects":          "what needs review",

		"loadInput.urls": "addresses to request, such as http://127.0.0.1:8080/path; {addr} is the address of a program " +
			"that record starts",
		"loadInput.connections": "number of connections (default 10)",
		"loadInput.rate": "requests per second, such as 500, or 100..1000 for a ramp; as many as the server answers if " +
			"omitted",
		"loadInput.headers": "each as Name: value",
		"loadInput.body":    "sent with each request; @PATH is the content of a file in a root",

		"recordInput.url":      "address of a running service that serves /debug/pprof/",
		"recordInput.package":  "main package to build and start instead, such as ./cmd/server; it must serve /debug/pprof/",
		"recordInput.args":     "arguments of that program; {addr} is replaced by a free address",
		"recordInput.bench":    "record benchmarks that match this regular expression instead",
		"recordInput.packages": "packages of these benchmarks (default ./...)",
		"recordInput.capture": "also copy arguments and results of calls, without what looks like a secret, after the " +
			"measurement: hot for the functions with the most expensive lines, or a regular expression of functions, such as " +
			"text\\.Join$. Not with url",
		"recordInput.capture_rate": "with capture, percent of the program's CPU time that copying may take; 1 if omitted",
		"recordInput.dir":          "directory of the module (default: the first root)",
		"recordInput.load":         "requests to send during the recording: without a load an idle service is recorded",
		"recordInput.seconds":      "length of the recording; 10 if omitted",
		"recordInput.output": "path of a new .whet file in a root; if omitted, the recording is removed when the server " +
			"ends",

		"recordResult.recording":      "path for other tools, which use it if they name none",
		"recordResult.captured":       "functions of which calls were copied; line_evidence and prove use them",
		"recordResult.not_captured":   "functions whose calls could not be copied, and why",
		"recordResult.missing":        "what was not recorded, and why",
		"recordResult.program_output": "the end of what the program printed, if something failed",

		"capturedFunction.calls": "number of calls that were copied",

		"traceInput.recording": "path of a .whet recording or an execution trace; the last one that record made if omitted",
		"traceInput.handler":   "only requests whose handler matches this regular expression",
		"traceInput.slowest":   "number of the slowest requests of each handler to show; 2 if omitted",

		"handlers.causes": "what requests spend time on",

		"cause.typical_ms": "mean of the requests around the median",
		"cause.slowest_ms": "mean of the slowest percent",

		"slowed.most_time": "what its critical path spends most time on, and where",

		"hotLinesInput.recording": "path of a .whet recording or a pprof file; the last one that record made if omitted",
		"hotLinesInput.type": "sample type: cpu (default), alloc_space, alloc_objects, inuse_space, mutex:delay, " +
			"block:delay",
		"hotLinesInput.n":   "number of lines; 15 if omitted",
		"hotLinesInput.dir": "directory of the recorded module (default: the first root), which files are relative to",

		"hotLines.type":      "the sample type of all values",
		"hotLines.total":     "what shares are of",
		"hotLines.own_share": "the share below lines of the program's own code, 0 to 1",
		"hotLines.lines": "own code, the most expensive lines first; each has what it costs with all that it calls " +
			"outside of own code",
		"hotLines.rest":                     "what has no line of own code, by purpose",
		"hotLines.garbage_collection_share": "of the CPU time",

		"hotLine.callees":    "what the line calls, with shares of the total",
		"hotLine.also_share": "share of the allocated bytes, or of the CPU time if type is an allocation",

		"compareInput.before": "path of the earlier recording",
		"compareInput.after":  "path of the later recording; the last one that record made if omitted",
		"compareInput.type":   "sample type: cpu (default), alloc_space, …",
		"compareInput.lines":  "compare lines, not functions",
		"compareInput.n":      "number of changes; 15 if omitted",

		"comparison.changes": "own code, the largest change first",
		"comparison.rest":    "what has no own code",
		"comparison.load":    "the loads of both recordings compared",

		"change.relative":     "change / before: -0.2 is 20% less",
		"change.within_noise": "whether chance alone explains the change",

		"loadChange.change": "after / before - 1",

		"Order.module":      "import path of the module",
		"Order.file":        "relative to the module",
		"Order.line":        "number of the line in the file, as it is now",
		"Order.function":    "the function around the line, as in Go source: (*T).Name",
		"Order.proposed":    "changes of this line that whet would try itself: they compile, but may be wrong or slower",
		"Order.share":       "of the CPU time, 0 to 1, including garbage collection of what the line allocates",
		"Order.evidence":    "what each profile charges to the line",
		"Order.finding":     "the known kind of waste on this line, if a rule found one",
		"Order.source":      "the function around the line",
		"Order.callers":     "functions that call this one, with their part of its cost",
		"Order.callees":     "functions that this one calls, with their part of its cost",
		"Order.allocations": "lines of the function that allocate",
		"Order.notes":       "what the compiler notes on lines of the function",
		"Order.captured": "sizes and values of the arguments in sampled calls of the recorded program; record has them " +
			"with capture",
		"Order.benchmarks": "benchmarks that run the line",
		"Order.failed":     "changes of this file that were tried and not kept",
		"Order.left_out":   "what was left out",
	}
}
