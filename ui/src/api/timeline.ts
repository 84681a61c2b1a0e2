// Generated from Go by internal/report (make goldens). DO NOT EDIT.

export interface State {
  name: string;
  group: string;
}

export interface TypeCount {
  type: string;
  count: number;
}

export interface Trace {
  schema: string;
  name: string;
  duration: number;
  events: number;
  damage?: string;
  states: State[];
  types: TypeCount[];
  metrics: string[];
}

export interface RowInfo {
  id: string;
  name: string;
  kind: string;
  from: number;
  to: number;
  goroutine?: string;
}

export interface RowList {
  type: string;
  total: number;
  rows: RowInfo[];
}

export interface RowSpans {
  id: string;
  spans?: Span[];
  parts?: Part[];
}

export interface SpanAnswer {
  from: number;
  to: number;
  width: number;
  rows: RowSpans[];
}

export interface Point {
  at: number;
  min: number;
  max: number;
  last: number;
}

export interface TimelineFrame {
  function: string;
  file: string;
  line: number;
  kind?: string;
}

export interface TimelineMetric {
  name: string;
  points: Point[];
}

export interface TimelineStack {
  stack: number;
  frames: number[];
}

export interface LogMark {
  at: number;
  category: string;
  text: string;
  stack: number;
}

export interface MarkRow {
  id: string;
  regions: number[][];
  logs: LogMark[];
  samples: number[][];
}

export interface MarkAnswer {
  from: number;
  to: number;
  names: string[];
  partial: number;
  rows: MarkRow[];
}

export interface StayBucket {
  from: number;
  to: number;
  count: number;
  time: number;
}

export interface Stay {
  id: string;
  from: number;
  to: number;
  state: number;
  stack: number;
}

export interface StayAnswer {
  count: number;
  total: number;
  buckets: StayBucket[];
  longest: Stay[];
  partial: number;
}

export interface Frame {
  function: string;
  file: string;
  line: number;
  kind?: string;
}

export interface StackWeight {
  frames: number[];
  state: number;
  value: number;
}

export interface StackAnswer {
  by: string;
  total: number;
  frames: Frame[];
  stacks: StackWeight[];
  partial: number;
}

export interface CauseTime {
  cause: string;
  middle: number;
  slow: number;
}

export interface ClassInfo {
  name: string;
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
  causes: CauseTime[];
}

export interface Utilization {
  window: number;
  share: number;
  at: number;
}

export interface UtilizationAnswer {
  points: Utilization[];
  partial: number;
}

export interface TimelineDoc {
  schema: string;
  trace: Trace;
  from: number;
  to: number;
  rows: RowList[];
  named: RowInfo[];
  spans: SpanAnswer;
  metrics: TimelineMetric[];
  frames: TimelineFrame[];
  stacks: TimelineStack[];
  marks: MarkAnswer;
  weights: StackAnswer[];
  classes: ClassInfo[];
  utilization: UtilizationAnswer;
}

/** from, to, number of the state, number of the stack, and what it is with. */
export type Span = [from: number, to: number, state: number, stack: number, other: number];

/** from, to, and pairs of a state's number and its time. */
export type Part = number[];
