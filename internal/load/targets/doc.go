// Package targets reads files of requests for package load, and tables of variables to fill them
// with.
//
// Data flow:
//
//  1. [Read] reads a whole file, at most 64 MiB, and detects its [Format] from its first line that
//     is neither empty nor a comment, unless the format is given.
//  2. One parser per format makes [load.Target] values. Body files are read from the directory that
//     [Options.Dir] names, each file once.
//  3. [Write] writes targets in the JSON form, which [Read] and vegeta read.
//  4. [ReadVariables] reads a CSV table into [load.Variables].
//
// The formats:
//
//	# vegeta's HTTP format, and plain lists of addresses
//	POST http://127.0.0.1:8080/things    METHOD URL, or URL alone
//	X-Account-ID: 99                     header lines
//	@thing.json                          the file that holds the body; ends the target
//
//	# name: often
//	# weight: 3
//	http://127.0.0.1:8080/often
//
//	{"method":"PUT","url":"http://127.0.0.1:8080/","body":"aGk=","header":{"X-A":["1","2"]},"name":"put","weight":3}
//
//	curl -X PUT -H 'X-A: 1' -d @thing.json \
//	    http://127.0.0.1:8080/
//
// Files that vegeta reads result in the same requests, with three differences. Names of header
// fields, which have no case in HTTP, are brought into Go's canonical form. A request line starts a
// new target even when header lines but no empty line come before it. Body files are found relative
// to the directory of the targets file, not the working directory.
//
// Every error is a [*load.Error] whose Subject is the file and line.
//
// The package has no state and is safe for concurrent use. Bodies and headers may share memory and
// must not be changed. It does not resolve names, does not check that hosts may be loaded and does
// not fill in variables.
package targets
