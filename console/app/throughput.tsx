import { restPath, type Api } from "./rest";
import { Chart, sum, type Column, type Mark } from "./chart";
import { Filters } from "./filters";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { param } from "./route";
import { count, say } from "./say";
import { Table } from "./table";
import { localOf, shownZone, When } from "./time";
import { visible } from "./visible";
import { wordOf } from "./state";

type Points = Api["StatsSeries"];

const steps = { "1s": 1, "1m": 60, "1h": 3600 } as const;
type Step = keyof typeof steps;

/** The states and reasons in the order in which they are shown; others come last. */
const order = [
  "ok", "error", "failure", "timeout", "cancelled", "skipped",
  "overlap", "concurrency", "missed", "paused", "manual", "calendar", "past", "abandoned",
];

const rank = (word: string) => (order.includes(word) ? order.indexOf(word) : order.length);

/** Results by state and skips by reason over time, as charts and as a table. */
export function Throughput() {
  const m = say.value;
  const step: Step = (Object.keys(steps) as Step[]).find((s) => s === param("step")) ?? "1m";
  const [resultsOf] = useResource<Points>(restPath(["stats", "series"], { of: "results", step, lang: lang.now.value }), true);
  const [skipsOf] = useResource<Points>(restPath(["stats", "series"], { of: "skips", step, lang: lang.now.value }), true);
  const busy = resultsOf.value.busy || skipsOf.value.busy;
  const points = resultsOf.value.data, skips = skipsOf.value.data;
  const t = points?.t ?? [];
  const states = columnsOf(points, t, (word) => word, (word) => wordOf(word));
  const reasons = columnsOf(skips, t, (word) => `reason-${word}`, visible);
  const marks = (points?.marks ?? []) as Mark[];
  return (
    <section class="part" aria-busy={busy ? "true" : undefined}>
      <h2>{m.overview.throughput}</h2>
      <Filters label={m.overview.throughput}>
        <label>
          <span>{m.overview.span}</span>
          <select name="step" class="span" value={step === "1m" ? "" : step}>
            {(["1s", "1m", "1h"] as const).map((s) => (
              <option key={s} value={s === "1m" ? "" : s} selected={s === step}>{m.overview.spans[s]}</option>
            ))}
          </select>
        </label>
      </Filters>
      {points && skips && (
        <div class="pictured">
          <div>
            <Picture name={m.overview.resultsByState} t={t} step={steps[step]} columns={states} marks={marks} />
            <Picture name={m.overview.skipsByReason} t={t} step={steps[step]} columns={reasons} marks={marks} />
            <Marks of={marks} />
          </div>
          <Numbers t={t} step={step} columns={[...states, ...reasons.map((c) => ({ ...c, name: m.overview.skippedBy(c.name) }))]} />
        </div>
      )}
    </section>
  );
}

/** The columns of a series at the times of another, which was asked for at about the same moment. */
function columnsOf(of: Points | undefined, t: number[], colour: (word: string) => string, name: (word: string) => string): Column[] {
  const series = (of?.series ?? {}) as Record<string, number[]>;
  const at = new Map((of?.t ?? []).map((time, i) => [time, i]));
  return Object.keys(series).sort((a, b) => rank(a) - rank(b)).map((word) => ({
    name: name(word), colour: colour(word), values: t.map((time) => series[word][at.get(time) ?? -1] ?? 0),
  }));
}

function Picture({ name, t, step, columns, marks }: { name: string; t: number[]; step: number; columns: Column[]; marks: Mark[] }) {
  const instant = (at?: number) => (at === undefined ? "" : iso(at));
  const totals = columns.map((c) => `${c.name} ${count(sum(c.values))}`).join(", ");
  return (
    <>
      <h3>{name}</h3>
      <Chart label={say.value.overview.chart(name, instant(t[0]), instant(t.at(-1)), totals)} t={t} step={step} columns={columns} marks={marks} />
    </>
  );
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** The marks of the picture, the newest first. */
function Marks({ of }: { of: Mark[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{say.value.overview.marks}</h3>
      <ul class="marks">
        {[...of].reverse().slice(0, 20).map((mark) => (
          <li key={`${mark.t} ${mark.text}`} class={mark.kind}><When at={iso(mark.t)} bare /> {visible(mark.text)}</li>
        ))}
      </ul>
    </>
  );
}

/** The numbers of the charts, the newest first, without the times at which nothing happened. */
function Numbers({ t, step, columns }: { t: number[]; step: Step; columns: Column[] }) {
  const m = say.value;
  const rows = t.map((at, i) => ({ at, i })).filter(({ i }) => columns.some((c) => c.values[i] > 0)).reverse();
  return (
    <div>
      <Table
        name={m.overview.throughput} columns={[m.columns.time, ...columns.map((c) => c.name)]} figures={2}
        empty={rows.length === 0 && <p class="about">{m.overview.nothingHappened}</p>}
      >
        {rows.map(({ at, i }) => (
          <tr key={at}>
            <td><Clock at={at} step={step} /></td>
            {columns.map((c) => <td key={c.name} class="number">{count(c.values[i])}</td>)}
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** A time as exactly as the step is, because a table beside a picture is narrow. */
function Clock({ at, step }: { at: number; step: Step }) {
  const l = localOf(at * 1000, shownZone());
  return (
    <time dateTime={iso(at)}>
      {step === "1h" && `${l.date} `}{step === "1s" ? l.time : l.time.slice(0, 5)} <span class="offset">{l.offset}</span>
    </time>
  );
}
