import { ViewTexts } from "./view.ts";

/** The texts of the charts of a load. */
export const en = {
  note: "note: {text}",
  said: "{run}: {text}",
  ofrun: "{run} {what}",
  both: "{a} {b}",
  and: "{a} and {b}",

  plot: "{title}. {about} Arrow keys read out the points; the table below lists them.",
  astable: "{title} as a table",
  points: "{title}, {n} of {all} points",

  latency: "latency",
  percentile: "percentile",
  share: "share",
  upto: "up to",
  time: "time",
  rate: "rate",
  max: "max",
  answers: "answers",
  failed: "failed",
  requests: "requests a second",

  "knee.title": "Capacity: {metric} by rate",
  "knee.found": "The highest rate that met the objective is {rate}.",
  "knee.none": "No rate met the objective.",
  "knee.table": "Rates tried",
  "knee.objective": "objective",
  "knee.held": "held",
  "knee.missed": "missed",
  "knee.limit": "limit",

  "percentiles.title": "Latency by percentile",
  "percentiles.about":
    "The latency that each share of the answers did not exceed; each step to the right is ten times rarer.",
  "distribution.title": "Distribution of latency",
  "distribution.about": "Share of the answers in each range of latency; ranges widen as latency grows.",
  "rate.title": "Rate",
  "rate.answers": "Answers, each second.",
  "rate.failed": "Answers and failed requests, each second.",
  "errors.title": "Errors and status",
  "errors.about": "Answers by status, and requests without an answer by what happened, each second.",
  "course.title": "Latency over time",
  "course.about": "Median, 99th percentile and maximum of each second.",
  partly: "The last {list} are not a whole second, and not drawn.",

  verdict: "Verdict",
  "verdict.good": "No reason to distrust these numbers.",
  "verdict.none": "No request was answered, so there is no verdict.",
  "verdict.reason": "One reason to distrust these numbers:",
  "verdict.reasons": "{n} reasons to distrust these numbers:",
  summary: "Summary",
  "summary.latency": "Latency",
  chance: "too few answers above it for a reliable figure",
};

export type LoadTexts = Record<keyof typeof en, string>;
export const loadTexts = new ViewTexts(en);
