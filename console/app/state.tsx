import type { Api } from "./rest";
import { lang } from "./prefs";
import { say } from "./say";

/** The drawing of each state, status and reason that a reader tells apart by shape, not by colour. */
const shapes: Record<string, string> = {
  ok: "M3 8l4 4 6-8",
  error: "M4 4l8 8M12 4l-8 8",
  failure: "M8 2l6 12H2zM8 6v4M8 12v.5",
  timeout: "M8 2a6 6 0 1 0 .01 0M8 5v3l2 2",
  skipped: "M3 4l5 4-5 4zM9 4l5 4-5 4z",
  cancelled: "M8 2a6 6 0 1 0 .01 0M4 12l8-8",
  running: "M5 3l8 5-8 5z",
  waiting: "M4 2h8M4 14h8M5 2c0 6 6 6 6 12M11 2c0 6-6 6-6 12",
  dispatched: "M2 8h11M9 4l4 4-4 4",
  queued: "M3 4h10M3 8h10M3 12h6",
  executing: "M5 3l8 5-8 5z",
  retrying: "M13 8a5 5 0 1 1-2-4M11 1v3h-3",
  paused: "M5 3v10M11 3v10",
  pending: "M8 2a3 3 0 1 0 .01 0M3 14c0-6 10-6 10 0",
  plan_error: "M8 2l6 12H2zM8 6v4M8 12v.5",
  closed: "M3 3h10v10H3z",
  ENABLED: "M5 3l8 5-8 5z",
  DISABLED: "M5 3v10M11 3v10",
  new: "M8 2v12M2 8h12",
  online: "M5 3l8 5-8 5z",
  offline: "M5 3v10M11 3v10",
  success: "M3 8l4 4 6-8",
};

/** A state or status in the reader's language, with the word of the wire. */
export function wordOf(state: string, wire = state): string {
  const words = say.value.words as Record<string, string>;
  const translated = words[wire] ?? words[state];
  return translated && translated !== wire ? `${translated} ${wire}` : wire;
}

/** A state or status: its drawing, and the word of the wire, which may be another one for the same. */
export function State({ of, wire }: { of: string; wire?: string }) {
  return (
    <span class={`state ${of}`}>
      {shapes[of] && (
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d={shapes[of]} /></svg>
      )}
      {wordOf(of, wire)}
    </span>
  );
}

const letters: Record<string, string> = { o: "ok", e: "error", f: "failure", t: "timeout", s: "skipped", c: "cancelled", "-": "running" };

/** One of the last runs: its state, and how long it took in milliseconds, where that is known. */
export interface Bar {
  state: string;
  took?: number;
}

/** Reads the last runs of a plan as a list has them, the oldest first. */
export const barsOf = (runs: string): Bar[] => [...runs].map((letter) => ({ state: letters[letter] ?? "running" }));

/** The last runs as bars, the oldest first; a higher bar took longer. */
export function RunBars({ bars }: { bars: Bar[] }) {
  if (bars.length === 0) return null;
  const longest = Math.max(...bars.map((b) => b.took ?? 0));
  const height = (b: Bar) => (longest === 0 || b.took === undefined ? 16 : 6 + (14 * Math.log1p(b.took)) / Math.log1p(longest));
  return (
    <svg class="bars" role="img" aria-label={inWords(bars)} viewBox={`0 0 ${bars.length * 8} 24`} width={bars.length * 8} height="24">
      {bars.map((b, i) => (
        <g key={i} class={`bar ${b.state}`} transform={`translate(${i * 8} 0)`}>
          <rect x="1" y={22 - height(b)} width="5" height={height(b)} rx="1" />
          {mark[b.state] && <path d={mark[b.state]} />}
        </g>
      ))}
    </svg>
  );
}

/** The shape of a bar, because colour alone does not suffice. */
const mark: Record<string, string> = {
  error: "M1 20.5l5-5M6 20.5l-5-5",
  failure: "M1 12h5M1 16h5M1 20h5",
  timeout: "M3.5 14v4h2",
  cancelled: "M1 20.5l5-5",
};

/** The bars for those who hear the page: "2 ok, 1 error, 17 ok". */
function inWords(bars: Bar[]): string {
  const m = say.value;
  const groups: { state: string; n: number }[] = [];
  for (const { state } of bars) {
    const last = groups.at(-1);
    if (last?.state === state) last.n++;
    else groups.push({ state, n: 1 });
  }
  return m.lastRuns(groups.map((g) => `${g.n} ${g.state}`).join(", "));
}

/** The bars of runs as plans.runs lists them, the newest first. */
export function barsOfRuns(runs: Api["Result"][]): Bar[] {
  return runs.slice(0, 20).reverse().map((r) => ({
    state: r.state,
    took: r.exec_time && r.end_time ? Date.parse(r.end_time) - Date.parse(r.exec_time) : undefined,
  }));
}

/** How far an execution is, in per cent; undefined: unknown. */
export function Progress({ of }: { of?: number }) {
  if (of === undefined) return null;
  return <span class="about"> {new Intl.NumberFormat(lang.now.value, { style: "percent" }).format(of / 100)}</span>;
}
