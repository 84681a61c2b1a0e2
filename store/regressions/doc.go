// Package regressions finds lines and functions of services that have become more expensive, in the
// profiles of a store.
//
// Data flow:
//
//  1. [Find] reads the series of a query and divides each service into instances (by the label
//     instance, pod, host, …) and time into slots. A cell is the merged profile of one instance in
//     one slot: its shares of own functions and lines are one observation.
//  2. A deploy is when the version label, or the build ID of the main binary, of most instances
//     changes. The model of a share is a level for each instance, one for each time of day if there
//     are two days or more, and a step at each deploy, fitted by weighted least squares together.
//  3. The variance of a step comes from how instances differ, and from how slots of the whole
//     service differ, with their autocorrelation; the number of samples plays no role. p values of
//     all steps of all functions and lines are adjusted together (Benjamini and Hochberg).
//  4. Change points without a deploy are the best splits of what the model leaves over (binary
//     segmentation). Their p values count every place where they could have been, and a seeded
//     permutation of blocks of slots must agree.
//  5. Increases and decreases of related functions that cancel out are one [Shift]; changes that
//     went away before the end are listed apart; changes of all shares by the same factor, because
//     another one grew, are subtracted.
//  6. With a repository, the commits between two builds are listed, and lines that moved are
//     recognized by their text.
//
// A [Report] belongs to the caller. The package holds no state; memory is bounded by the limits on
// cells and functions. [Report.Alerts] are for Alertmanager, and [Send] sends them to the address
// it is given, nowhere else.
//
// The model follows what econometrics does with panels: fixed effects and errors that are clustered
// in two ways (Cameron, Gelbach and Miller, "Robust Inference With Multiway Clustering", Journal of
// Business and Economic Statistics 29, 2011). What to filter follows Meta's FBDetect (SOSP 2024).
package regressions
