import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { follow, get, post, type JobEvent } from "../api/client.ts";
import type { Job, JobList, JobRequest } from "../api/v1.ts";
import { commandLine } from "../lib/command.ts";
import { files, watchFiles } from "../state/files.ts";
import { link } from "../state/route.ts";
import { t, type Key } from "../texts/index.ts";
import { Failure } from "./basics.tsx";

/** Records one of the targets that the server was started with. */
export function RecordPanel(): JSX.Element {
  const targets = files.value?.targets ?? [];
  const loads = files.value?.loads ?? [];
  const [request, set] = useState<JobRequest>({ kind: "record", target: "", duration: "10s", trace: "2s", load: "" });
  const [command, setCommand] = useState<readonly string[]>([]);
  const [error, fail] = useState<unknown>(null);
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  const target = request.target || targets[0] || "";
  const refresh = () =>
    get<JobList>("/jobs").then(
      (l) => setJobs((l.jobs ?? []).filter((j) => !j.attached)),
      () => undefined, // the list stays as it is
    );
  useEffect(() => void refresh(), []);
  useEffect(() => {
    if (!target) return;
    let gone = false;
    const timer = setTimeout(() => {
      post<Job>("/jobs", { ...request, target, try: true }).then(
        (j) => {
          if (gone) return;
          setCommand(j.command ?? []);
          fail(null);
        },
        (e: unknown) => !gone && fail(e),
      );
    }, 150);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [target, request.duration, request.trace, request.load]);
  const start = async (e: Event) => {
    e.preventDefault();
    try {
      const job = await post<Job>("/jobs", { ...request, target });
      fail(null);
      setJobs((list) => [job, ...list]);
    } catch (err) {
      fail(err);
    }
  };
  const field = (name: "duration" | "trace", label: string) => (
    <label>
      <span>{label}</span>
      <input
        value={request[name]}
        pattern="\d+(\.\d+)?(ms|s|m)(\d+s)?|0|0s"
        onInput={(e) => set({ ...request, [name]: e.currentTarget.value })}
      />
    </label>
  );
  return (
    <aside class="record" aria-label={t("record.title")}>
      <h2>{t("record.title")}</h2>
      {targets.length === 0 ? (
        <p class="quiet">{t("record.none")}</p>
      ) : (
        <form onSubmit={(e) => void start(e)}>
          <label>
            <span>{t("record.target")}</span>
            <select value={target} onChange={(e) => set({ ...request, target: e.currentTarget.value })}>
              {targets.map((n) => (
                <option key={n} value={n}>
                  {n}
                </option>
              ))}
            </select>
          </label>
          <div class="record-times">
            {field("duration", t("record.duration"))}
            {field("trace", t("record.trace"))}
          </div>
          {loads.length > 0 && (
            <label>
              <span>{t("record.load")}</span>
              <select value={request.load} onChange={(e) => set({ ...request, load: e.currentTarget.value })}>
                <option value="">{t("record.noload")}</option>
                {loads.map((n) => (
                  <option key={n} value={n}>
                    {n}
                  </option>
                ))}
              </select>
            </label>
          )}
          {command.length > 0 && (
            <p class="record-command">
              <span class="quiet">{t("record.command")}</span>
              <code>{commandLine(command)}</code>
            </p>
          )}
          <button type="submit" class="primary">
            {t("record.start")}
          </button>
          <a class="record-live" href={link("live", { target })}>
            {t("live.watch")}
          </a>
          {error !== null && <Failure error={error} />}
        </form>
      )}
      {jobs.length > 0 && (
        <section class="jobs">
          <h3>{t("record.jobs")}</h3>
          <ul>
            {jobs.slice(0, 8).map((j) => (
              <JobRow key={j.id} start={j} changed={() => void refresh()} />
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function JobRow({ start, changed }: { start: Job; changed: () => void }): JSX.Element {
  const [job, setJob] = useState(start);
  const [now, setNow] = useState<JobEvent | null>(null);
  const [notes, setNotes] = useState<readonly string[]>([]);
  const [lost, lose] = useState(false);
  const [error, fail] = useState<unknown>(null);
  useEffect(() => {
    if (start.state !== "running") {
      setJob(start);
      return;
    }
    return follow(
      start.id,
      (e) => {
        if (e.job) {
          setJob(e.job);
          void watchFiles();
        } else setNow(e);
        if (e.notes) setNotes((n) => [...n, ...e.notes!].slice(-6));
      },
      () => {
        setJob({ ...start, state: "failed" });
        lose(true);
      },
    );
  }, [start.id, start.state]);
  const act = (what: "cancel" | "resume") => () =>
    post<Job>(`/jobs/${job.id}/${what}`).then(changed, (e: unknown) => fail(e));
  const made = resultFile(job);
  return (
    <li class={`job job-${job.state}`}>
      <div class="job-head">
        <span class="job-title" title={commandLine(job.command ?? [])}>
          {job.title}
        </span>
        <span class="job-state">{t(`record.${job.state}` as Key)}</span>
      </div>
      {job.state === "running" && (
        <>
          <progress value={now?.done || undefined} max={1} aria-label={job.title} />
          <p class="quiet job-now">{now?.text}</p>
          <button type="button" onClick={() => void act("cancel")()}>
            {t("record.cancel")}
          </button>
        </>
      )}
      {notes.map((n) => (
        <p key={n} class="quiet job-note">
          {n}
        </p>
      ))}
      {lost && <p class="trouble">{t("record.lost")}</p>}
      {job.error && (
        <div class="trouble">
          <p>{job.error}</p>
          {job.hint && <p class="hint">{job.hint}</p>}
        </div>
      )}
      {made && (
        <a class="button" href={link("overview", { file: made })}>
          {t("record.open")} {made.split("/").at(-1)}
        </a>
      )}
      {(job.state === "canceled" || job.state === "failed") && !lost && (
        <button type="button" onClick={() => void act("resume")()}>
          {t("record.resume")}
        </button>
      )}
      {error !== null && <Failure error={error} />}
    </li>
  );
}

/** The recording that a job made; "" if it made none. */
function resultFile(job: Job): string {
  const r = job.result;
  return typeof r === "object" && r !== null && "file" in r && typeof r.file === "string" ? r.file : "";
}
