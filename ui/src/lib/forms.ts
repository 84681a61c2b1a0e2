/** The forms in which views are saved, in one place: a form that a view does not have is a decision with its reason. */

/** A form of a file that a view is saved as. */
export const allForms = ["html", "pprof", "svg", "png", "csv", "json"] as const;
export type Form = (typeof allForms)[number];

const inRecording = "the HTML file of the whole recording has this view";
const noSamples = "it has no samples";

/** By view, as addresses name it, each form: true, or why there is none. */
export const forms = {
  hub: {
    html: "it is the way to other views",
    pprof: noSamples,
    svg: "its charts are those of recordings",
    png: "its charts are those of recordings",
    csv: true,
    json: true,
  },
  overview: {
    html: true,
    pprof: "the recording has all profiles, and is saved itself",
    svg: true,
    png: true,
    csv: true,
    json: true,
  },
  flame: { html: true, pprof: true, svg: true, png: true, csv: true, json: true },
  graph: { html: inRecording, pprof: true, svg: true, png: true, csv: true, json: true },
  compare: { html: true, pprof: true, svg: true, png: true, csv: true, json: true },
  timeline: { html: true, pprof: true, svg: true, png: true, csv: true, json: true },
  load: { html: true, pprof: noSamples, svg: true, png: true, csv: true, json: true },
  goroutines: { html: inRecording, pprof: true, svg: true, png: true, csv: true, json: true },
  memory: { html: inRecording, pprof: true, svg: true, png: true, csv: true, json: true },
  "over-time": {
    html: "a page has one recording, and this view has many",
    pprof: "each recording has its own profile",
    svg: true,
    png: true,
    csv: true,
    json: true,
  },
  live: {
    html: "it is of the moment",
    pprof: "its windows are not kept; a recording has profiles",
    svg: true,
    png: true,
    csv: true,
    json: true,
  },
  bench: { html: true, pprof: noSamples, svg: true, png: true, csv: true, json: true },
  findings: { html: true, pprof: noSamples, svg: true, png: true, csv: true, json: true },
  proof: { html: true, pprof: noSamples, svg: true, png: true, csv: true, json: true },
  fixes: { html: true, pprof: noSamples, svg: true, png: true, csv: true, json: true },
} as const satisfies Record<string, Record<Form, true | string>>;
