import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Command, Refused } from "./hint";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { pageOf, param, planPage, runPage, withQuery } from "./route";
import { resultStates, Runs } from "./runs";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { barsOfRuns, Progress, RunBars, State } from "./state";
import { Paging, Table, useCalm } from "./table";
import { When } from "./time";
import { Value } from "./value";
import { Actions, CancelRun } from "./verbs";
import { visible } from "./visible";
import { Why } from "./why";
import { ChoiceFilter, Filters } from "./filters";
import { Events } from "./plan-events";
import type { JsonObject } from "./json";

const tabs = ["runs", "upcoming", "definition", "events"] as const;

/** A plan: its status with the reason, its runs and next occurrences. */
export function Plan({ station, id }: { station: string; id: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["PlanView"]>(restPath(["plans", station, id]));
  const { data: view, refused, busy } = resource.value;
  const zone = view?.plan.timezone as string | undefined;
  const tab = tabs.find((t) => t === param("tab")) ?? "runs";
  return (
    <Page title={visible(`${station}/${id}`)} busy={busy} aside={view && <State of={view.state.status} />}>
      {view && <Actions view={view} after={again} />}
      {refused && (refused.status === 404 ? <Gone station={station} id={id} /> : <Refused by={refused} />)}
      {view && <Header view={view} zone={zone} />}
      <Why station={station} id={id} zone={zone} />
      {view && <Open view={view} zone={zone} after={again} />}
      <nav class="tabs" aria-label={m.parts}>
        {tabs.map((t) => (
          <a key={t} href={planPage(station, id, { tab: t === "runs" ? undefined : t })} aria-current={t === tab ? "page" : undefined}>{m.tabs[t]}</a>
        ))}
      </nav>
      {tab === "runs" && <RunsTab station={station} id={id} zone={zone} gone={refused?.status === 404} />}
      {tab === "upcoming" && view && <Upcoming station={station} id={id} zone={zone} />}
      {tab === "definition" && view && <Definition plan={view.plan as unknown as JsonObject} />}
      {tab === "events" && view && <Events station={station} id={id} />}
    </Page>
  );
}

/** A plan that is not there. */
function Gone({ station, id }: { station: string; id: string }) {
  const m = say.value;
  return (
    <div class="empty">
      <p>{m.noSuchPlan}</p>
      {session.operates.value && <p><a href={pageOf(["plans", "new"], { station, plan_id: id })}>{m.makeIt}</a></p>}
    </div>
  );
}

function Header({ view: { plan, state }, zone }: { view: Api["PlanView"]; zone?: string }) {
  const m = say.value;
  return (
    <dl class="facts">
      {plan.description && <Fact name={m.fields.description}>{visible(String(plan.description))}</Fact>}
      <Fact name={m.columns.plans[2]}><code>{visible(scheduleOf(plan))}</code></Fact>
      {state.plan_time && state.status !== "paused" && <Fact name={m.nextDue}><When at={state.plan_time} zone={zone} /></Fact>}
      {state.paused && (
        <Fact name={m.pausedSince}>
          <When at={state.paused.since} zone={zone} /> {state.paused.by && visible(state.paused.by)} {state.paused.note && <q>{visible(state.paused.note)}</q>}
        </Fact>
      )}
      {state.skip_next ? <Fact name={m.skipsLeft}>{state.skip_next === -1 ? m.all : state.skip_next}</Fact> : null}
      <Fact name={m.executed}>{count(state.real_repet)}</Fact>
      <Fact name={m.skipped}>{count(state.skip_num)}</Fact>
    </dl>
  );
}

/** The schedule as its fields have it. */
function scheduleOf(plan: Api["PlanDefinition"]): string {
  const p = plan as { plan_type?: string; plan_value?: number; cron?: string; timezone?: string };
  return [p.plan_type ?? "none", p.cron ?? p.plan_value, p.timezone].filter((part) => part !== undefined).join(" ");
}

/** The occurrences that fell due and are not settled. */
function Open({ view: { plan, state }, zone, after }: { view: Api["PlanView"]; zone?: string; after: () => void }) {
  const m = say.value;
  const station = String(plan.station), id = String(plan.plan_id);
  const rows = (state.open ?? []).flatMap((o) =>
    (o.executions ?? []).map((e) => ({ ...e, next_try: undefined as string | undefined }))
      .concat(o.next_try ? [{ attempt: (o.errors ?? 0) + 1, next_try: o.next_try } as never] : []),
  );
  return (
    <section>
      <h2>{m.openExecutions}</h2>
      <Table
        name={m.openExecutions} columns={session.operates.value ? [...m.columns.open, m.columns.act] : m.columns.open}
        empty={rows.length === 0 && <p class="about">{m.overview.none}</p>}
      >
        {rows.map((e, i) => (
          <tr key={i}>
            <td>{e.n ? <a href={runPage(station, id, e.n)}>{e.n}</a> : "–"}</td>
            <td>{e.attempt}</td>
            <td>{e.state ? <State of={e.state} /> : <State of="retrying" />}<Progress of={e.progress} /></td>
            <td>{e.worker_id && visible(e.worker_id)}</td>
            <td><When at={e.next_try ?? e.deadline} zone={zone} /></td>
            {session.operates.value && <td>{e.n && <CancelRun station={station} id={id} n={e.n} after={after} />}</td>}
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** The runs of a plan, with a filter. */
export function RunsTab({ station, id, zone, gone }: { station: string; id: string; zone?: string; gone: boolean }) {
  const m = say.value;
  const query = { state: param("state"), cursor: param("cursor"), limit: param("limit") || "50" };
  const [resource] = useResource<Api["ResultPage"]>(restPath(["plans", station, id, "runs"], query), true);
  const { data, refused, busy } = resource.value;
  const all = data?.runs ?? [];
  const [runs, fresh] = useCalm(all, (r) => String(r.n), m.pages.runs);
  return (
    <section class="part">
      <Filters label={m.filterRuns}>
        <ChoiceFilter name="state" label={m.filter.state} values={resultStates} any={m.any} />
        <RunBars bars={barsOfRuns(all)} />
        {fresh}
      </Filters>
      {refused && refused.status !== 404 && <Refused by={refused} />}
      <Runs runs={runs} zone={zone} busy={busy} empty={gone ? <p>{m.noRunsKept}</p> : <NoRuns station={station} id={id} />} />
      <Paging next={data?.next} />
    </section>
  );
}

function NoRuns({ station, id }: { station: string; id: string }) {
  const m = say.value;
  if (param("state")) return <div class="empty"><p>{m.noRunFits} <a href={withQuery({ state: undefined, cursor: undefined })}>{m.withoutFilters}</a></p></div>;
  return (
    <div class="empty">
      <p>{m.noRuns}</p>
      <Command>{`stationmaster plan runs ${station}/${id}`}</Command>
    </div>
  );
}

function Upcoming({ station, id, zone }: { station: string; id: string; zone?: string }) {
  const [resource] = useResource<Api["Previewed"]>(
    restPath(["plans", station, id, "upcoming"], { count: "20", with_skipped: "true", lang: lang.now.value }),
  );
  const { data, refused, busy } = resource.value;
  return (
    <section class="part">
      {refused && <Refused by={refused} />}
      <NextOccurrences of={data} zone={zone} busy={busy} />
    </section>
  );
}

/** The next occurrences, as the server previews them. */
export function NextOccurrences({ of, zone, busy }: { of?: Api["Previewed"]; zone?: string; busy?: boolean }) {
  const m = say.value;
  const list = of?.occurrences ?? [];
  return (
    <>
      {of?.words && <p class="words">{visible(of.words)}</p>}
      <Table
        name={m.nextOccurrences} columns={m.columns.next} busy={busy}
        empty={list.length === 0 && of && <div class="empty"><p>{of.reason ? m.nothingComes(of.reason) : m.nothingToCome}</p></div>}
      >
        {list.map((o) => (
          <tr key={o.plan_time} class={o.skipped ? "left-out" : undefined}>
            <td><When at={o.plan_time} zone={zone} /></td>
            <td>{o.local && <time dateTime={o.plan_time}>{weekday(o.local)} {o.local.slice(0, 10)} {o.local.slice(11, 19)} <span class="offset">{o.offset}</span></time>}</td>
            <td>
              {o.skipped && <><State of="skipped" /> {o.reason} </>}
              {(o.notes ?? []).map((n) => <div key={n.kind} class="about">{visible(n.text)}</div>)}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** The day of the week of a local date, which is the same in every zone. */
const weekday = (local: string) =>
  new Intl.DateTimeFormat(lang.now.value, { weekday: "short", timeZone: "UTC" }).format(new Date(local.slice(0, 10) + "T00:00:00Z"));

function Definition({ plan }: { plan: JsonObject }) {
  const names = say.value.fields as Record<string, string>;
  return (
    <section class="part">
      <dl class="facts">
        {Object.entries(plan).map(([name, value]) => (
          <Fact key={name} name={<>{names[name]} <code>{visible(name)}</code></>}><Value of={value} /></Fact>
        ))}
      </dl>
    </section>
  );
}
