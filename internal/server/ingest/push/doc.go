// Package push decodes the requests with which Pyroscope's and Parca's agents send pprof profiles.
//
// Data flow:
//
//  1. [Pyroscope] decodes a push.v1.PushRequest, and [Parca] a
//     parca.profilestore.v1alpha1.WriteRawRequest: series of labels, with profiles of each.
//  2. The caller decodes the profiles.
//
// Both messages are small around the bytes of the profiles, so they are decoded by hand: profiles
// are slices of the request, and labels are counted before they are kept. Nothing else is copied.
package push
