import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, follow, get, getBytes, isSaved, post } from "../api/client.ts";
import type { Cost, Job, JobList, Overview as Doc, OverviewLine, WorkbenchFile } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { percent, quantity } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { rawName } from "../lib/rawname.ts";
import { choicesOf, fullType, splitType } from "../lib/sampletype.ts";
import { isStored, parseStoreName, queryCommand, stemOf, titleOf } from "../lib/selector.ts";
import { timeText } from "../lib/storetime.ts";
import { number, span } from "../lib/when.ts";
import { Bar, Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { aboutFile, files, pprofFile } from "../state/files.ts";
import { file, go, link, param } from "../state/route.ts";
import { csv, save, sharing, viewCommands } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";

/** The sample type of the address, as far as the file has it. A saved page has only the usual one. */
function shownType(about: WorkbenchFile | null): string {
  const type = isSaved() ? "" : param("type");
  return type && about ? fullType(type, choicesOf(about)) : type;
}

/** What was recorded, and what costs. */
export function Overview(): JSX.Element {
  const name = file.value;
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const type = shownType(about.value);
  const cost = useLoad(`cost ${name} ${type}`, (signal) => get<Doc>("/overview", { file: name, type }, signal));
  const doc = cost.value;
  const ready = doc !== null && about.value !== null;
  useEffect(() => {
    // The flame graph is what most readers open next, and the server keeps the answer, but for those of a store.
    if (!ready || isSaved() || isStored(name)) return;
    const [part] = splitType(fullType("", choicesOf(about.value)));
    getBytes("/flame", { file: name, type: part, format: "packed" }).catch(() => undefined);
  }, [ready, name]);
  useEffect(() => {
    const lines = doc?.lines ?? [];
    sharing.value = {
      command: queryCommand(name, "", location.origin) ?? [
        ...["whet", "top", name, ...(param("type") ? ["--type", param("type")] : [])],
      ],
      files: [
        isStored(name)
          ? { key: "share.page", href: address("/flame", { file: name, format: "html", all: true }) }
          : { key: "share.html", href: address("/saved", { file: name }) },
        { key: isStored(name) ? "share.pprof" : "share.whet", href: pprofFile("share.pprof", name).href },
        { key: "share.json", href: address("/overview", { file: name, type: param("type") }) },
        ...barFiles(`${stemOf(name)}.lines`, `${titleOf(name)} · ${t("over.lines")}`, () => lines.map(bar)),
        { key: "share.csv", make: () => save(`${stemOf(name)}.lines.csv`, csv(rows(lines))) },
      ],
    };
    viewCommands.value = lines.map((l) => ({
      kind: "function",
      text: shortName(l.function),
      more: `${l.path}:${l.line} · ${percent(l.share, 1)}`,
      run: () => go(sourceLink(name, l)),
    }));
  }, [doc, name]);
  return (
    <div class="overview">
      {about.error !== null && <Failure error={about.error} again={about.again} />}
      {about.value && <Facts about={about.value} />}
      {cost.error !== null && about.error === null && <Failure error={cost.error} again={cost.again} />}
      {!doc && cost.error === null && <Loading />}
      {doc && (
        <>
          <Warnings list={[...(about.value?.warnings ?? []), ...(doc.warnings ?? [])]} />
          <Costs doc={doc} name={name} />
          <Lines doc={doc} name={name} changed={cost.again} />
          <Rest doc={doc} />
        </>
      )}
      {about.value && <Missing about={about.value} />}
    </div>
  );
}

function bar(l: OverviewLine): BarRow {
  return {
    name: shortName(l.function),
    note: `${l.path}:${l.line}`,
    value: l.share,
    text: percent(l.share, 1),
    color: property("--k-own"),
  };
}

function rows(lines: readonly OverviewLine[]): (string | number)[][] {
  return [
    ["function", "file", "line", "cost", "share", "code"],
    ...lines.map((l) => [l.function, l.file, l.line, l.cost, l.share, l.code ?? ""]),
  ];
}

function sourceLink(name: string, l: OverviewLine): string {
  return link("flame", { file: name, type: param("type"), src: l.function, line: String(l.line) });
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element | null {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Facts({ about }: { about: WorkbenchFile }): JSX.Element {
  const m = about.meta;
  const stored = parseStoreName(about.file.name);
  const times = stored?.from && stored.to ? stored : null;
  const load = about.load;
  const settings = m?.build?.settings ?? [];
  const setting = (key: string) => settings.find((s) => s.key === key)?.value ?? "";
  const revision = setting("vcs.revision").slice(0, 12);
  const build = [
    setting("-buildmode"),
    setting("GOAMD64") && `GOAMD64=${setting("GOAMD64")}`,
    revision,
    setting("vcs.modified") === "true" ? "+" : "",
    setting("-pgo") && "PGO",
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <div class="facts-block">
      <h1>{titleOf(about.file.name)}</h1>
      {times && (
        <p class="quiet">
          {timeText(times.from, language.value)} – {timeText(times.to, language.value)}
        </p>
      )}
      <dl class="facts">
        <Fact name={t("over.target")}>{about.target}</Fact>
        <Fact name={t("over.taken")}>
          {m && new Date(m.created).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" })}
        </Fact>
        <Fact name={t("over.window")}>{m && span(m.duration_ns)}</Fact>
        <Fact name={t("over.module")}>{m?.build?.main.path}</Fact>
        <Fact name={t("over.go")}>
          {m?.go_version && `${m.go_version} ${m.goos ?? ""}${m.goarch ? `/${m.goarch}` : ""}`}
        </Fact>
        <Fact name={t("over.procs")}>{m?.gomaxprocs ? String(m.gomaxprocs) : ""}</Fact>
        <Fact name={t("over.build")}>{build}</Fact>
        {load && (
          <Fact name={t("over.load")}>
            <a href={link("load", { file: about.file.name })}>
              {t("over.loadtext", {
                requests: number(load.requests, language.value),
                rate: number(load.rate, language.value),
                p50: span(load.latency.p50_ns ?? 0),
                p99: span(load.latency.p99_ns ?? 0),
                max: span(load.latency.max_ns),
              })}
            </a>
          </Fact>
        )}
        {load?.target_cpu && <Fact name={t("over.cpuper")}>{span(load.target_cpu.per_request_ns)}</Fact>}
      </dl>
      {m?.interrupted && <p class="warnings">{t("over.interrupted")}</p>}
    </div>
  );
}

const costKey = (c: Cost): Key =>
  c.sample_type.type === "delay"
    ? c.profile === "mutex"
      ? "cost.mutex"
      : "cost.block"
    : (`cost.${c.sample_type.type}` as Key);

const named = new Set(["cost.cpu", "cost.alloc_space", "cost.block", "cost.mutex"]);

/** Each cost as one bar, split by whose code it is. */
function Costs({ doc, name }: { doc: Doc; name: string }): JSX.Element {
  return (
    <Section title={t("over.cost")} class="costs">
      <div class="cost-grid">
        {(doc.costs ?? []).map((c) => {
          const key = costKey(c);
          const type = c.profile ? `${c.profile}:${c.sample_type.type}` : c.sample_type.type;
          return (
            <div class="cost" key={type}>
              <div class="cost-head">
                <h3>
                  <a href={link("flame", { file: name, type })}>{named.has(key) ? t(key) : type}</a>
                </h3>
                <span class="cost-total">{quantity(c.total, c.sample_type.unit)}</span>
                {c.per_request ? (
                  <span class="quiet">
                    {t("over.perrequest", { value: quantity(Math.round(c.per_request), c.sample_type.unit) })}
                  </span>
                ) : null}
              </div>
              <div class="stack-bar" aria-hidden="true">
                {(c.parts ?? []).map((p) => (
                  <span key={p.kind} class={`k-${p.kind}`} style={{ width: `${Math.max(0, p.share) * 100}%` }} />
                ))}
              </div>
              <ul class="cost-parts">
                {(c.parts ?? []).map((p) => (
                  <li key={p.kind}>
                    <span class={`dot k-${p.kind}`} aria-hidden="true" />
                    {t(`kind.${p.kind}` as Key)} <b>{percent(p.share, 1)}</b>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      {doc.collector && doc.collector.share > 0 && (
        <p class="quiet">
          {t("over.collector")}:{" "}
          {t("over.collectortext", {
            share: percent(doc.collector.share, 1),
            program: percent(doc.collector.in_program, doc.collector.share),
          })}
        </p>
      )}
    </Section>
  );
}

function Lines({ doc, name, changed }: { doc: Doc; name: string; changed: () => void }): JSX.Element {
  const lines = doc.lines ?? [];
  return (
    <Section title={t("over.lines")} class="lines" aside={<Find name={name} changed={changed} />}>
      {lines.length === 0 && <p class="quiet">{t("over.nolines")}</p>}
      <ol class="line-list">
        {lines.map((l) => (
          <LineRow key={`${l.function} ${l.file}:${l.line}`} l={l} doc={doc} name={name} />
        ))}
      </ol>
    </Section>
  );
}

function LineRow({ l, doc, name }: { l: OverviewLine; doc: Doc; name: string }): JSX.Element {
  const unit = doc.profile.sample_type.unit;
  const callees = (l.callees ?? []).slice(0, 4);
  const self = doc.profile.total > 0 ? l.self / doc.profile.total : 0;
  return (
    <li class="line-row">
      <div class="line-cost">
        <b>{percent(l.share, 1)}</b>
        <Bar share={l.share} />
        <span class="quiet">{quantity(l.cost, unit)}</span>
        {doc.also && (l.also_share ?? 0) > 0 ? (
          <span class="quiet">
            {percent(l.also_share ?? 0, 1)} {t("over.ofcpu", { type: doc.also.sample_type.type })}
          </span>
        ) : null}
      </div>
      <div class="line-what">
        <p class="line-head">
          <a href={sourceLink(name, l)}>{shortName(l.function)}</a>{" "}
          <span class="place">
            <EditorPlace file={l.file} text={`${l.path}:${l.line}`} line={l.line} />
          </span>
        </p>
        {l.code && (
          <pre class="line-code">
            <code>{l.code}</code>
          </pre>
        )}
        <p class="line-calls">
          {self > 0.0005 && (
            <span>
              {t("over.itself")} <b>{percent(self, 1)}</b>
            </span>
          )}
          {callees.map((c) => (
            <span key={c.function} title={c.function}>
              {t("over.called")} {shortName(c.function)} <b>{percent(c.share, 1)}</b>
            </span>
          ))}
        </p>
        {l.finding && (
          <details class="finding">
            <summary>
              <b>{l.finding.title}</b>{" "}
              {l.finding.saving > 0 && (
                <span class="quiet">{t("over.saves", { share: percent(l.finding.saving, 1) })}</span>
              )}
            </summary>
            <p>{l.finding.why}</p>
            {l.finding.no_fix && <p class="quiet">{l.finding.no_fix}</p>}
            {l.finding.fix && (
              <>
                <h3>
                  {t("over.rewrite")}: {l.finding.fix.message}
                </h3>
                {l.finding.fix.diff && <Diff text={l.finding.fix.diff} />}
              </>
            )}
          </details>
        )}
      </div>
    </li>
  );
}

function diffClass(line: string): string {
  if (/^(diff |--- |\+\+\+ |@@)/.test(line)) return "hunk";
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
}

/** A unified diff. */
export function Diff({ text }: { text: string }): JSX.Element {
  return (
    <pre class="diff" tabIndex={0}>
      {text.split("\n").map((l, i) => (
        <span key={i} class={diffClass(l)}>
          {l + "\n"}
        </span>
      ))}
    </pre>
  );
}

/** Looks for the causes of costs, if the server was started in a module. */
function Find({ name, changed }: { name: string; changed: () => void }): JSX.Element | null {
  const [job, setJob] = useState<Job | null>(null);
  const [step, setStep] = useState("");
  const [lost, lose] = useState(false);
  const [deps, setDeps] = useState(false);
  const [error, fail] = useState<unknown>(null);
  const can = Boolean(files.value?.find) && !isSaved();
  useEffect(() => {
    if (!can) return;
    // One that still runs, whichever page started it.
    get<JobList>("/jobs").then(
      (l) => {
        const last = l.jobs?.find((j) => j.kind === "find" && j.command?.[2] === name);
        if (last && last.state !== "done") setJob(last);
      },
      () => undefined, // one can be started all the same
    );
  }, [can, name]);
  useEffect(() => {
    if (job?.state !== "running") return;
    setStep("…");
    return follow(
      job.id,
      (e) => {
        if (e.text) setStep(e.text);
        if (!e.job) return;
        setJob(e.job);
        if (e.job.state === "done") changed();
      },
      () => {
        setJob(null);
        lose(true);
      },
    );
  }, [job?.id, job?.state]);
  if (!files.value || isSaved()) return null;
  if (!can) return <p class="quiet">{t("over.nofind")}</p>;
  const start = () => {
    fail(null);
    lose(false);
    const again = job?.state === "canceled" || job?.state === "failed";
    const started = again
      ? post<Job>(`/jobs/${job.id}/resume`)
      : post<Job>("/jobs", { kind: "find", file: rawName(name), dependencies: deps });
    started.then(setJob, fail);
  };
  const result = job?.result as { findings?: number } | undefined;
  return (
    <div class="find">
      {job?.state === "running" ? (
        <>
          <p role="status">{t("over.finding", { step })}</p>
          <button type="button" onClick={() => void post(`/jobs/${job.id}/cancel`).catch(fail)}>
            {t("record.cancel")}
          </button>
        </>
      ) : (
        <>
          <button type="button" onClick={start}>
            {t("over.find")}
          </button>
          <label>
            <input type="checkbox" checked={deps} onChange={(e) => setDeps(e.currentTarget.checked)} />
            {t("over.deps")}
          </label>
        </>
      )}
      {job?.state === "done" && <span role="status">{t("over.found", { n: result?.findings ?? 0 })}</span>}
      {job?.state === "canceled" && <span role="status">{t("record.canceled")}</span>}
      {lost && <p class="trouble">{t("record.lost")}</p>}
      {job?.error && (
        <p class="trouble">
          {job.error} {job.hint}
        </p>
      )}
      {error !== null && <Failure error={error} />}
    </div>
  );
}

function Rest({ doc }: { doc: Doc }): JSX.Element | null {
  const rest = (doc.rest ?? []).filter((r) => r.share > 0.0005);
  if (rest.length === 0) return null;
  return (
    <Section title={t("over.rest")} class="rest">
      <ul class="rest-list">
        {rest.map((r) => (
          <li key={r.what}>
            <b>{percent(r.share, 1)}</b> {r.what}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Missing({ about }: { about: WorkbenchFile }): JSX.Element | null {
  const missing = about.meta?.missing ?? [];
  if (missing.length === 0) return null;
  return (
    <Section title={t("over.missing")} class="missing">
      <ul class="missing-list">
        {missing.map((m) => (
          <li key={m.part}>
            <b>{m.part}</b> {m.reason}
            {m.hint && (
              <p class="hint">
                {t("over.enable")} <code>{m.hint}</code>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
