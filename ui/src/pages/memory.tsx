import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { GC, MemoryPart, MemoryReport } from "../api/v1.ts";
import { hexColors, png } from "../draw/raster.ts";
import { percent, quantity } from "../lib/format.ts";
import { memorySvg } from "../lib/memorybar.ts";
import { SvgPen } from "../lib/svg.ts";
import { number, span } from "../lib/when.ts";
import { Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { aboutFile, pprofOf } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { file } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";

/** The colors of parts; the rest are the runtime's own structures. */
const kinds: Record<string, string> = {
  live: "own",
  objects: "own",
  uncollected: "gc",
  fragmentation: "std",
  free: "other",
  stacks: "dep",
  "system-stacks": "dep",
  files: "syscall",
  "not-go": "scheduler",
  rest: "other",
};

const names: Record<string, Key> = {
  live: "mem.live",
  objects: "mem.objects",
  uncollected: "mem.uncollected",
  fragmentation: "mem.fragmentation",
  free: "mem.free",
  stacks: "mem.stacks",
  "system-stacks": "mem.threads",
  mspan: "mem.mspan",
  mcache: "mem.mcache",
  buckets: "mem.buckets",
  gc: "mem.gcdata",
  other: "mem.other",
  unaccounted: "mem.unaccounted",
  untouched: "mem.untouched",
  files: "mem.files",
  "not-go": "mem.notgo",
  rest: "mem.rest",
};

const nameOf = (p: MemoryPart) => (names[p.id] ? t(names[p.id]!) : p.name);
const bytes = (n: number) => quantity(n, "bytes");
const grown = (n: number) => (n > 0 ? `+${bytes(n)}` : n < 0 ? `−${bytes(-n)}` : "±0");

/** The bar as a picture. */
function picture(d: MemoryReport): string {
  const style = getComputedStyle(document.documentElement);
  const parts = (d.parts ?? []).filter((p) => p.bytes > 0);
  return memorySvg(
    t(d.rss ? "mem.rss" : "mem.go", { size: bytes(d.total) }),
    parts.map((p) => ({
      name: nameOf(p),
      size: bytes(p.bytes),
      bytes: p.bytes,
      color: style.getPropertyValue(`--k-${kinds[p.id] ?? "runtime"}`).trim(),
    })),
    new SvgPen(hexColors()),
  );
}

/** The memory of a program, from the live heap to what is resident, and its collector. */
export function Memory(): JSX.Element {
  const name = file.value;
  const doc = useLoad(`memory ${name}`, (signal) => get<MemoryReport>("/memory", { file: name }, signal));
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const d = doc.value;
  useEffect(() => {
    const stem = `${name.split("/").at(-1)}.memory`;
    const head = ["part", "bytes", "change", "meaning"];
    const rows = (d?.parts ?? []).map((p) => [p.name, p.bytes, p.change ?? "", p.meaning]);
    sharing.value = {
      command: ["whet", "memory", name],
      files: [
        { key: "share.json", href: address("/memory", { file: name }) },
        { key: "share.csv", make: () => save(`${name.split("/").at(-1)}.csv`, csv([head, ...rows])) },
        ...(d
          ? [
              {
                key: "share.svg" as const,
                make: () => save(`${stem}.svg`, new Blob([picture(d)], { type: "image/svg+xml" })),
              },
              {
                key: "share.png" as const,
                make: async () => {
                  const made = await png(picture(d), "#ffffff");
                  if (made) save(`${stem}.png`, made);
                },
              },
            ]
          : []),
        ...pprofOf(about.value, name, ["heap", "heap.live", "allocs"]),
      ],
    };
  }, [d, name, about.value]);
  return (
    <div class="overview memory">
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.error === null && <Loading />}
      {d && (
        <>
          <div class="facts-block">
            <h1>{t(d.rss ? "mem.rss" : "mem.go", { size: bytes(d.total) })}</h1>
            <dl class="facts">
              <Fact name={t("mem.heap")}>{bytes(d.heap_alloc)}</Fact>
              <Fact name={t("mem.ofgo")}>{bytes(d.go)}</Fact>
              <Fact name={t("mem.peak")}>{d.peak_rss ? bytes(d.peak_rss) : ""}</Fact>
              <Fact name={t("mem.released")}>{bytes(d.released)}</Fact>
              <Fact name={t("mem.nobjects")}>{number(d.heap_objects, language.value)}</Fact>
            </dl>
          </div>
          <Warnings list={d.warnings} />
          <Section title={t("mem.title")}>
            <Parts d={d} />
          </Section>
          <Section title={t("mem.collector")}>
            <Collector gc={d.gc} />
          </Section>
          {(d.unknown ?? []).length > 0 && (
            <Section title={t("over.missing")}>
              <ul class="missing-list">
                {d.unknown!.map((u) => (
                  <li key={u}>{u}</li>
                ))}
              </ul>
            </Section>
          )}
        </>
      )}
    </div>
  );
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

/**
 * One bar: what the runtime holds and what is outside of it, one after the other. Pages that were never
 * touched are in these, but not in memory: they cover the end, so that the rest is what is resident.
 */
function Parts({ d }: { d: MemoryReport }): JSX.Element {
  const parts = d.parts ?? [];
  const drawn = parts.filter((p) => p.bytes > 0);
  const sum = drawn.reduce((n, p) => n + p.bytes, 0) || 1;
  const absent = parts.reduce((n, p) => n - Math.min(0, p.bytes), 0);
  const changes = parts.some((p) => p.change !== undefined && p.change !== null);
  const text = drawn.map((p) => `${nameOf(p)} ${bytes(p.bytes)}`).join(", ");
  return (
    <>
      <div class="memory-bar" role="img" aria-label={text}>
        {drawn.map((p) => (
          <span
            key={p.id}
            class={`k-${kinds[p.id] ?? "runtime"}`}
            style={{ width: `${(p.bytes / sum) * 100}%` }}
            title={`${nameOf(p)} ${bytes(p.bytes)}`}
          >
            {p.bytes / sum > 0.12 && <span class="memory-label">{nameOf(p)}</span>}
          </span>
        ))}
        {absent > 0 && (
          <span class="memory-absent" style={{ width: `${(absent / sum) * 100}%` }} title={t("mem.untouched")} />
        )}
      </div>
      {absent > 0 && <p class="quiet">{t("mem.absent", { size: bytes(absent), total: bytes(d.total) })}</p>}
      <div class="scroll" role="region" aria-label={t("mem.title")} tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t("mem.part")}</th>
              <th scope="col">{t("mem.size")}</th>
              <th scope="col">{t("mem.share")}</th>
              {changes && <th scope="col">{t("mem.change")}</th>}
              <th scope="col" class="text">
                {t("mem.meaning")}
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map((p) => (
              <tr key={p.id}>
                <th scope="row">
                  <span
                    class={`dot ${p.bytes < 0 ? "memory-absent" : `k-${kinds[p.id] ?? "runtime"}`}`}
                    aria-hidden="true"
                  />
                  {nameOf(p)}
                </th>
                <td>
                  {p.estimated ? "~" : ""}
                  {p.bytes < 0 ? `−${bytes(-p.bytes)}` : bytes(p.bytes)}
                </td>
                <td>{percent(p.bytes, d.total)}</td>
                {changes && <td>{p.change === undefined || p.change === null ? "" : grown(p.change)}</td>}
                <td class="text quiet">{p.meaning}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t(d.rss ? "mem.resident" : "mem.ofgo")}</th>
              <td>{bytes(d.total)}</td>
              <td>100%</td>
              {changes && <td>{d.earlier_total ? grown(d.total - d.earlier_total) : ""}</td>}
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}

function Collector({ gc }: { gc: GC }): JSX.Element {
  const p = gc.pauses;
  const limit = gc.memory_limit;
  return (
    <dl class="facts">
      <Fact name={t("mem.count")}>
        {number(gc.count, language.value)}
        {gc.interval_ns ? ` · ${t("mem.every", { t: span(gc.interval_ns) })}` : ""}
      </Fact>
      {(gc.cpu ?? []).map((s) => (
        <Fact key={`${s.of} ${s.from}`} name={t("mem.cpu")}>
          {percent(s.share, 1)} <span class="quiet">{`${s.of}, ${s.from}`}</span>
        </Fact>
      ))}
      {p.n > 0 && (
        <Fact name={t("mem.pauses")}>
          {t("mem.pausestext", {
            total: span(p.total_ns),
            p50: span(p.p50_ns ?? 0),
            p99: span(p.p99_ns ?? 0),
            max: span(p.max_ns),
          })}
        </Fact>
      )}
      <Fact name={t("mem.next")}>{gc.next_gc ? bytes(gc.next_gc) : ""}</Fact>
      <Fact name="GOGC">{gc.gogc === undefined || gc.gogc === null ? "" : gc.gogc < 0 ? "off" : String(gc.gogc)}</Fact>
      <Fact name="GOMEMLIMIT">{limit && limit < Number.MAX_SAFE_INTEGER ? bytes(limit) : ""}</Fact>
      <Fact name={t("mem.rate")}>{gc.alloc_rate ? `${bytes(gc.alloc_rate)}/s` : bytes(gc.alloc_bytes)}</Fact>
    </dl>
  );
}
