import { useEffect, useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { count, say } from "./say";
import { updates } from "./updates";

/** How often the points of a minute each are asked for, in milliseconds. */
const minute = 60_000;

let turn: Promise<unknown> = Promise.resolve();

/** Asks for one list of points behind the other, because a page may show a hundred. */
function pointsOf(station: string, signal: AbortSignal): Promise<number[] | undefined> {
  const asked = turn.then(async () => {
    if (signal.aborted) return undefined;
    const address = restPath(["stats", "series"], { of: "results", step: "1m", station });
    return summed((await request<Api["StatsSeries"]>("GET", address, undefined, { signal })).value);
  }).catch(() => undefined); // the page's own request tells of the error
  turn = asked;
  return asked;
}

const summed = ({ t, series }: Api["StatsSeries"]) => t.map((_, i) => Object.values(series).reduce((sum, column) => sum + column[i], 0));

/** The results of a station in each of the last 60 minutes, as a line, and in words. */
export function Sparkline({ station }: { station: string }) {
  const m = say.value;
  const [points, show] = useState<number[]>();
  useEffect(() => {
    const round = new AbortController();
    const ask = async () => {
      const got = await pointsOf(station, round.signal);
      if (got && !round.signal.aborted) show(got);
    };
    void ask();
    const timer = setInterval(() => updates.due() && void ask(), minute);
    return () => (round.abort(), clearInterval(timer));
  }, [station]);
  if (!points || points.length === 0) return null;
  const ordered = points.toSorted((a, b) => a - b);
  const [least, middle, most] = [ordered[0], ordered[ordered.length >> 1], ordered[ordered.length - 1]];
  return (
    <span class="spark">
      <svg role="img" aria-label={m.stations.sparkline(count(points.length))} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        <path d={lineOf(points, most)} />
      </svg>
      <small>{m.stations.inWords(count(least), count(middle), count(most))}</small>
    </span>
  );
}

const width = 120, height = 24;

function lineOf(points: number[], most: number): string {
  const x = (i: number) => (1 + (i * (width - 2)) / Math.max(points.length - 1, 1)).toFixed(1);
  const y = (n: number) => (height - 2 - ((height - 4) * n) / Math.max(most, 1)).toFixed(1);
  return points.map((n, i) => `${i ? "L" : "M"}${x(i)} ${y(n)}`).join("");
}
