import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Api } from "./rest";
import { ChoiceFilter, Filters, MoreFilters, TextFilter, TimeFilter } from "./filters";
import { Refused } from "./hint";
import { useSoonThenAll } from "./resource";
import { pageOf, param, planPage, withQuery } from "./route";
import { Runs } from "./runs";
import { count, say } from "./say";
import { Page } from "./shell";
import { nameOf, Swimlanes } from "./swimlanes";
import { Table } from "./table";
import { duration, When } from "./time";
import { now, updates } from "./updates";
import { visible } from "./visible";

type Lines = Api["Timeline"];
type Lane = Lines["lanes"][number];

const minute = 60e3;

/** How much time the page may show, in milliseconds, by the value of its parameter. */
const spans: [string, number][] = [
  ["15m", 15 * minute], ["30m", 30 * minute], ["1h", 60 * minute], ["3h", 180 * minute], ["6h", 360 * minute], ["12h", 720 * minute], ["24h", 1440 * minute],
];

const spanOf = (name: string) => (spans.find(([word]) => word === name) ?? spans[2])[1];

/** The filters, in the order in which the server preloads the list. */
const filters = ["lanes", "station", "from", "until", "max"];

/** The runs over time. Without a time in the address it ends now, and moves on. */
export function Timeline() {
  const m = say.value;
  const [fit, setFit] = useState("");
  const span = param("span") || fit;
  const begin = useBegin(span === fit && fit === "1h" ? "" : span);
  const query = Object.fromEntries(filters.map((name) => [name, name === "from" ? begin : param(name)]));
  const past = param("until") !== "" && Date.parse(param("until")) < now.peek();
  const [resource] = useSoonThenAll<Lines>(["timeline"], query, (lines) => lines.complete === false, past);
  const { data: answer, refused, busy } = resource.value;
  useLayoutEffect(() => {
    if (answer && !busy && answer.complete !== false && !fit && !param("span") && !isFixed()) setFit(fitOf(answer));
  }, [answer]);
  const data = answer && span === fit && !isFixed() ? cut(answer, spanOf(fit)) : answer;
  return (
    <Page title={m.pages.timeline} busy={busy && !data}>
      <Filters label={m.timeline.filter}>
        <ChoiceFilter name="lanes" label={m.timeline.lanes} values={["worker", "station"]} any={m.timeline.byPlan} />
        <TextFilter name="station" label={m.filter.station} type="search" />
        <MoreFilters names={["from", "until"]}>
          <TimeFilter name="from" label={m.allRuns.from} />
          <TimeFilter name="until" label={m.allRuns.until} />
        </MoreFilters>
      </Filters>
      {refused && <Refused by={refused} />}
      {data && (
        <>
          <Times of={data} span={span} />
          <Found of={data} span={span} reading={busy} />
          {data.lanes.length > 0 && <Swimlanes of={data} field={(from, lane) => fieldOf(data, from, lane)} />}
          {data.lanes.length > 0 && !data.step_ms && <Legend />}
          {data.step_ms ? <Counted lanes={data.lanes} /> : <Each of={data} />}
        </>
      )}
    </Page>
  );
}

/**
 * The parameter from of the request. Where the time ends now it moves on by a sixtieth of its length,
 * because each other address is another picture; the default is the server's own.
 */
function useBegin(span: string): string {
  const kept = useRef({ span: "", from: "" });
  if (isFixed() || !span) return param("from");
  if (!updates.paused.value || kept.current.span !== span) {
    const step = spanOf(span) / 60;
    const from = Math.ceil((now.value - spanOf(span) + step / 2) / step) * step;
    kept.current = { span, from: instant(from) };
  }
  return kept.current.from;
}

/** The shortest span that holds all runs of the first answer, so that they are no sliver at its end. It stays while the page is open. */
function fitOf(of: Lines): string {
  const begun = of.lanes.flatMap((lane) => (lane.bars ?? []).map((bar) => Date.parse(begins(bar))));
  const needs = of.step_ms || begun.length === 0 ? Infinity : Date.parse(of.until) - Math.min(...begun);
  return spans.slice(0, 2).find(([, span]) => needs < 0.95 * span)?.[0] ?? "1h";
}

/** The end of an answer; counted runs stay, because their fields begin with it. */
function cut(of: Lines, span: number): Lines {
  const from = Date.parse(of.until) - span;
  return of.step_ms || Date.parse(of.from) >= from ? of : { ...of, from: instant(from) };
}

/** Whether the address names a time, so that the page does not move on by itself. */
const isFixed = () => param("from") !== "" || param("until") !== "";

const instant = (at: number) => new Date(Math.round(at / 1000) * 1000).toISOString().replace(".000Z", "Z");

/** Links to shorter, longer, earlier and later times, and to the present. */
function Times({ of, span: shown }: { of: Lines; span: string }) {
  const m = say.value.timeline;
  const [from, until] = [Date.parse(of.from), Date.parse(of.until)];
  const fixed = isFixed();
  const length = until - from;
  const present = fixed ? length : spanOf(shown);
  const shorter = spans.findLast(([, span]) => span < present);
  const longer = spans.find(([, span]) => span > present);
  const to = ([word, span]: [string, number]) => {
    if (!fixed) return withQuery({ span: word, rows: undefined });
    const middle = (from + until) / 2;
    return timesOf(middle - span / 2, middle + span / 2);
  };
  return (
    <nav class="paging times" aria-label={m.times}>
      {shorter && <a href={to(shorter)}>{m.zoomIn}</a>}
      {longer && <a href={to(longer)}>{m.zoomOut}</a>}
      <a href={timesOf(from - length / 2, until - length / 2)}>{m.earlier}</a>
      {fixed && <a href={timesOf(from + length / 2, until + length / 2)}>{m.later}</a>}
      {fixed && <a href={withQuery({ from: undefined, until: undefined, rows: undefined })}>{m.now}</a>}
    </nav>
  );
}

const timesOf = (from: number, until: number) => withQuery({ from: instant(from), until: instant(until), span: undefined, rows: undefined });

/** Where a field of counted runs leads: to its own time or, where that is short, to the list of runs. */
function fieldOf(of: Lines, from: number, lane: string): string {
  const step = of.step_ms!;
  if (step >= minute) return timesOf(Math.min(from, from + step / 2 - 7.5 * minute), Math.max(from + step, from + step / 2 + 7.5 * minute));
  const [by, name] = [param("lanes") || "plan", lane === "*" ? "" : lane];
  const [station, id] = by === "plan" ? name.split("/") : [by === "station" ? name : ""];
  return pageOf(["runs"], { from: instant(from), until: instant(from + step), station: station || param("station"), plan_id: id, worker_id: by === "worker" ? name : "" });
}

const total = (lane: Lane, of: "count" | "bad") => (lane.buckets ?? []).reduce((sum, b) => sum + b[of], 0);

/** The number of runs, the time, and a note when runs are missing. */
function Found({ of, span, reading }: { of: Lines; span: string; reading: boolean }) {
  const m = say.value.timeline;
  const n = of.lanes.reduce((sum, lane) => sum + (lane.bars?.length ?? total(lane, "count")), 0);
  const set = ["station"].filter((name) => param(name));
  return (
    <>
      <p class="about">
        {m.found(count(n), duration(isFixed() ? Date.parse(of.until) - Date.parse(of.from) : spanOf(span)))}
        <When at={of.from} bare /> – <When at={of.until} bare />
        {!param("until") && ` ${m.live}`}
      </p>
      {of.step_ms && <p class="about">{m.counted(duration(of.step_ms))}</p>}
      {of.complete === false && <p class="searched">{reading ? m.reading : m.incomplete}</p>}
      {n === 0 && (
        <div class="empty">
          <p>{set.length > 0 ? m.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) : m.none}</p>
          {set.length > 0 && <p><a href={withQuery(Object.fromEntries(set.map((name) => [name, undefined])))}>{say.value.withoutFilters}</a></p>}
          {set.length === 0 && <p><a href={pageOf(["plans"])}>{say.value.pages.plans}</a></p>}
        </div>
      )}
    </>
  );
}

function Legend() {
  return (
    <ul class="legend">
      {say.value.timeline.legend.map(([kind, text]) => <li key={kind}><span class={`sample ${kind}`} aria-hidden="true" />{text}</li>)}
    </ul>
  );
}

/** How many rows the table has at a time. */
const page = 100;

const begins = (b: NonNullable<Lane["bars"]>[number]) => b.start ?? b.end ?? b.due ?? "";

/** The runs of the picture as a table, the newest first. */
function Each({ of }: { of: Lines }) {
  const m = say.value;
  const all = of.lanes.flatMap((lane) => (lane.bars ?? []).map((bar) => ({ bar, worker: param("lanes") === "worker" ? lane.lane : undefined })));
  all.sort((a, b) => (begins(a.bar) < begins(b.bar) ? 1 : begins(a.bar) > begins(b.bar) ? -1 : 0));
  const first = Math.max(0, Math.min(Number(param("rows")) || 0, all.length - 1));
  const runs = all.slice(first, first + page).map(({ bar: b, worker }) => ({
    ...b, key: `${b.station}/${b.plan_id}/${b.due}`, plan_time: b.due, exec_time: b.start, end_time: b.end, worker_id: worker,
  }) as unknown as Api["Result"]);
  return (
    <>
      <Runs all name={m.pages.timeline} runs={runs} workers={param("lanes") === "worker"} />
      {(first > 0 || first + page < all.length) && (
        <nav class="paging" aria-label={m.paging}>
          {first > 0 && <a href={withQuery({ rows: first > page ? String(first - page) : undefined })}>{m.previousPage}</a>}
          {first + page < all.length && <a href={withQuery({ rows: String(first + page) })}>{m.nextPage}</a>}
        </nav>
      )}
    </>
  );
}

/** The lanes with counts as a table. */
function Counted({ lanes }: { lanes: Lane[] }) {
  const m = say.value;
  return (
    <Table listed name={m.pages.timeline} columns={m.timeline.laneColumns} figures={2}>
      {lanes.map((lane) => (
        <tr key={lane.lane}>
          <td>{pageOfLane(lane.lane) ? <a href={pageOfLane(lane.lane)}>{nameOf(lane.lane)}</a> : nameOf(lane.lane)}</td>
          <td class="number">{count(total(lane, "count"))}</td>
          <td class="number">{count(total(lane, "bad"))}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The page of a lane's plan, worker or station; undefined: there is none. */
export function pageOfLane(lane: string): string | undefined {
  if (lane === "" || lane === "*") return undefined;
  switch (param("lanes")) {
    case "worker":
      return pageOf(["workers", lane]);
    case "station":
      return pageOf(["stations", lane]);
    default:
      return planPage(...(lane.split("/") as [string, string]));
  }
}
