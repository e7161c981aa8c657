import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Counts, countsOf } from "./counts";
import { ChoiceFilter, Filters, TextFilter } from "./filters";
import { Command, Refused } from "./hint";
import { formatJson, type Json, type JsonObject } from "./json";
import { PlanLink } from "./name";
import { pageOf, param, place, runPage, withQuery } from "./route";
import { resultStates } from "./runs";
import { announce, count, say } from "./say";
import { Page } from "./shell";
import { State } from "./state";
import { type Followed, type Line, useSummaries } from "./summaries";
import { NewRows } from "./table";
import { When } from "./time";
import { updates } from "./updates";
import { visible } from "./visible";
import { restPath } from "./rest";

/** The kinds of items: results, and the kinds of events. */
const kinds = [
  "result", "created", "updated", "dispatched", "running", "waiting", "not_worker", "timeout", "retrying", "skipped", "paused", "resumed",
  "rescheduled", "closed", "removed", "plan_error", "not_called_back",
] as const;

/** The kinds of events. */
export const eventKinds: string[] = kinds.filter((k) => k !== "result");

const filters = ["station", "plan_id", "kind", "state"];

/** Results and events, live. */
export function Live() {
  const m = say.value;
  const query = Object.fromEntries(filters.map((name) => [name, place.value.searchParams.getAll(name)]));
  const [resource, clear] = useSummaries(restPath(["events"], { summary: "1s", sample: "50", ...query }));
  const followed = resource.value;
  return (
    <Page title={m.pages.live} busy={followed.busy}>
      <Filters label={m.live.filter}>
        <TextFilter name="station" label={m.filter.station} />
        <TextFilter name="plan_id" label={m.live.plan} />
        <ChoiceFilter name="kind" label={m.live.kind} values={kinds} any={m.any} />
        <ChoiceFilter name="state" label={m.filter.state} values={resultStates} any={m.any} />
      </Filters>
      <div class="actions" role="group" aria-label={m.actions}>
        <button type="button" aria-pressed={updates.paused.value} onClick={updates.toggle}>{m.live.pause}</button>
        <button type="button" onClick={() => (clear(), announce(m.live.cleared))}>{m.live.clear}</button>
        <button type="button" onClick={() => download(followed.lines)}>{m.live.download}</button>
      </div>
      {followed.refused && <Refused by={followed.refused} />}
      <p class="about">
        {followed.last && `${m.live.rate(count(sum(followed.last.results)), count(sum(followed.last.events)))} `}
        {m.live.since(count(followed.shown), count(followed.leftOut))}
        {updates.paused.value && ` ${m.live.notFollowing}`}
      </p>
      <Lines key={place.value.search} name={m.pages.live} of={followed.lines} />
      {followed.lines.length === 0 && !followed.busy && !followed.refused && <Nothing />}
      <LastSecond of={followed} />
    </Page>
  );
}

const sum = (of: Record<string, number> = {}) => Object.values(of).reduce((a, b) => a + b, 0);

/** The last second in numbers. */
function LastSecond({ of: { last } }: { of: Followed }) {
  const m = say.value.live;
  const stations = Object.fromEntries((last?.stations ?? []).slice(0, 4).map((s) => [s.station, sum(s.results)]));
  const rate = (of?: Record<string, number>) => (last ? count(sum(of)) : "–");
  const filtered = (name: string) => (value: string) => withQuery({ [name]: value });
  return (
    <section aria-label={m.happened}>
      <h2>{m.happened}</h2>
      <div class="tiles live-tiles">
        <Counts title={m.results} total={rate(last?.results)} of={countsOf(last?.results ?? {}, filtered("state"))} show={(s) => <State of={s} />} />
        <Counts title={m.events} total={rate(last?.events)} of={countsOf(last?.events ?? {}, filtered("kind")).slice(0, 6)} show={visible} />
        <Counts title={m.stations} of={countsOf(stations, filtered("station"))} show={visible} />
      </div>
    </section>
  );
}

/** How many rows around those that can be seen are there, too. */
const around = 10;

/**
 * The lines as a table of which only the rows near those in sight are there, because there are up
 * to 5,000, and each second brings more. They stay where they are while the pointer is over them,
 * has the focus in them, or has scrolled down.
 */
export function Lines({ name, of }: { name: string; of: Line[] }) {
  const m = say.value;
  const region = useRef<HTMLDivElement>(null);
  const shown = useRef<Line[]>([]);
  const [at, setAt] = useState({ top: 0, row: 36, height: 480 });
  const held = shown.current.length > 0 && of.length > 0 && !!region.current && (region.current.scrollTop > 0 || region.current.matches(":hover, :focus-within"));
  if (!held) shown.current = of;
  const lines = shown.current;
  const fresh = (of[0]?.key ?? -1) - (lines[0]?.key ?? -1);
  const measure = () => {
    const box = region.current!;
    const row = box.querySelector("tbody tr.line")?.getBoundingClientRect().height || at.row;
    const now = { top: box.scrollTop, row, height: box.clientHeight };
    if (now.top !== at.top || now.row !== at.row || now.height !== at.height) setAt(now);
  };
  useLayoutEffect(measure);
  const first = Math.max(0, Math.floor(at.top / at.row) - around);
  const last = Math.min(lines.length, Math.ceil((at.top + at.height) / at.row) + around);
  const takeIn = () => {
    shown.current = of;
    region.current!.scrollTop = 0;
    measure();
    setAt({ ...at, top: 0 });
  };
  return (
    <>
      <div class="fresh-rows">{held && <NewRows n={fresh} show={takeIn} />}</div>
      <div class="scroll live" ref={region} role="region" aria-label={name} tabIndex={0} onScroll={measure}>
        <table aria-label={name} aria-rowcount={lines.length + 1}>
          <thead><tr aria-rowindex={1}>{m.columns.live.map((c) => <th key={c} scope="col">{c}</th>)}</tr></thead>
          <tbody>
            <Space rows={first} height={at.row} />
            {lines.slice(first, last).map((line, i) => <Row key={line.key} of={line} index={first + i + 2} />)}
            <Space rows={lines.length - last} height={at.row} />
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The room of rows that are not there. */
function Space({ rows, height }: { rows: number; height: number }) {
  return rows > 0 ? <tr class="space" aria-hidden="true"><td colSpan={6} style={{ height: `${rows * height}px` }} /></tr> : null;
}

function Row({ of, index }: { of: Line; index: number }) {
  const m = say.value.live;
  if (!("item" in of)) {
    return (
      <tr class="line left-out" aria-rowindex={index}>
        <td colSpan={6}>{"gap" in of ? m[of.gap] : <>… {m.leftOut(count(of.leftOut))} <When at={of.at} bare /></>}</td>
      </tr>
    );
  }
  const it = of.item as JsonObject & { station: string; plan_id: string };
  const text = (name: string) => (it[name] === undefined ? "" : String(it[name]));
  return (
    <tr class="line" aria-rowindex={index}>
      <td title={visible(`${it.station}/${it.plan_id}`)}><PlanLink station={it.station} id={it.plan_id} /></td>
      <td>{it.n !== undefined && <a href={runPage(it.station, it.plan_id, Number(it.n))}>{text("n")}</a>}</td>
      <td>{it.kind === undefined ? <State of={text("state")} /> : visible(text("kind"))}{Number(it.count ?? 0) > 1 && <span class="about"> × {count(Number(it.count))}</span>}</td>
      <td>{visible(text("reason"))}</td>
      <td><When at={text("time") || text("end_time") || text("plan_time")} bare /></td>
      <td title={visible(text("worker_id"))}>{visible(text("worker_id"))}</td>
    </tr>
  );
}

/** The hints while there are no items. */
function Nothing() {
  const m = say.value;
  const set = filters.filter((name) => param(name));
  if (set.length > 0) {
    return (
      <div class="empty">
        <p>{m.live.nothingFits(set.map((name) => `${name}=${visible(param(name))}`).join(" "))}</p>
        <p><a href={withQuery(Object.fromEntries(set.map((name) => [name, undefined])))}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.live.nothing}</p>
      <Command>stationmaster plan create --station hello --command greet --type second --value 5 --repet -1</Command>
      <p><a href={pageOf(["plans"])}>{m.pages.plans}</a></p>
    </div>
  );
}

/** Downloads the items on the page, the oldest first, each on a line. */
function download(lines: Line[]) {
  const items = lines.flatMap((line) => ("item" in line ? [formatJson(line.item as Json) + "\n"] : [])).reverse();
  const address = URL.createObjectURL(new Blob(items, { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "live.ndjson";
  link.click();
  URL.revokeObjectURL(address);
  announce(say.value.live.downloaded(count(items.length)));
}
