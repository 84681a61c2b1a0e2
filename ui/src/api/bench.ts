// Generated from Go by internal/report (make goldens). DO NOT EDIT.

export interface Fact {
  name: string;
  value: string;
}

export interface BenchPageChange {
  delta: number;
  finite: boolean;
  text: string;
  p: number;
  q: number;
  verdict: string;
  words: string;
}

export interface BenchPageCell {
  column: number;
  n: number;
  values: number[];
  center: number;
  bounded: boolean;
  low: number;
  high: number;
  text: string;
  range: string;
  changes: BenchPageChange[];
}

export interface BenchPagePairs {
  ratios: number[];
  ratio: number;
  bounded: boolean;
  low: number;
  high: number;
}

export interface BenchPageRow {
  name: string;
  cells: BenchPageCell[];
  pairs: BenchPagePairs[];
  notes: string[];
}

export interface BenchPageMean {
  center: string;
  change: string;
}

export interface BenchPageTable {
  config: Fact[];
  unit: string;
  binary: boolean;
  center: string;
  spread: string;
  columns: string[];
  means: BenchPageMean[];
  rows: BenchPageRow[];
  notes: string[];
}

export interface BenchVerdictLine {
  text: string;
  tone: string;
}

export interface BenchDoc {
  title: string;
  verdict: BenchVerdictLine[];
  facts: Fact[];
  notes: string[];
  legend: string;
  tables: BenchPageTable[];
}
