import { ViewTexts } from "./view.ts";

/** The texts of benchmarks: of a run, of builds compared, and of a history along commits. */
export const en = {
  note: "note: {text}",
  filter: "Filter by name",
  "unit.label": "Unit",
  "unit.all": "all units",
  "order.label": "Order",
  "order.change": "by significance",
  "order.delta": "by change, worst of lower-is-better first",
  "order.name": "by name",
  "order.file": "as measured",
  "show.label": "Show",
  "show.all": "All",
  "show.changed": "Changed",
  "show.worse": "Worse",
  "show.better": "Better",
  results: "{n} results",
  "results.some": "{n} of {all} results",
  nothing: "No matching benchmark.",
  more: "Show {n} more of {all}",
  astable: "{title} as a table",

  strip:
    "{name}, measurements. {cells}. Left and right arrow keys read out the points, up and down move to other " +
    "benchmarks.",
  cells: "{a}. {b}",
  cell: "{column} {center} {value} {range}, {n} measurement{n||s}",
  "cell.change": "{column} {center} {value} {range}, {n} measurement{n||s}, {change}, {verdict}",
  center: "{column}: {center} {value}",
  "center.range": "{column}: {center} {value}, {spread} {low} to {high}",
  point: "{column}: {value}, {i} of {n}",
  ratio: "Ratio of each pair of rounds, in order of time: {ratio}.",
  "ratio.range": "Ratio of each pair of rounds, in order of time: {ratio}, between {low} and {high}.",
  pairs: "{name}, ratios of {n} pairs of rounds in order of time. Arrow keys right and left read them out.",
  pair: "pair {i} of {n}: {change}",
  "pair.axis": "pair {i}",
  "pair.same": "no change",

  verdict: "Verdict",
  summary: "Summary",
  alone: "Show these alone",
  how: "How to read this page",
  "how.text":
    "Points are measurements, from the top of a strip to its bottom in order of time; the line is the {center}, " +
    "the bar its {spread}. Arrowheads are beyond the axis.",
  "how.center": "center",
  "how.spread": "interval",
  benchmarks: "{n} of {all} benchmarks, {unit}",

  "head.unit": "unit",
  "head.order": "order",
  "head.side": "side",
  "head.change": "change",
  "head.verdict": "verdict",
  "head.benchmark": "benchmark",
  "head.benchmarks": "benchmarks",
  "head.means": "geometric means",
  "head.before": "before",
  "head.after": "after",
  "head.interval": "interval",
  "head.commit": "commit",
  "head.time": "time",
  "head.low": "low",
  "head.high": "high",
  "head.level": "level",
  "head.subject": "subject",

  "word.better": "better",
  "word.worse": "worse",
  "word.changed": "changed",
  "word.undecided": "undecided",
  "word.chance": "perhaps chance",
  "word.unchanged": "no change shown",
  "word.same": "the same",
  "word.median": "median",
  "word.mean": "mean",
  "word.exact": "exact",
  "word.quartiles": "quartiles",
  "word.confidence": "{n}% confidence interval",

  "help.title": "Benchmarks along commits",
  "help.charts":
    "Each chart is a benchmark in one unit. Dashed vertical lines are changes, and dashed horizontal lines the " +
    "medians between them.",
  "help.links":
    "The commits of a change lead to their results. A link to this page, including everything after the #, shows " +
    "the same view.",
  "help.filter": "filter by name",
  "help.points": "go from commit to commit of the chart that has the focus, which reads them out",
  "help.enter": "show the results of that commit, compared with the one before",
  "help.help": "this help",
  keys: "Keys",
  "keys.title": "Keys (?)",
  close: "Close",

  series: "{n} series",
  "series.some": "{n} of {all} series",
  "series.none": "No matching series.",
  table: "as a table",
  along:
    "{title} along {n} commits. {changes} Arrow keys read out the commits, Enter shows the results of one; the " +
    "table below lists them.",
  "along.same":
    "{title} along {n} commits. No change. Arrow keys read out the commits, Enter shows the results of one; the " +
    "table below lists them.",
  change: "{commit}: {change} {verdict}",
  range: "{center} ({low} to {high})",
  measured: "{commit}: {value}, {n} measurement{n||s}",
  "measured.runs": "{commit}: {value}, {n} measurement{n||s} of {runs} runs",
  "measured.not": "{commit}: not measured",
  "measured.changed": "{measured}. Changed: {change}, {verdict}",
  changes: "Changes, newest first",
  "changes.none": "Nothing changed.",
  "commits.label": "Results of a commit",
  "commit.label": "Commit",
  "commit.results": "Results of the commit",
  "commit.none": "There are no results of the commit {commit} here.",
  "commit.base": "compared with",
  "commit.base.label": "Compared with",
  "commit.both": "{a} and {b}",
  "commit.note":
    "~: the intervals of the two commits overlap. One commit is few measurements; the changes in the list are found " +
    "along all commits.",
};

export type BenchTexts = Record<keyof typeof en, string>;
export type BenchKey = keyof typeof en;
export const benchTexts = new ViewTexts(en);
