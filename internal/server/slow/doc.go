// Package slow turns answers that take long into jobs.
//
// Data flow:
//
//  1. A client that can follow jobs says so as RFC 7240 has it: "Prefer: respond-async, wait=1" waits a second.
//  2. [Answers.Serve] computes the answer in the background, once for all requests with the same key. If it is ready in
//     time, it is sent. Otherwise the answer is 202 with the job, package jobs, whose events have the progress.
//  3. When the job is done, the client sends the request again, with the preference. Its answer was kept until then.
//
// A job is attached: when the client is gone, it is canceled. The work ends when no request and no job waits for it.
// Requests without the preference get the answer when it is ready.
package slow
