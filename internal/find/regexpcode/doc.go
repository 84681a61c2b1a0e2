// Package regexpcode writes Go functions.
package regexpcode
