// Generated from Go by internal/report (make goldens). DO NOT EDIT.

export interface Fact {
  name: string;
  value: string;
}

export interface LoadCell {
  name: string;
  text: string;
  chance: boolean;
}

export interface LoadPoint {
  inverse: number;
  ms: number;
}

export interface LoadBar {
  upper: number;
  share: number;
}

export interface LoadSecond {
  at: number;
  rate: number;
  failed: number;
  p50: number;
  p99: number;
  max: number;
  partial: boolean;
  length: number;
}

export interface LoadSeries {
  name: string;
  failed: boolean;
  values: number[];
}

export interface LoadReason {
  text: string;
  hint: string;
}

export interface LoadRun {
  name: string;
  target: string;
  setting: string;
  facts: Fact[];
  latency: LoadCell[];
  percentiles: LoadPoint[];
  bars: LoadBar[];
  seconds: LoadSecond[];
  outcomes: LoadSeries[];
  answered: boolean;
  reasons: LoadReason[];
  warnings: string[];
}

export interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
}

export interface KneePoint {
  rate: number;
  value_ns: number;
  held: boolean;
}

export interface Knee {
  metric: string;
  limit_ns: number;
  capacity: number;
  points: KneePoint[];
}

export interface LoadDoc {
  title: string;
  notes: string[];
  runs: LoadRun[];
  tables: Table[];
  knees: Knee[];
}
