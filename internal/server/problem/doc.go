// Package problem writes the answers to requests that failed.
package problem
