// Generated from Go by internal/report (make goldens). DO NOT EDIT.

export interface Fact {
  name: string;
  value: string;
}

export interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
}

export interface HistoryCommit {
  short: string;
  hash: string;
  time: string;
  subject: string;
}

export interface HistoryPoint {
  commit: number;
  center: number;
  bounded: boolean;
  low: number;
  high: number;
  n: number;
  runs: number;
}

export interface HistoryChange {
  after: number;
  at: number;
  from: number;
  to: number;
  text: string;
  verdict: string;
}

export interface HistorySeries {
  name: string;
  unit: string;
  better: string;
  binary: boolean;
  about: string;
  points: HistoryPoint[];
  changes: HistoryChange[];
}

export interface HistoryListed {
  after: number;
  at: number;
  cells: string[];
  verdict: string;
}

export interface HistoryDoc {
  title: string;
  facts: Fact[];
  notes: string[];
  legend: string;
  commits: HistoryCommit[];
  series: HistorySeries[];
  changes: HistoryListed[];
  tables: Table[];
}
