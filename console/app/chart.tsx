import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { lang, theme } from "./prefs";
import { count } from "./say";
import { localOf, shownZone } from "./time";
import { useDark } from "./dark";

/** Counts of one kind at each time. */
export interface Column {
  name: string;
  /** Names its colour in the style. */
  colour: string;
  values: number[];
}

/** Something that happened at a time, in Unix seconds. */
export interface Mark {
  t: number;
  kind: string;
  text: string;
}

/** The time that the pointer is at, in all charts of the page; undefined: none. */
const pointed = signal<number | undefined>(undefined);

const height = 150;

/** Where labels of an axis of counts may be. */
const increments = [1, 2, 5].flatMap((n) => Array.from({ length: 12 }, (_, i) => n * 10 ** i)).sort((a, b) => a - b);

/**
 * Counts over time as bars, the columns upon each other, and a legend with the counts at the pointer,
 * or of all times. Those who do not see it have label and a table.
 */
export function Chart({ label, t, step, columns, marks }: { label: string; t: number[]; step: number; columns: Column[]; marks: Mark[] }) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const shown = useRef({ t, step, marks });
  shown.current = { t, step, marks };
  const zone = shownZone();
  const kinds = columns.map((c) => c.colour).join();
  useEffect(() => {
    const colours = [...legend.current!.querySelectorAll(".swatch")].map((s) => getComputedStyle(s).color);
    const at = box.current!;
    const u = new uPlot(options(at, colours.reverse(), zone, () => shown.current), stacked(t, columns), at);
    chart.current = u;
    const size = new ResizeObserver(() => u.setSize({ width: at.clientWidth, height }));
    size.observe(at);
    return () => {
      size.disconnect();
      u.destroy();
      chart.current = undefined;
    };
  }, [kinds, zone, theme.now.value, useDark(), lang.now.value]);
  useEffect(() => chart.current?.setData(stacked(t, columns)), [t, columns]);
  const at = pointed.value;
  return (
    <div class="chart">
      <div ref={box} role="img" aria-label={label} />
      <ul ref={legend} class="legend">
        {columns.map((c) => (
          <li key={c.name}>
            <span class={`swatch ${c.colour}`} aria-hidden="true" /> {c.name} <b>{count(at === undefined ? sum(c.values) : (c.values[at] ?? 0))}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The sum of counts. */
export const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** Each column upon those before it; the highest comes first, because the others are drawn over it. */
function stacked(t: number[], columns: Column[]): uPlot.AlignedData {
  const sums = t.map(() => 0);
  const all = columns.map((c) => t.map((_, i) => (sums[i] += c.values[i] ?? 0)));
  return [t, ...all.reverse()];
}

interface Shown {
  t: number[];
  step: number;
  marks: Mark[];
}

function options(box: HTMLElement, colours: string[], zone: string, shown: () => Shown): uPlot.Options {
  const { color } = getComputedStyle(box);
  const line = getComputedStyle(box).borderTopColor;
  const font = `12px ${getComputedStyle(box).fontFamily}`;
  const axis: uPlot.Axis = { stroke: color, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const clock = (at: number) => {
    const l = localOf(at * 1000, zone);
    return shown().step >= 3600 ? `${l.date.slice(5)} ${l.time.slice(0, 5)}` : l.time.slice(0, shown().step === 1 ? 8 : 5);
  };
  return {
    width: box.clientWidth, height,
    tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), zone),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "throughput" }, points: { show: false } },
    scales: {
      x: { range: () => [shown().t[0] ?? 0, (shown().t.at(-1) ?? 0) + shown().step] },
      y: { range: (_u, _min, max) => [0, Math.max(max * 1.1, 4)] },
    },
    axes: [
      { ...axis, size: 30, space: 72, values: (_u, splits) => splits.map(clock) },
      { ...axis, size: 56, incrs: increments, values: (_u, splits) => splits.map(count) },
    ],
    series: [
      {},
      ...colours.map((c): uPlot.Series => ({ fill: c, stroke: c, width: 0, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.8, 40], align: 1 }) })),
    ],
    hooks: {
      draw: [(u) => drawMarks(u, shown().marks, color)],
      setCursor: [(u) => (pointed.value = u.cursor.idx ?? undefined)],
    },
  };
}

function drawMarks(u: uPlot, marks: Mark[], colour: string) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  for (const mark of marks) {
    const x = Math.round(u.valToPos(mark.t, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.setLineDash(mark.kind === "leader" ? [] : [4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
