package mcp

// addTools adds all tools.
func (s *Server) addTools() {
	addTool(s, tool{
		name: "record", title: "Record a service or benchmarks", runs: true,
		description: "Record a Go program under load: CPU, memory, lock and goroutine profiles and an execution trace. " +
			"Give the address of a running service, or a main package to start, or benchmarks to run. " +
			"With capture, it also has arguments of the expensive functions, which line_evidence shows and prove compares " +
			"with. The other tools use this recording if they name none.",
	}, (*call).record)
	addTool(s, tool{
		name: "hot_lines", title: "List the expensive lines",
		description: "List the lines of the program's own code that use most CPU time, or another sample type of a " +
			"recording, with the functions they call.",
	}, (*call).hotLines)
	addTool(s, tool{
		name: "line_evidence", title: "Explain a line", runs: true,
		description: "Show what is known about an expensive line: the source of its function, its cost, callers and " +
			"callees with shares, lines that allocate, compiler notes, sizes and values of the function's arguments " +
			"if the recording has them, the benchmarks that run it, whet's own unproven candidates, and those that failed, " +
			"with the input on which they behave differently. Call it before you change a line.",
	}, (*call).lineEvidence)
	addTool(s, tool{
		name: "find", title: "Find known kinds of waste",
		description: "Find known kinds of waste in the expensive lines of a recording, with the reason and, where " +
			"there is a safe rewrite, its diff; and the expensive lines that no rule explains. prove judges a diff.",
	}, (*call).find)
	addTool(s, tool{
		name: "prove", title: "Judge a change", runs: true,
		description: "Judge a change in a copy of the module, which leaves the user's files alone: does it build, " +
			"pass the tests, behave the same on fuzzed inputs, and is it measurably faster? The outcome is faster, same " +
			"speed, slower, different (with the input on which it differs), broken or unproven. A proof takes one to " +
			"several minutes: if it has not ended after wait_seconds, call prove_status.",
	}, (*call).prove)
	addTool(s, tool{
		name: "prove_status", title: "Wait for a proof",
		description: "Wait for a proof that prove began, and return its verdict, or what it is doing.",
	}, (*call).proveStatus)
	addTool(s, tool{
		name: "prove_cancel", title: "Cancel a proof", runs: true,
		description: "End a proof, and all processes that it has started.",
	}, (*call).proveCancel)
	addTool(s, tool{
		name: "compare", title: "Compare two recordings",
		description: "Compare two recordings of a program: which functions or lines of its code have become cheaper " +
			"or more expensive, beyond noise, per request if both were loaded; and the latencies of their loads.",
	}, (*call).compare)
	addTool(s, tool{
		name: "load", title: "Load a service", runs: true,
		description: "Send HTTP requests to a service and measure rate and latencies. To see where the service " +
			"spends its time meanwhile, use record with load.",
	}, (*call).load)
	addTool(s, tool{
		name: "trace_requests", title: "Show where requests spend time",
		description: "Show, from the execution trace of a recording, where the time of requests went: running, " +
			"waiting for locks, channels, the network or a CPU; and the critical path of the slowest ones.",
	}, (*call).traceRequests)
}
