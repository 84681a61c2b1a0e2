package main

// proofTime is the time to prove the changes of a server, in the words of the page: the default of -time.
const proofTime = "five minutes"

// seen is what a reader saw in the results of each server when they were first made, before anything was changed
// because of them.
func seen() map[string]string {
	return map[string]string{}
}
