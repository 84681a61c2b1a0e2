package wire

// Profile types, labels and series.
type (
	// A ProfileType is a sample type of a kind of profiles.
	ProfileType struct {
		ID         string `pb:"1" json:"ID,omitempty"`
		Name       string `pb:"2" json:"name,omitempty"`
		SampleType string `pb:"4" json:"sampleType,omitempty"`
		SampleUnit string `pb:"5" json:"sampleUnit,omitempty"`
		PeriodType string `pb:"6" json:"periodType,omitempty"`
		PeriodUnit string `pb:"7" json:"periodUnit,omitempty"`
	}
	// A LabelPair is a label.
	LabelPair struct {
		Name  string `pb:"1" json:"name,omitempty"`
		Value string `pb:"2" json:"value,omitempty"`
	}
	// Labels are those of a series.
	Labels struct {
		Labels []*LabelPair `pb:"1" json:"labels,omitempty"`
	}
	// A Point is the value of a series at a time, in milliseconds.
	Point struct {
		Value     float64     `pb:"1" json:"value,omitempty"`
		Timestamp Int         `pb:"2" json:"timestamp,omitempty"`
		Exemplars []*Exemplar `pb:"4" json:"exemplars,omitempty"`
	}
	// A Series is points over time.
	Series struct {
		Labels []*LabelPair `pb:"1" json:"labels,omitempty"`
		Points []*Point     `pb:"2" json:"points,omitempty"`
	}
	// An Exemplar is one profile, or one span of a profile.
	Exemplar struct {
		Timestamp Int          `pb:"1" json:"timestamp,omitempty"`
		ProfileID string       `pb:"2" json:"profileId,omitempty"`
		SpanID    string       `pb:"3" json:"spanId,omitempty"`
		Value     Int          `pb:"4" json:"value,omitempty"`
		Labels    []*LabelPair `pb:"5" json:"labels,omitempty"`
	}
	// A Location is one frame of a call site.
	Location struct {
		Name string `pb:"1" json:"name,omitempty"`
	}
	// A StackTraceSelector selects stacks.
	StackTraceSelector struct {
		CallSite []*Location `pb:"1" json:"callSite,omitempty"`
		GoPGO    *GoPGO      `pb:"2" json:"goPgo,omitempty"`
	}
	// GoPGO prepares a profile for the Go compiler.
	GoPGO struct {
		KeepLocations    uint32 `pb:"1" json:"keepLocations,omitempty"`
		AggregateCallees bool   `pb:"2" json:"aggregateCallees,omitempty"`
	}
)

// Requests for what there is, and their answers. Times are in milliseconds.
type (
	// ProfileTypesRequest asks for profile types.
	ProfileTypesRequest struct {
		Start Int `pb:"1" json:"start,omitempty"`
		End   Int `pb:"2" json:"end,omitempty"`
	}
	// ProfileTypesResponse lists them.
	ProfileTypesResponse struct {
		ProfileTypes []*ProfileType `pb:"1" json:"profileTypes,omitempty"`
	}
	// LabelValuesRequest asks for the values of a label.
	LabelValuesRequest struct {
		Name     string   `pb:"1" json:"name,omitempty"`
		Matchers []string `pb:"2" json:"matchers,omitempty"`
		Start    Int      `pb:"3" json:"start,omitempty"`
		End      Int      `pb:"4" json:"end,omitempty"`
	}
	// LabelNamesRequest asks for the names of labels.
	LabelNamesRequest struct {
		Matchers []string `pb:"1" json:"matchers,omitempty"`
		Start    Int      `pb:"2" json:"start,omitempty"`
		End      Int      `pb:"3" json:"end,omitempty"`
	}
	// NamesResponse lists names or values of labels.
	NamesResponse struct {
		Names []string `pb:"1" json:"names,omitempty"`
	}
	// SeriesRequest asks for the sets of labels.
	SeriesRequest struct {
		Matchers   []string `pb:"1" json:"matchers,omitempty"`
		LabelNames []string `pb:"2" json:"labelNames,omitempty"`
		Start      Int      `pb:"3" json:"start,omitempty"`
		End        Int      `pb:"4" json:"end,omitempty"`
	}
	// SeriesResponse lists them.
	SeriesResponse struct {
		LabelsSet []*Labels `pb:"2" json:"labelsSet,omitempty"`
	}
	// StatsRequest asks when the oldest and the newest profile were taken.
	StatsRequest struct{}
	// StatsResponse says so.
	StatsResponse struct {
		DataIngested      bool `pb:"1" json:"dataIngested,omitempty"`
		OldestProfileTime Int  `pb:"2" json:"oldestProfileTime,omitempty"`
		NewestProfileTime Int  `pb:"3" json:"newestProfileTime,omitempty"`
	}
	// AnalyzeQueryRequest asks how much a query reads.
	AnalyzeQueryRequest struct {
		Start Int    `pb:"2" json:"start,omitempty"`
		End   Int    `pb:"3" json:"end,omitempty"`
		Query string `pb:"4" json:"query,omitempty"`
	}
	// AnalyzeQueryResponse says how much.
	AnalyzeQueryResponse struct {
		QueryScopes []*QueryScope `pb:"1" json:"queryScopes,omitempty"`
		QueryImpact *QueryImpact  `pb:"2" json:"queryImpact,omitempty"`
	}
	// A QueryScope is what one component reads.
	QueryScope struct {
		ComponentType  string `pb:"1" json:"componentType,omitempty"`
		ComponentCount Uint   `pb:"2" json:"componentCount,omitempty"`
		SeriesCount    Uint   `pb:"4" json:"seriesCount,omitempty"`
		ProfileCount   Uint   `pb:"5" json:"profileCount,omitempty"`
		SampleCount    Uint   `pb:"6" json:"sampleCount,omitempty"`
	}
	// QueryImpact is what all of them read.
	QueryImpact struct {
		TotalQueriedSeries Uint `pb:"3" json:"totalQueriedSeries,omitempty"`
	}
)

// Requests for profiles, and their answers.
type (
	// SelectMergeStacktracesRequest asks for a merged profile.
	SelectMergeStacktracesRequest struct {
		ProfileTypeID      string              `pb:"1" json:"profileTypeID,omitempty"`
		LabelSelector      string              `pb:"2" json:"labelSelector,omitempty"`
		Start              Int                 `pb:"3" json:"start,omitempty"`
		End                Int                 `pb:"4" json:"end,omitempty"`
		MaxNodes           Int                 `pb:"5" json:"maxNodes,omitempty"`
		Format             Format              `pb:"6" json:"format,omitempty"`
		StackTraceSelector *StackTraceSelector `pb:"7" json:"stackTraceSelector,omitempty"`
		ProfileIDSelector  []string            `pb:"8" json:"profileIdSelector,omitempty"`
		Async              *AsyncQueryRequest  `pb:"9" json:"async,omitempty"`
		TraceIDSelector    []string            `pb:"10" json:"traceIdSelector,omitempty"`
		SpanSelector       []string            `pb:"11" json:"spanSelector,omitempty"`
	}
	// AsyncQueryRequest asks for an answer later.
	AsyncQueryRequest struct {
		RequestID string `pb:"1" json:"requestId,omitempty"`
	}
	// SelectMergeStacktracesResponse is a merged profile.
	SelectMergeStacktracesResponse struct {
		Flamegraph *FlameGraph   `pb:"1" json:"flamegraph,omitempty"`
		Dot        string        `pb:"3" json:"dot,omitempty"`
		Pprof      *PprofProfile `pb:"5" json:"pprof,omitempty"`
	}
	// PprofProfile is a profile in pprof's format.
	PprofProfile struct {
		Profile *Profile `pb:"1" json:"profile,omitempty"`
	}
	// SelectMergeSpanProfileRequest asks for the merged profile of some spans.
	SelectMergeSpanProfileRequest struct {
		ProfileTypeID string   `pb:"1" json:"profileTypeID,omitempty"`
		LabelSelector string   `pb:"2" json:"labelSelector,omitempty"`
		SpanSelector  []string `pb:"3" json:"spanSelector,omitempty"`
		Start         Int      `pb:"4" json:"start,omitempty"`
		End           Int      `pb:"5" json:"end,omitempty"`
		MaxNodes      Int      `pb:"6" json:"maxNodes,omitempty"`
		Format        Format   `pb:"7" json:"format,omitempty"`
	}
	// SelectMergeSpanProfileResponse is that profile.
	SelectMergeSpanProfileResponse struct {
		Flamegraph *FlameGraph `pb:"1" json:"flamegraph,omitempty"`
	}
	// SelectMergeProfileRequest asks for a merged profile in pprof's format.
	SelectMergeProfileRequest struct {
		ProfileTypeID      string              `pb:"1" json:"profileTypeID,omitempty"`
		LabelSelector      string              `pb:"2" json:"labelSelector,omitempty"`
		Start              Int                 `pb:"3" json:"start,omitempty"`
		End                Int                 `pb:"4" json:"end,omitempty"`
		MaxNodes           Int                 `pb:"5" json:"maxNodes,omitempty"`
		StackTraceSelector *StackTraceSelector `pb:"6" json:"stackTraceSelector,omitempty"`
		ProfileIDSelector  []string            `pb:"7" json:"profileIdSelector,omitempty"`
		TraceIDSelector    []string            `pb:"8" json:"traceIdSelector,omitempty"`
	}
	// DiffRequest asks for two profiles in one.
	DiffRequest struct {
		Left  *SelectMergeStacktracesRequest `pb:"1" json:"left,omitempty"`
		Right *SelectMergeStacktracesRequest `pb:"2" json:"right,omitempty"`
	}
	// DiffResponse is that.
	DiffResponse struct {
		Flamegraph *FlameGraphDiff `pb:"1" json:"flamegraph,omitempty"`
	}
	// A FlameGraph has, for each node of each level, four numbers: the distance to the node before it,
	// its total, its own value, and the index of its name.
	FlameGraph struct {
		Names   []string `pb:"1" json:"names,omitempty"`
		Levels  []*Level `pb:"2" json:"levels,omitempty"`
		Total   Int      `pb:"3" json:"total,omitempty"`
		MaxSelf Int      `pb:"4" json:"maxSelf,omitempty"`
	}
	// A FlameGraphDiff has seven: the first three of the left, those of the right, and the name.
	FlameGraphDiff struct {
		Names      []string `pb:"1" json:"names,omitempty"`
		Levels     []*Level `pb:"2" json:"levels,omitempty"`
		Total      Int      `pb:"3" json:"total,omitempty"`
		MaxSelf    Int      `pb:"4" json:"maxSelf,omitempty"`
		LeftTicks  Int      `pb:"5" json:"leftTicks,omitempty"`
		RightTicks Int      `pb:"6" json:"rightTicks,omitempty"`
	}
	// A Level is the nodes at one depth.
	Level struct {
		Values []Int `pb:"1" json:"values,omitempty"`
	}
	// SelectSeriesRequest asks for sums over time. Step is in seconds.
	SelectSeriesRequest struct {
		ProfileTypeID      string              `pb:"1" json:"profileTypeID,omitempty"`
		LabelSelector      string              `pb:"2" json:"labelSelector,omitempty"`
		Start              Int                 `pb:"3" json:"start,omitempty"`
		End                Int                 `pb:"4" json:"end,omitempty"`
		GroupBy            []string            `pb:"5" json:"groupBy,omitempty"`
		Step               float64             `pb:"6" json:"step,omitempty"`
		Aggregation        Aggregation         `pb:"7" json:"aggregation,omitempty"`
		StackTraceSelector *StackTraceSelector `pb:"8" json:"stackTraceSelector,omitempty"`
		Limit              Int                 `pb:"9" json:"limit,omitempty"`
		ExemplarType       ExemplarType        `pb:"10" json:"exemplarType,omitempty"`
	}
	// SelectSeriesResponse has them.
	SelectSeriesResponse struct {
		Series []*Series `pb:"1" json:"series,omitempty"`
	}
	// SelectHeatmapRequest asks how many profiles had which values over time.
	SelectHeatmapRequest struct {
		ProfileTypeID string       `pb:"1" json:"profileTypeID,omitempty"`
		LabelSelector string       `pb:"2" json:"labelSelector,omitempty"`
		Start         Int          `pb:"3" json:"start,omitempty"`
		End           Int          `pb:"4" json:"end,omitempty"`
		Step          float64      `pb:"5" json:"step,omitempty"`
		GroupBy       []string     `pb:"6" json:"groupBy,omitempty"`
		QueryType     HeatmapType  `pb:"7" json:"queryType,omitempty"`
		ExemplarType  ExemplarType `pb:"8" json:"exemplarType,omitempty"`
		Limit         Int          `pb:"9" json:"limit,omitempty"`
	}
	// SelectHeatmapResponse says how many.
	SelectHeatmapResponse struct {
		Series []*HeatmapSeries `pb:"1" json:"series,omitempty"`
	}
	// A HeatmapSeries is the profiles of a group.
	HeatmapSeries struct {
		Labels []*LabelPair   `pb:"1" json:"labels,omitempty"`
		Slots  []*HeatmapSlot `pb:"2" json:"slots,omitempty"`
	}
	// A HeatmapSlot is one step, which ends at Timestamp.
	HeatmapSlot struct {
		Timestamp Int         `pb:"1" json:"timestamp,omitempty"`
		YMin      []float64   `pb:"2" json:"yMin,omitempty"`
		Counts    []int32     `pb:"3" json:"counts,omitempty"`
		Exemplars []*Exemplar `pb:"4" json:"exemplars,omitempty"`
	}
)

// A Profile is google.v1.Profile, which is pprof's. Texts are indices into StringTable.
type (
	Profile struct {
		SampleType        []*ValueType       `pb:"1" json:"sampleType,omitempty"`
		Sample            []*Sample          `pb:"2" json:"sample,omitempty"`
		Mapping           []*Mapping         `pb:"3" json:"mapping,omitempty"`
		Location          []*ProfileLocation `pb:"4" json:"location,omitempty"`
		Function          []*Function        `pb:"5" json:"function,omitempty"`
		StringTable       []string           `pb:"6" json:"stringTable,omitempty"`
		DropFrames        Int                `pb:"7" json:"dropFrames,omitempty"`
		KeepFrames        Int                `pb:"8" json:"keepFrames,omitempty"`
		TimeNanos         Int                `pb:"9" json:"timeNanos,omitempty"`
		DurationNanos     Int                `pb:"10" json:"durationNanos,omitempty"`
		PeriodType        *ValueType         `pb:"11" json:"periodType,omitempty"`
		Period            Int                `pb:"12" json:"period,omitempty"`
		Comment           []Int              `pb:"13" json:"comment,omitempty"`
		DefaultSampleType Int                `pb:"14" json:"defaultSampleType,omitempty"`
	}
	// A ValueType is a sample type.
	ValueType struct {
		Type Int `pb:"1" json:"type,omitempty"`
		Unit Int `pb:"2" json:"unit,omitempty"`
	}
	// A Sample is a stack, leaf first, with its values.
	Sample struct {
		LocationID []Uint   `pb:"1" json:"locationId,omitempty"`
		Value      []Int    `pb:"2" json:"value,omitempty"`
		Label      []*Label `pb:"3" json:"label,omitempty"`
	}
	// A Label is a label of a sample.
	Label struct {
		Key     Int `pb:"1" json:"key,omitempty"`
		Str     Int `pb:"2" json:"str,omitempty"`
		Num     Int `pb:"3" json:"num,omitempty"`
		NumUnit Int `pb:"4" json:"numUnit,omitempty"`
	}
	// A Mapping is a mapped file.
	Mapping struct {
		ID              Uint `pb:"1" json:"id,omitempty"`
		MemoryStart     Uint `pb:"2" json:"memoryStart,omitempty"`
		MemoryLimit     Uint `pb:"3" json:"memoryLimit,omitempty"`
		FileOffset      Uint `pb:"4" json:"fileOffset,omitempty"`
		Filename        Int  `pb:"5" json:"filename,omitempty"`
		BuildID         Int  `pb:"6" json:"buildId,omitempty"`
		HasFunctions    bool `pb:"7" json:"hasFunctions,omitempty"`
		HasFilenames    bool `pb:"8" json:"hasFilenames,omitempty"`
		HasLineNumbers  bool `pb:"9" json:"hasLineNumbers,omitempty"`
		HasInlineFrames bool `pb:"10" json:"hasInlineFrames,omitempty"`
	}
	// A ProfileLocation is an address.
	ProfileLocation struct {
		ID        Uint    `pb:"1" json:"id,omitempty"`
		MappingID Uint    `pb:"2" json:"mappingId,omitempty"`
		Address   Uint    `pb:"3" json:"address,omitempty"`
		Line      []*Line `pb:"4" json:"line,omitempty"`
		IsFolded  bool    `pb:"5" json:"isFolded,omitempty"`
	}
	// A Line is a frame of a location.
	Line struct {
		FunctionID Uint `pb:"1" json:"functionId,omitempty"`
		Line       Int  `pb:"2" json:"line,omitempty"`
	}
	// A Function is a function.
	Function struct {
		ID         Uint `pb:"1" json:"id,omitempty"`
		Name       Int  `pb:"2" json:"name,omitempty"`
		SystemName Int  `pb:"3" json:"systemName,omitempty"`
		Filename   Int  `pb:"4" json:"filename,omitempty"`
		StartLine  Int  `pb:"5" json:"startLine,omitempty"`
	}
)
