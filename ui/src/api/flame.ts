// Generated from Go by internal/report (make goldens). DO NOT EDIT.

export interface Fact {
  name: string;
  value: string;
}

export interface FlameDocView {
  type: string;
  unit: string;
  total: number;
  self: number;
  nodes: number;
  rests: number;
  left: number;
  weights: number;
  ordered: boolean;
}

export interface FlameDoc {
  schema: string;
  title: string;
  facts: Fact[];
  notes: string[];
  strings: string[];
  frames: number;
  views: FlameDocView[];
}
