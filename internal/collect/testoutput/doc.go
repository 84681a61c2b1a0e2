// Package testoutput reads what test binaries print, for package collect: results and failures.
package testoutput
