import { useEffect } from "preact/hooks";
import { restPath, type Api } from "./rest";
import { ChoiceFilter, Filters, MoreFilters, TextFilter, TimeFilter } from "./filters";
import { Refused } from "./hint";
import { Heat } from "./heat";
import { PlanLink } from "./name";
import { NoPlans, planTypes, statuses } from "./plans";
import { lang, tz } from "./prefs";
import { useResource, useSoonThenAll } from "./resource";
import { param, place, withQuery, type Query } from "./route";
import { count, say } from "./say";
import { Page } from "./shell";
import { Table } from "./table";
import { browserZone, When } from "./time";
import { updates } from "./updates";
import { visible } from "./visible";

type Due = Api["DueCalendar"];

/** The parameters of the calendar that choose plans. */
const filters = ["text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before"];

/** How often the page asks again, because a calendar changes slowly and is read from all plans. */
const everyMinute = 60e3;

/** How often plans are due, hour by hour or day by day. */
export function Calendar() {
  const m = say.value;
  const zone = param("zone") || (tz.now.value === "browser" ? browserZone : undefined);
  const query: Query = Object.fromEntries(filters.map((name) => [name, place.value.searchParams.getAll(name)]));
  const step = param("step") || undefined;
  const chosen = { ...query, step, from: param("from"), until: param("until"), zone, lang: lang.now.value };
  const [resource, again] = useSoonThenAll<Due>(["calendar"], chosen, (due) => due.sampled, true);
  useEffect(() => {
    const timer = setInterval(() => updates.due() && again(), everyMinute);
    return () => clearInterval(timer);
  }, [restPath(["calendar"], chosen)]);
  const { data, refused, busy } = resource.value;
  const none = data?.plans === 0 && !data.sampled;
  return (
    <Page title={m.pages.calendar} busy={busy && !data}>
      <Filters label={m.filterPlans}>
        <TextFilter name="text" label={m.filter.text} type="search" />
        <TextFilter name="station" label={m.filter.station} />
        <ChoiceFilter name="status" label={m.filter.status} values={statuses} any={m.any} />
        <ChoiceFilter name="plan_type" label={m.filter.plan_type} values={planTypes} any={m.any} />
        <ChoiceFilter name="step" label={m.calendar.step} values={["1d"]} any={m.calendar.byHour} />
        <MoreFilters names={["labels", "from", "zone"]}>
          <TextFilter name="labels" label={m.filter.labels} />
          <TimeFilter name="from" label={m.allRuns.from} />
          <TextFilter name="zone" label={m.fields.timezone} />
        </MoreFilters>
      </Filters>
      {refused && <Refused by={refused} />}
      {data && (
        <>
          <Found of={data} />
          <Heat of={data} chosen={param("cell")} />
          {none && <NoPlans />}
          <Weeks of={data} />
          <ClockChanges of={data.cells} />
        </>
      )}
      {param("cell") && <Cell address={restPath(["calendar"], { ...query, step, cell: param("cell"), zone, lang: lang.now.value })} />}
    </Page>
  );
}

/** How many plans are counted, and how well. */
function Found({ of }: { of: Due }) {
  const m = say.value.calendar;
  return (
    <p class="about">
      {m.found(count(of.cells.reduce((sum, c) => sum + c.count, 0)), count(of.plans), visible(of.zone))}
      {of.sampled && ` ${m.sampled}`}
    </p>
  );
}

/** The way to the time behind, and back to now. */
function Weeks({ of: { cells, step } }: { of: Due }) {
  const m = say.value.calendar;
  const last = cells.at(-1);
  if (!last) return null;
  const behind = new Date(Date.parse(last.from) + (step === "1d" ? 86400e3 : 3600e3)).toISOString().replace(".000Z", "Z");
  return (
    <nav class="paging" aria-label={m.times}>
      {param("from") && <a href={withQuery({ from: undefined, until: undefined, cell: undefined })}>{m.now}</a>}
      <a href={withQuery({ from: behind, until: undefined, cell: undefined })}>{m.later}</a>
    </nav>
  );
}

/** Where clocks change, and how many plans that concerns, in the server's words. */
function ClockChanges({ of }: { of: Due["cells"] }) {
  const m = say.value;
  const all = of.flatMap((cell) => cell.notes.map((note) => ({ cell, note })));
  if (all.length === 0) return null;
  return (
    <section class="part">
      <h2>{m.calendar.changes}</h2>
      <Table name={m.calendar.changes} columns={m.columns.clocks}>
        {all.map(({ cell, note }) => (
          <tr key={cell.from + note.text}>
            <td><a href={withQuery({ cell: cell.from })}>{momentOf(cell.from)}</a></td>
            <td class="number">{count(note.plans)}</td>
            <td>{visible(note.text)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

const momentOf = (from: string) => `${from.slice(0, 10)} ${from.slice(11, 16)} ${from.slice(19)}`;

/** The plans of one hour or day. */
function Cell({ address }: { address: string }) {
  const m = say.value;
  const [resource] = useResource<Due>(address, true, true);
  const { data, refused, busy } = resource.value;
  const cell = data?.cells[0];
  const items = data?.items ?? [];
  return (
    <section class="part cell" aria-busy={busy ? "true" : undefined} aria-label={m.calendar.chosen}>
      <h2>{m.calendar.chosen} {cell && <time dateTime={new Date(cell.from).toISOString()}>{momentOf(cell.from)}</time>}</h2>
      {refused && <Refused by={refused} />}
      {cell && (
        <>
          <p>{m.calendar.inCell(count(cell.count))}</p>
          {cell.top.length > 1 && (
            <ul class="top">
              {cell.top.map(({ station, count: n }) => <li key={station}><a href={withQuery({ station })}>{visible(station)} <b>{count(n)}</b></a></li>)}
            </ul>
          )}
          <Table listed name={m.calendar.plans} columns={m.columns.inCell} figures={3} empty={items.length === 0 && <p class="about">{m.calendar.nothing}</p>}>
            {items.map((i) => (
              <tr key={`${i.station}/${i.plan_id}`}>
                <td><PlanLink station={i.station} id={i.plan_id} /></td>
                <td><When at={i.first} zone={data.zone} /></td>
                <td class="number">{count(i.count)}</td>
              </tr>
            ))}
          </Table>
          {data.left_out && <p class="about">{m.calendar.leftOut(count(data.left_out))}</p>}
        </>
      )}
      <p><a href={withQuery({ cell: undefined })}>{m.calendar.close}</a></p>
    </section>
  );
}
