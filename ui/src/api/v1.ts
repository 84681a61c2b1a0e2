// Generated from Go by internal/server (make goldens). DO NOT EDIT.

export interface AbResult {
  alpha: number;
  confidence: number;
  elapsed_ns: number;
  geomean?: Mean[] | null;
  inside_ns: number;
  interrupted?: boolean;
  machine: Machine;
  of_effect?: number;
  plan: Plan;
  precision: number;
  schema: string;
  sides: string[] | null;
  subjects: SubjectResult[] | null;
  tried?: Trial[] | null;
  unit: string;
  warnings?: Warning[] | null;
}

export interface About {
  benchmarks?: number;
  commit?: string;
  commits?: number;
  comparable?: boolean;
  findings?: FindingCounts | null;
  kept?: number;
  of?: string;
  outcome?: string;
  sides?: string[] | null;
  tried?: number;
}

export interface Added {
  name: string;
}

export interface Advice {
  also?: AdvicePlace[] | null;
  code: string;
  do: string;
  evidence: string;
  file: string;
  function: string;
  kind: string;
  line: number;
  of: string;
  share: number;
  title: string;
  what?: string;
}

export interface AdvicePlace {
  code: string;
  file: string;
  function: string;
  line: number;
  what?: string;
}

export interface All {
  by: string;
  cum: boolean;
  hidden: number;
  kept: number;
  nodes: Node[] | null;
  shown: number;
  why?: string;
}

export interface Alternative {
  doc?: string;
  form: string;
  name: string;
  signature: string;
  with?: string;
  with_signature?: string;
}

export interface Amount {
  share: number;
  value: number;
}

export interface Answers {
  apart?: string[] | null;
  blocks?: number;
  compared?: Outcome[] | null;
  distinct?: number;
  error_texts?: number;
  functions: string[] | null;
  inputs: number;
  not?: string[] | null;
  reached?: number;
}

export interface At {
  file: string;
  line: number;
}

export interface Attempt {
  answers?: Answers | null;
  aside?: string[] | null;
  candidate?: number;
  diff?: string;
  finding: Finding;
  hint?: string;
  ignored?: number;
  measured?: Measured | null;
  open?: string[] | null;
  outcome?: string;
  predicted?: Prediction | null;
  reason?: string;
  round: number;
  stage: string;
  tested?: number;
  together?: number;
  took?: StepTime[] | null;
  unproven?: string;
}

export interface Base {
  broken?: Broken[] | null;
  failing?: string[] | null;
  flaky?: string[] | null;
  took?: StepTime[] | null;
}

export interface BaselineComparison {
  baseline: string;
  known: number;
  new: number;
  stale?: Identity[] | null;
}

export interface BenchDoc {
  facts: Fact[] | null;
  legend: string;
  notes: string[] | null;
  tables: BenchPageTable[] | null;
  title: string;
  verdict: BenchVerdictLine[] | null;
}

export interface BenchDocument {
  history?: HistoryDoc | null;
  measured?: BenchDoc | null;
}

export interface BenchPageCell {
  bounded: boolean;
  center: number;
  changes: BenchPageChange[] | null;
  column: number;
  high: number;
  low: number;
  n: number;
  range: string;
  text: string;
  values: number[] | null;
}

export interface BenchPageChange {
  delta: number;
  finite: boolean;
  p: number;
  q: number;
  text: string;
  verdict: string;
  words: string;
}

export interface BenchPageMean {
  center: string;
  change: string;
}

export interface BenchPagePairs {
  bounded: boolean;
  high: number;
  low: number;
  ratio: number;
  ratios: number[] | null;
}

export interface BenchPageRow {
  cells: BenchPageCell[] | null;
  name: string;
  notes: string[] | null;
  pairs: BenchPagePairs[] | null;
}

export interface BenchPageTable {
  binary: boolean;
  center: string;
  columns: string[] | null;
  config: Fact[] | null;
  means: BenchPageMean[] | null;
  notes: string[] | null;
  rows: BenchPageRow[] | null;
  spread: string;
  unit: string;
}

export interface BenchVerdictLine {
  text: string;
  tone: string;
}

export interface Broken {
  package: string;
  reason: string;
}

export interface Bucket {
  high_ns: number;
  low_ns: number;
  n: number;
}

export interface Build {
  deps?: Module[] | null;
  main: Module;
  path?: string;
  settings?: BuildSetting[] | null;
}

export interface BuildSetting {
  key: string;
  value: string;
}

export interface CPU {
  cores: number;
  per_request_ns: number;
  total_ns: number;
}

export interface Call {
  alloc_space: Amount;
  alternatives?: Alternative[] | null;
  callee: string;
  counts?: DependenciesCount[] | null;
  cpu: Amount;
  cpu_per_request_ns?: number;
  file: string;
  hottest: DependenciesLine[] | null;
  line: number;
  module?: string;
  requests?: number;
  unread?: string;
  version?: string;
  work?: Work[] | null;
}

export interface CallGraph {
  by: string;
  edges: GraphEdge[] | null;
  hidden_edges: number;
  hidden_nodes: number;
  kept: number;
  nodes: GraphNode[] | null;
  profile: Header;
  schema: string;
  shown: number;
  warnings?: Warning[] | null;
}

export interface Callee {
  cost: number;
  function: string;
  share: number;
}

export interface Candidate {
  also?: Place[] | null;
  assumes: string;
  change: Fix;
  function: string;
  generator: string;
  id: string;
  keeps?: boolean;
  place: Place;
  saving: number;
  share: number;
  tier: string;
  title: string;
  why: string;
}

export interface CauseTime {
  cause: string;
  middle: number;
  slow: number;
}

export interface Change {
  after: number;
  before: number;
  high: number | null;
  low: number | null;
  relative: number | null;
  verdict: string;
}

export interface Changed {
  added?: string[] | null;
  declarations?: string[] | null;
  diff?: string;
  files: string[] | null;
  functions?: string[] | null;
  not_judged?: string[] | null;
  other?: string[] | null;
  outside?: string[] | null;
  removed?: string[] | null;
  tests?: string[] | null;
  unused?: string[] | null;
}

export interface ClassInfo {
  causes: CauseTime[] | null;
  count: number;
  max: number;
  name: string;
  p50: number;
  p90: number;
  p99: number;
}

export interface Collector {
  in_program: number;
  share: number;
}

export interface Commit {
  hash: string;
  subject: string;
  time: string;
}

export interface ConfigBuild {
  built: boolean;
  config: string;
  files?: string[] | null;
  from?: string;
  not?: string;
}

export interface Cost {
  parts: WorkbenchPart[] | null;
  per_request?: number;
  profile: string;
  requests?: number;
  sample_type: ValueType;
  total: number;
}

export interface CostsCost {
  a: number;
  b: number;
  unit: string;
  what: string;
  where: string;
}

export interface Count {
  counted_ns: number;
  cpu_per_request_ns?: number;
  drift?: number;
  others_cpu_share?: number;
  requests: number;
  source: string;
  window_ns: number;
}

export interface Counts {
  buffered: number;
  buffered_recordings?: number;
  dropped: number;
  refused: number;
  stored: number;
  waiting: number;
}

export interface DependenciesCount {
  per_request?: number;
  times: number;
  what: string;
}

export interface DependenciesLine {
  code?: string;
  file: string;
  function: string;
  line: number;
  memory: number;
  module?: string;
  share: number;
  version?: string;
}

export interface Deploy {
  after: string;
  at: string;
  before: string;
  commits?: Commit[] | null;
  label: string;
  more?: number;
  revision_after?: string;
  revision_before?: string;
}

export interface Diagnosis {
  also?: DiagnosisPart[] | null;
  considered?: string[] | null;
  cost: string;
  kind: string;
  line: number;
  rewrite: boolean;
  saves_at_most: number;
  share: number;
  text: string;
  why: string;
}

export interface DiagnosisLine {
  costs: Diagnosis[] | null;
  file: string;
  findings?: string[] | null;
  function: string;
  line: number;
  test?: boolean;
}

export interface DiagnosisPart {
  kind: string;
  share: number;
}

export interface DiffResult {
  after: Side;
  before: Side;
  by: string;
  entries?: Entry[] | null;
  left_out?: number;
  noise: string;
  normalized: boolean;
  own?: Entry[] | null;
  per_request: boolean;
  recorded?: boolean;
  rest?: Entry[] | null;
  scale: number;
  schema: string;
  smallest_visible_change: number;
  sorted_by_cum?: boolean;
  total: Value;
  type: string;
  unit: string;
  warnings?: Warning[] | null;
}

export interface Disasm {
  functions: DisasmFunction[] | null;
  profile: Header;
  schema: string;
  warnings?: Warning[] | null;
}

export interface DisasmAt {
  file: string;
  function: string;
  line: number;
}

export interface DisasmFunction {
  aka?: string[] | null;
  binary: string;
  cum: number;
  end: number;
  flat: number;
  instructions: DisasmInst[] | null;
  name: string;
  start: number;
}

export interface DisasmInst {
  address: number;
  calls?: ListCall[] | null;
  cum: number;
  flat: number;
  frames?: DisasmAt[] | null;
  gap?: boolean;
  source?: string;
  text: string;
}

export interface Edit {
  from: number;
  text: string;
  to: number;
}

export interface Editor {
  address: string;
  dir: string;
  module: string;
}

export interface EngineChoice {
  at_ns?: number;
  measured?: EngineMeasure[] | null;
  text: string;
  why: string;
}

export interface EngineMeasure {
  cpu_per_request_ns: number;
  elapsed_ns: number;
  engine: string;
  rate: number;
  rate_error: number;
  windows: number;
}

export interface Entry {
  cum: Value;
  file?: string;
  flat: Value;
  line?: number;
  line_before?: number;
  name: string;
  own?: boolean;
  status?: string;
}

export interface Errors {
  connect: number;
  first?: Record<string, string>;
  flood: number;
  malformed: number;
  other: number;
  reset: number;
  short_body: number;
  timeout: number;
}

export interface Evidence {
  callees?: FindCallee[] | null;
  cost: string;
  share: number;
  value: number;
}

export interface Fact {
  name: string;
  value: string;
}

export interface File {
  bytes: number;
  created?: string;
  dropped?: boolean;
  kind: string;
  modified: string;
  name: string;
}

export interface FileEdit {
  edits: Edit[] | null;
  file: string;
  names?: Record<string, string>;
}

export interface FileList {
  complete: boolean;
  editor?: Editor | null;
  files: File[] | null;
  find: boolean;
  first?: string;
  loads: string[] | null;
  recordings: boolean;
  roots: string[] | null;
  schema: string;
  store: boolean;
  targets: string[] | null;
  version: string;
}

export interface FindCallee {
  function: string;
  share: number;
  value: number;
}

export interface FindResult {
  advice?: Advice[] | null;
  against?: BaselineComparison | null;
  candidates?: Candidate[] | null;
  cpu_per_request_ns?: number;
  dependencies?: Call[] | null;
  diagnoses?: DiagnosisLine[] | null;
  dir: string;
  findings: Finding[] | null;
  gc: number;
  gc_background: number;
  module: string;
  program?: string;
  requests?: Requests | null;
  rules: number;
  schema: string;
  stale?: Stale[] | null;
  totals: Total[] | null;
  unexplained: HotLine[] | null;
  upstream?: (FindResult | null)[] | null;
  version?: string;
  waiting?: HotLine[] | null;
  warnings?: Warning[] | null;
}

export interface Finding {
  evidence: Evidence[] | null;
  fix?: Fix | null;
  function: string;
  id: string;
  identity: Identity;
  known?: boolean;
  needs?: string;
  no_fix?: string;
  notes?: Note[] | null;
  places: Place[] | null;
  rule: string;
  safe: string;
  saving: number;
  saving_alone: number;
  saving_per_request_ns?: number;
  shared?: Shared[] | null;
  tier?: string;
  title: string;
  waits?: Wait[] | null;
  why: string;
}

export interface FindingCounts {
  others: number;
  review: number;
  rewrites: number;
}

export interface Fix {
  diff?: string;
  files?: FileEdit[] | null;
  message: string;
  setting?: Setting | null;
}

export interface FixResult {
  attempts: Attempt[] | null;
  broken?: Broken[] | null;
  dir: string;
  failing?: string[] | null;
  flaky?: string[] | null;
  interrupted?: boolean;
  module: string;
  rounds: number;
  sandboxed?: boolean;
  schema: string;
  service?: Measured | null;
  settings?: Attempt[] | null;
  took?: StepTime[] | null;
  total?: Measured | null;
  untried?: Untried[] | null;
  upstream?: (FixResult | null)[] | null;
  version?: string;
  warnings?: Warning[] | null;
  with_settings?: Measured | null;
}

export interface FlameTree {
  facts: Fact[] | null;
  schema: string;
  title: string;
  views: FlameTreeView[] | null;
  warnings?: Warning[] | null;
}

export interface FlameTreeNode {
  file?: string;
  kind?: string;
  line?: number;
  name?: string;
  package?: string;
  parent: number;
  self: number;
  smaller?: number;
  total: number;
}

export interface FlameTreeView {
  nodes: FlameTreeNode[] | null;
  ordered?: boolean;
  total: number;
  type: string;
  unit: string;
}

export interface Frame {
  file?: string;
  line?: number;
  name: string;
}

export interface GC {
  alloc_bytes: number;
  alloc_objects: number;
  alloc_rate?: number;
  count: number;
  cpu: Share[] | null;
  earlier?: GC | null;
  forced?: number;
  gogc?: number | null;
  interval_ns?: number;
  last_gc?: string;
  memory_limit?: number | null;
  next_gc: number;
  object_rate?: number;
  pauses: Pauses;
  rate?: number;
  window_ns?: number;
}

export interface GraphEdge {
  from: number;
  inlined: boolean;
  residual: boolean;
  share: number;
  to: number;
  weight: number;
}

export interface GraphNode {
  address?: number;
  cum: number;
  cum_share: number;
  file?: string;
  flat: number;
  flat_share: number;
  function?: string;
  kind?: string;
  line?: number;
  name: string;
}

export interface Header {
  base?: string[] | null;
  duration_ns?: number;
  filters?: string[] | null;
  go_version?: string;
  gomaxprocs?: number;
  name: string;
  own?: string[] | null;
  own_from?: string;
  per_request?: string;
  profile?: string;
  program?: string;
  sample_type: ValueType;
  samples?: number;
  stacks: number;
  target?: string;
  time?: string;
  total: number;
}

export interface HistoryChange {
  after: number;
  at: number;
  from: number;
  text: string;
  to: number;
  verdict: string;
}

export interface HistoryCommit {
  hash: string;
  short: string;
  subject: string;
  time: string;
}

export interface HistoryDoc {
  changes: HistoryListed[] | null;
  commits: HistoryCommit[] | null;
  facts: Fact[] | null;
  legend: string;
  notes: string[] | null;
  series: HistorySeries[] | null;
  tables: Table[] | null;
  title: string;
}

export interface HistoryListed {
  after: number;
  at: number;
  cells: string[] | null;
  verdict: string;
}

export interface HistoryPoint {
  bounded: boolean;
  center: number;
  commit: number;
  high: number;
  low: number;
  n: number;
  runs: number;
}

export interface HistorySeries {
  about: string;
  better: string;
  binary: boolean;
  changes: HistoryChange[] | null;
  name: string;
  points: HistoryPoint[] | null;
  unit: string;
}

export interface HotLine {
  code: string;
  column: number;
  end_line: number;
  evidence: Evidence[] | null;
  file: string;
  function: string;
  line: number;
  notes?: Note[] | null;
  share: number;
  waits?: Wait[] | null;
  why?: string;
}

export interface Identity {
  category?: string;
  code?: string;
  function?: string;
  package?: string;
  rule: string;
}

export interface Job {
  attached?: boolean;
  command: string[] | null;
  ended?: string;
  error?: string;
  hint?: string;
  id: string;
  kind: string;
  result?: unknown;
  resumes?: string;
  started: string;
  state: string;
  title: string;
}

export interface JobList {
  jobs: Job[] | null;
}

export interface JobRequest {
  dependencies?: boolean;
  duration?: string;
  file?: string;
  kind: string;
  load?: string;
  target?: string;
  trace?: string;
  try?: boolean;
}

export interface Knee {
  capacity: number;
  limit_ns: number;
  metric: string;
  points: KneePoint[] | null;
}

export interface KneePoint {
  held: boolean;
  rate: number;
  value_ns: number;
}

export interface LabelCount {
  count: number;
  key: string;
  value: string;
}

export interface Labels {
  missing_shards?: string[] | null;
  name?: string;
  schema: string;
  values: string[] | null;
  warnings?: Warning[] | null;
}

export interface Latency {
  hdr?: string;
  max_ns: number;
  mean_ns: number;
  min_ns: number;
  p50_ns?: number;
  p75_ns?: number;
  p90_ns?: number;
  p95_ns?: number;
  p99_99_ns?: number;
  p99_9_ns?: number;
  p99_ns?: number;
  stddev_ns: number;
}

export interface Line {
  also_cost?: number;
  also_share?: number;
  callees: Callee[] | null;
  cost: number;
  file: string;
  function: string;
  line: number;
  path: string;
  self: number;
  share: number;
}

export interface LineChange {
  adjusted_p: number;
  after: number;
  before: number;
  change: number;
  code?: string;
  high: number;
  line_after?: number;
  line_before?: number;
  low: number;
  p: number;
  relative: number;
}

export interface LineSeries {
  file: string;
  function: string;
  line: number;
  total: number;
  values: number[] | null;
}

export interface LinesNote {
  column?: number;
  group: string;
  inlined?: At[] | null;
  kind: string;
  line: number;
  message: string;
  through?: Step[] | null;
}

export interface List {
  functions: ListFunction[] | null;
  profile: Header;
  schema: string;
  warnings?: Warning[] | null;
}

export interface ListCall {
  cum: number;
  function: string;
  injected?: boolean;
}

export interface ListFunction {
  cum: number;
  file?: string;
  flat: number;
  lines: ListLine[] | null;
  name: string;
  no_source?: string;
  source?: string;
  stale?: boolean;
}

export interface ListInline {
  calls?: ListCall[] | null;
  cum: number;
  file?: string;
  flat: number;
  function: string;
  inlined?: ListInline[] | null;
  line: number;
  text?: string;
}

export interface ListLine {
  calls?: ListCall[] | null;
  cum: number;
  flat: number;
  gap?: boolean;
  inlined?: ListInline[] | null;
  line: number;
  text: string;
}

export interface LiveLine {
  alloc_bytes: number[] | null;
  alloc_sum_bytes: number;
  cpu_ns: number[] | null;
  cpu_sum_ns: number;
  file: string;
  function: string;
  line: number;
  path: string;
}

export interface LoadBar {
  share: number;
  upper: number;
}

export interface LoadCell {
  chance: boolean;
  name: string;
  text: string;
}

export interface LoadDoc {
  knees: Knee[] | null;
  notes: string[] | null;
  runs: LoadRun[] | null;
  tables: Table[] | null;
  title: string;
}

export interface LoadPoint {
  inverse: number;
  ms: number;
}

export interface LoadReason {
  hint: string;
  text: string;
}

export interface LoadRun {
  answered: boolean;
  bars: LoadBar[] | null;
  facts: Fact[] | null;
  latency: LoadCell[] | null;
  name: string;
  outcomes: LoadSeries[] | null;
  percentiles: LoadPoint[] | null;
  reasons: LoadReason[] | null;
  seconds: LoadSecond[] | null;
  setting: string;
  target: string;
  warnings: string[] | null;
}

export interface LoadSecond {
  at: number;
  failed: number;
  length: number;
  max: number;
  p50: number;
  p99: number;
  partial: boolean;
  rate: number;
}

export interface LoadSeries {
  failed: boolean;
  name: string;
  values: number[] | null;
}

export interface LogMark {
  at: number;
  category: string;
  stack: number;
  text: string;
}

export interface Login {
  token: string;
}

export interface Machine {
  cpu?: string;
  go: string;
  goarch: string;
  godebug?: string;
  gogc?: string;
  gomaxprocs?: string;
  goos: string;
  governor?: string;
  kernel?: string;
  load?: string;
  processors: number;
}

export interface MarkAnswer {
  from: number;
  names: string[] | null;
  partial: number;
  rows: MarkRow[] | null;
  to: number;
}

export interface MarkRow {
  id: string;
  logs: LogMark[] | null;
  regions: (number[] | null)[] | null;
  samples: (number[] | null)[] | null;
}

export interface Mean {
  high: number;
  low: number;
  of: number;
  ratio: number;
  unit: string;
}

export interface Measured {
  ab: AbResult | null;
  benchmarks?: string[] | null;
  paths?: string[] | null;
  written?: string;
}

export interface MeasuredEntry {
  about?: string;
  document?: string;
  id: string;
  kind: string;
  revision?: string;
  service: string;
  size: number;
  time: string;
}

export interface Member {
  group: string;
  left_ns: number;
  member: string;
  targets: number;
}

export interface MemoryPart {
  bytes: number;
  change?: number | null;
  estimated?: boolean;
  id: string;
  meaning: string;
  name: string;
  share: number;
}

export interface MemoryReport {
  before?: Sums | null;
  earlier?: string;
  earlier_total?: number;
  gc: GC;
  go: number;
  heap_alloc: number;
  heap_inuse: number;
  heap_objects: number;
  heap_sys: number;
  name: string;
  parts: MemoryPart[] | null;
  peak_rss?: number;
  released: number;
  rss?: number;
  schema: string;
  sys: number;
  total: number;
  unknown?: string[] | null;
  warnings?: Warning[] | null;
}

export interface Meta {
  build?: Build | null;
  command_line?: string[] | null;
  created: string;
  duration_ns: number;
  go_version?: string;
  goarch?: string;
  gomaxprocs?: number;
  goos?: string;
  interrupted?: boolean;
  missing?: Missing[] | null;
  num_cpu?: number;
  own?: string[] | null;
  parts: Part[] | null;
  target: Target;
  version: number;
  whet?: string;
}

export interface Missing {
  hint?: string;
  part: string;
  reason: string;
}

export interface Module {
  path: string;
  replace?: Module | null;
  sum?: string;
  version?: string;
}

export interface Node {
  address?: number;
  cum: number;
  cum_share: number;
  file?: string;
  flat: number;
  flat_share: number;
  function?: string;
  line?: number;
  name: string;
}

export interface Note {
  column?: number;
  inlined?: At[] | null;
  kind: string;
  line: number;
  message: string;
  through?: Step[] | null;
}

export interface NotedLine {
  line: number;
  notes: LinesNote[] | null;
}

export interface Open {
  arrivals: string;
  ramp_ns?: number;
  ramp_to?: number;
  rate: number;
}

export interface OtherCPU {
  share: number;
  total_ns: number;
}

export interface Outcome {
  distinct: number;
  fixed?: boolean;
  function: string;
  inputs: number;
  returned: number;
  unproven?: string;
}

export interface OverTime {
  hidden: number;
  lines: TimeLine[] | null;
  points: TimePoint[] | null;
  program: string;
  sample_type: ValueType;
  schema: string;
  warnings?: Warning[] | null;
}

export interface Overview {
  also?: OwncodeSecond | null;
  collector?: Collector | null;
  costs: Cost[] | null;
  lines: OverviewLine[] | null;
  profile: Header;
  rest: Rest[] | null;
  schema: string;
  warnings?: Warning[] | null;
}

export interface OverviewLine {
  also_cost?: number;
  also_share?: number;
  callees: Callee[] | null;
  code?: string;
  cost: number;
  file: string;
  finding?: Finding | null;
  function: string;
  line: number;
  path: string;
  self: number;
  share: number;
}

export interface OwncodeResult {
  also?: OwncodeSecond | null;
  cost: number;
  filtered: number;
  hidden: number;
  lines: Line[] | null;
  rest: Rest[] | null;
  rest_cost: number;
  share: number;
  shown: number;
}

export interface OwncodeSecond {
  cost: number;
  profile: string;
  sample_type: ValueType;
  total: number;
}

export interface Part {
  bytes: number;
  end?: string;
  kind: string;
  name: string;
  note?: string;
  path?: string;
  sha256?: string;
  start?: string;
}

export interface Pauses {
  histogram: Bucket[] | null;
  max_ns: number;
  n: number;
  of: number;
  p50_ns?: number;
  p90_ns?: number;
  p99_ns?: number;
  total_ns: number;
}

export interface Phases {
  connect?: Latency | null;
  first_byte: Latency;
  tls?: Latency | null;
  transfer: Latency;
}

export interface Place {
  code: string;
  column: number;
  end_line: number;
  file: string;
  line: number;
}

export interface Plan {
  fit?: boolean;
  length_ns: number;
  pinned: boolean;
  shared?: boolean;
  together: boolean;
}

export interface Point {
  at: number;
  last: number;
  max: number;
  min: number;
}

export interface Prediction {
  below: number;
  benchmark: string;
  change: number;
  high: number;
  inputs?: string;
  low: number;
  other?: number;
  share: number;
  similar?: number;
  unknown?: string;
}

export interface Problem {
  detail: string;
  hint?: string;
  status: number;
  title: string;
  type: string;
}

export interface ProfileTypes {
  name: string;
  types: ValueType[] | null;
}

export interface Profiles {
  missing_shards?: string[] | null;
  profiles: StoreMeta[] | null;
  schema: string;
  warnings?: Warning[] | null;
}

export interface ProveCost {
  share: number;
}

export interface ProveMissing {
  do: string;
  what: string;
}

export interface ProveResult {
  a: string;
  b: string;
  base: Base;
  changed: Changed;
  cost?: ProveCost | null;
  interrupted?: boolean;
  missing?: ProveMissing[] | null;
  module: string;
  outcome: string;
  packages?: string[] | null;
  place?: Place | null;
  predicted?: Prediction | null;
  reason: string;
  reproducer?: Reproducer | null;
  sandboxed?: boolean;
  schema: string;
  side_costs?: CostsCost[] | null;
  suspects?: Suspect[] | null;
  tests_of: string;
  verdict?: Verdict | null;
  warnings?: Warning[] | null;
}

export interface Recording {
  about?: string;
  duration_ns: number;
  id: string;
  labels: Record<string, string>;
  service: string;
  size: number;
  start: string;
}

export interface Recordings {
  missing_shards?: string[] | null;
  recordings: Recording[] | null;
  schema: string;
  warnings?: Warning[] | null;
}

export interface Regressions {
  from: string;
  gone: RegressionsChange[] | null;
  improvements: RegressionsChange[] | null;
  kind: string;
  missing_shards?: string[] | null;
  q: number;
  regressions: RegressionsChange[] | null;
  schema: string;
  services: Service[] | null;
  shifts: Shift[] | null;
  step_ns: number;
  tested: number;
  to: string;
  type: ValueType;
  warnings?: Warning[] | null;
}

export interface RegressionsChange {
  adjusted_p: number;
  after: number;
  at: string;
  before: number;
  cause: string;
  change: number;
  deploy?: Deploy | null;
  file?: string;
  function: string;
  high: number;
  lines?: LineChange[] | null;
  low: number;
  p: number;
  relative: number;
  service: string;
  whole: boolean;
}

export interface Report {
  creators: ReportCreator[] | null;
  earlier?: string;
  earlier_total?: number;
  filtered: number;
  filters?: string[] | null;
  groups: ReportGroup[] | null;
  hidden: number;
  kind: string;
  leak_profile: boolean;
  left: number;
  name: string;
  own?: string[] | null;
  reason?: string;
  schema: string;
  time?: string;
  total: number;
  trace_duration_ns?: number;
  warnings?: Warning[] | null;
}

export interface ReportCreator {
  before?: number;
  count: number;
  creator?: Frame | null;
  delta?: number;
  groups: number;
  leaked?: number;
  own?: boolean;
}

export interface ReportGroup {
  before?: number;
  count: number;
  creator?: Frame | null;
  creator_from?: string;
  delta?: number;
  ids?: number[] | null;
  in_bubble?: number;
  labels?: LabelCount[] | null;
  leaked?: number;
  locked_to_thread?: number;
  own?: Frame | null;
  reason?: string;
  reason_from?: string;
  stack: Frame[] | null;
  truncated?: boolean;
  verdict?: string;
  wait_at_least?: boolean;
  wait_from?: string;
  wait_ns?: number;
  why?: string;
}

export interface Reproducer {
  command: string;
  file?: string;
  input?: string;
  not?: string;
  source?: string;
  test: string;
}

export interface Requests {
  count: number;
  time_ns: number;
  waits?: Wait[] | null;
}

export interface Rest {
  cost: number;
  roots: Callee[] | null;
  share: number;
  what: string;
}

export interface Result {
  bytes: number;
  connections: number;
  connects: number;
  cpu?: CPU | null;
  elapsed_ns: number;
  engine: string;
  engine_choice?: EngineChoice | null;
  errors: Errors;
  interrupted: boolean;
  latency: Latency;
  method: string;
  model: string;
  open?: Open | null;
  other_cpu?: OtherCPU | null;
  per_target?: TargetResult[] | null;
  phases?: Phases | null;
  protocol: string;
  rate: number;
  requests: number;
  responses: number;
  retries: number;
  schema: string;
  seconds: Second[] | null;
  send?: SendDelay | null;
  sent: Sent;
  started: string;
  status: Record<string, number>;
  streams?: number;
  target_cpu?: TargetCPU | null;
  targets: string[] | null;
  unfinished: number;
  warmup_ns: number;
  warnings?: Warning[] | null;
  workers?: number;
}

export interface Results {
  missing_shards?: string[] | null;
  results: MeasuredEntry[] | null;
  schema: string;
  warnings?: Warning[] | null;
}

export interface RowInfo {
  from: number;
  goroutine?: string;
  id: string;
  kind: string;
  name: string;
  to: number;
}

export interface RowList {
  rows: RowInfo[] | null;
  total: number;
  type: string;
}

export interface RowSpans {
  id: string;
  parts?: (number[] | null)[] | null;
  spans?: (number[] | null)[] | null;
}

export interface Second {
  bytes: number;
  elapsed_ns: number;
  errors: number;
  failures?: Record<string, number>;
  max_ns: number;
  p50_ns?: number;
  p99_ns?: number;
  partial?: boolean;
  rate: number;
  responses: number;
  start_ns: number;
  status?: Record<string, number>;
  target_cpu_ns?: number;
}

export interface SendDelay {
  max_ns: number;
  own_p99_ns: number;
  p50_ns?: number;
  p90_ns?: number;
  p99_9_ns?: number;
  p99_ns?: number;
  waited: number;
}

export interface Sent {
  body_bytes?: number;
  headers?: string[] | null;
  rows?: number;
  sha256: string;
  targets: number;
  variables?: string[] | null;
}

export interface Series {
  missing_shards?: string[] | null;
  schema: string;
  series: StoreSeries[] | null;
  types: Type[] | null;
  warnings?: Warning[] | null;
}

export interface Service {
  deploys: Deploy[] | null;
  functions: number;
  instances: number;
  lines: number;
  name: string;
  profiles: number;
  seasonal: boolean;
}

export interface Session {
  logged_in: boolean;
}

export interface Setting {
  build?: string[] | null;
  run?: string[] | null;
}

export interface Share {
  from: string;
  of: string;
  share: number;
}

export interface Shared {
  evidence: Evidence[] | null;
  with: string;
}

export interface Shift {
  at: string;
  deploy?: Deploy | null;
  from: RegressionsChange[] | null;
  high: number;
  low: number;
  net: number;
  service: string;
  to: RegressionsChange;
}

export interface Side {
  duration_ns: number;
  events: number;
  name: string;
  noise: number;
  total: number;
  work?: Count | null;
}

export interface SourceNotes {
  file: string;
  lines: NotedLine[] | null;
  schema: string;
  warnings?: Warning[] | null;
}

export interface SpanAnswer {
  from: number;
  rows: RowSpans[] | null;
  to: number;
  width: number;
}

export interface StackAnswer {
  by: string;
  frames: TimelineFrame[] | null;
  partial: number;
  stacks: StackWeight[] | null;
  total: number;
}

export interface StackWeight {
  frames: number[] | null;
  state: number;
  value: number;
}

export interface Stale {
  file: string;
  function: string;
  reason: string;
  share: number;
}

export interface State {
  alloc_bytes: number;
  cpu_ns: number;
  hidden: number;
  lines: LiveLine[] | null;
  no_own?: boolean;
  own_alloc_bytes: number;
  own_cpu_ns: number;
  profiled_ns: number;
  schema: string;
  started: string;
  target: string;
  warnings?: Warning[] | null;
  windows: Window[] | null;
}

export interface Stats {
  first: string;
  last: string;
  profiles: number;
  samples: number;
  series: number;
}

export interface Status {
  member?: string;
  members?: Member[] | null;
  profiles: Counts;
  schema: string;
  targets: TargetState[] | null;
  warnings?: Warning[] | null;
}

export interface Stay {
  from: number;
  id: string;
  stack: number;
  state: number;
  to: number;
}

export interface StayAnswer {
  buckets: StayBucket[] | null;
  count: number;
  longest: Stay[] | null;
  partial: number;
  total: number;
}

export interface StayBucket {
  count: number;
  from: number;
  time: number;
  to: number;
}

export interface Step {
  line: number;
  message: string;
}

export interface StepTime {
  ns: number;
  what: string;
}

export interface StoreMeta {
  duration_ns: number;
  id: string;
  kind: string;
  labels: Record<string, string>;
  samples: number;
  service: string;
  start: string;
}

export interface StoreSeries {
  first: string;
  kind: string;
  labels: Record<string, string>;
  last: string;
  profiles: number;
  service: string;
}

export interface Strength {
  by_inputs: number;
  by_tests: number;
  mutants: number;
  not?: string[] | null;
  noticed: number;
  survivors?: Survivor[] | null;
  timed_out?: number;
  unreached?: number;
  untried?: number;
}

export interface SubjectResult {
  can_share?: boolean;
  elapsed_ns: number;
  error?: string;
  free?: boolean;
  name: string;
  pairs: number;
  stopped: string;
  units: Unit[] | null;
  varied_layout?: boolean;
}

export interface Summary {
  median: number;
  q1: number;
  q3: number;
}

export interface Sums {
  go: number;
  heap_alloc: number;
  heap_inuse: number;
  rss?: number;
}

export interface Survivor {
  diff: string;
  file: string;
  line: number;
  mutator: string;
  reached: boolean;
}

export interface Suspect {
  file: string;
  gone?: boolean;
  what: string;
  why: string;
}

export interface Table {
  caption: string;
  columns: string[] | null;
  rows: (string[] | null)[] | null;
}

export interface TagKey {
  hidden: number;
  key: string;
  left: number;
  share: number;
  total: number;
  values: TagValue[] | null;
}

export interface TagValue {
  filter?: string;
  share: number;
  value: string;
  weight: number;
}

export interface Tags {
  keys: TagKey[] | null;
  profile: Header;
  schema: string;
  warnings?: Warning[] | null;
}

export interface Target {
  address?: string;
  bench?: string;
  command?: string[] | null;
  kind: string;
  pattern?: string;
  pid?: number;
}

export interface TargetCPU {
  command?: string;
  cores: number;
  per_request_ns: number;
  pid?: number;
  total_ns: number;
}

export interface TargetResult {
  bytes: number;
  errors: Errors;
  latency: Latency;
  method: string;
  name?: string;
  rate: number;
  requests: number;
  responses: number;
  status: Record<string, number>;
  targets: number;
  url: string;
}

export interface TargetState {
  error?: string;
  failures?: number;
  job: string;
  labels: Record<string, string>;
  last?: string;
  missed?: number;
  next?: string;
  owner?: string;
  profiles: number;
  scrapes: number;
  service: string;
  state: string;
  target: string;
  took_ns?: number;
}

export interface TimeLine {
  code?: string;
  cost: number[] | null;
  function: string;
  line: number[] | null;
  path: string;
  share: number[] | null;
}

export interface TimePoint {
  name: string;
  own: number;
  requests?: number;
  taken: string;
  total: number;
}

export interface Timeline {
  from: string;
  lines: LineSeries[] | null;
  missing_shards?: string[] | null;
  schema: string;
  stats: Stats;
  step_ns: number;
  totals: number[] | null;
  type: ValueType;
  warnings?: Warning[] | null;
}

export interface TimelineFrame {
  file: string;
  function: string;
  kind?: string;
  line: number;
}

export interface TimelineState {
  group: string;
  name: string;
}

export interface Top {
  all?: All | null;
  collector?: Collector | null;
  own?: OwncodeResult | null;
  profile: Header;
  schema: string;
  warnings?: Warning[] | null;
}

export interface Total {
  cost: string;
  own: number;
  unit: string;
  value: number;
}

export interface Trace {
  damage?: string;
  duration: number;
  events: number;
  metrics: string[] | null;
  name: string;
  schema: string;
  states: TimelineState[] | null;
  types: TypeCount[] | null;
}

export interface Trial {
  pair_ns: number;
  pairs: number;
  plan: Plan;
  reach: number;
  spread: number;
}

export interface Type {
  default?: string;
  kind: string;
  period?: number;
  period_type: ValueType;
  sample_types: ValueType[] | null;
}

export interface TypeCount {
  count: number;
  type: string;
}

export interface Unit {
  a: Summary;
  b: Summary;
  better: string;
  high: number;
  low: number;
  p: number;
  q: number;
  ratio: number;
  rounds: (number[] | null)[] | null;
  shared?: boolean;
  spread: number;
  unit: string;
  verdict: string;
}

export interface Untried {
  file: string;
  function: string;
  line?: number;
  reason: string;
  share: number;
  tier?: string;
  title: string;
  waiting?: HotLine | null;
}

export interface Utilization {
  at: number;
  share: number;
  window: number;
}

export interface UtilizationAnswer {
  partial: number;
  points: Utilization[] | null;
}

export interface Value {
  after: number;
  before: number;
  change: number;
  noise: number;
  per_request?: Change | null;
  relative: number | null;
  within_noise: boolean;
}

export interface ValueType {
  type: string;
  unit: string;
}

export interface Verdict {
  answers?: Answers | null;
  aside?: string[] | null;
  configs?: ConfigBuild[] | null;
  ignored?: number;
  measured?: Measured | null;
  open?: string[] | null;
  raced?: boolean;
  same_code?: number;
  stage: string;
  strength?: Strength | null;
  tested?: number;
  took?: StepTime[] | null;
  unproven?: string;
}

export interface Wait {
  cause: string;
  count?: number;
  ended_by?: Waker[] | null;
  max_ns?: number;
  share: number;
  time_ns: number;
}

export interface Waker {
  file: string;
  function: string;
  line: number;
  own?: boolean;
  share: number;
}

export interface Warning {
  hint?: string;
  kind?: string;
  text: string;
  where?: string;
}

export interface Window {
  alloc_bytes: number;
  cpu_ns: number;
  error?: string;
  hint?: string;
  length_ns: number;
  own_cpu_ns: number;
  start: string;
}

export interface Work {
  functions?: string[] | null;
  kind: string;
  share: number;
}

export interface WorkbenchFile {
  file: File;
  load?: Result | null;
  meta?: Meta | null;
  profiles: ProfileTypes[] | null;
  result?: About | null;
  schema: string;
  target?: string;
  trace: boolean;
  warnings?: Warning[] | null;
}

export interface WorkbenchPart {
  kind: string;
  share: number;
  value: number;
}
