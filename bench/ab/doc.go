// Package ab compares two builds of something, A and B, in interleaved rounds.
//
// Data flow:
//
//  1. The caller provides [Subject]s: benchmarks or services that exist in two builds. Package
//     bench/gotest makes them from Go benchmarks, service from services.
//  2. [Run] first measures A against A under several [Plan]s (length of a round, pinned to a CPU or
//     not, one side after the other or both simultaneously), and continues with the one that
//     promises the tightest interval for the time it takes. A plan that was tried with few pairs is
//     not chosen over the first one unless its noise is less by more than chance.
//  3. Then the subjects take turns. In its turn a subject has a pair of rounds, A and B in random
//     order. Each pair is written to a journal, from which a later run can continue.
//  4. After some pairs the interval of B's ratio to A is computed. A subject is done when it is as
//     tight as requested, or when its time is over.
//  5. The [Result] has a verdict for each subject and unit.
//
// # Statistics
//
// The statistics use the logarithms of the pairs' ratios. If A and B are the same, each is as
// likely to be positive as negative, however the machine's noise is distributed and whatever it
// depends on: that is what the random order is for. The test relies on that alone. It weighs the
// sign of each ratio by the rank of its size among those before it (sequential ranks, as in
// Reynolds, "A Sequential Signed-Rank Test for Symmetry", Annals of Statistics 3, 1975), so an
// outlier weighs no more than the largest of many.
//
// Results are examined repeatedly while they come in, and measuring continues until they are good
// enough. Tests designed to be read once raise false alarms then. So the test bets: before each
// pair, given the weight w, a part of the capital is put on the pair's sign s at a rate r and
// becomes exp(r*w*s)/cosh(r*w) times as much, which is 1 on average if the sign is a fair coin's
// (de la Peña, "A General Class of Exponential Inequalities for Martingales and Ratios", Annals of
// Probability 27, 1999). The capital is split over rates, as in Robbins's mixtures ("Statistical
// Methods Related to the Law of the Iterated Logarithm", Annals of Mathematical Statistics 41,
// 1970). Two fifths bet on signs without weights, which is better where many pairs are disturbed,
// and where all pairs agree: seven are then enough. The whole is a martingale: by Ville's
// inequality it ever exceeds 1/alpha with a probability of at most alpha. Intervals and p values
// hold at whatever moment one stops, after 7 pairs or 700, for any number of looks. The price is
// that an interval is about 1.6 times as wide as one that may be read once. The ratio shown is
// Hodges and Lehmann's estimate, the median of the means of all pairs of log ratios.
//
// Counts, such as a benchmark's allocations and bytes, do not depend on how busy the machine is, so
// all rounds are exchangeable, not only the two of a pair. If all values of A are less than all of
// B, or greater, after n pairs, that is by chance with a probability of 2/binomial(2n, n): 5 pairs
// suffice. If each side has only one value, the rounds of the trials count, too: with the 16 rounds
// of a trial, 2 pairs have a p value of 1/binomial(20, 2) = 0.5%. The three tests of a count share
// the level.
//
// With many subjects some seem changed by chance. q is p adjusted as package bench does it, and
// verdicts use q.
//
// A Result belongs to the caller. The package keeps no state, and starts goroutines only to measure
// both sides simultaneously; they end before Run returns. It does not know what a benchmark is and
// does not render.
package ab
