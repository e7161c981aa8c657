import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { fields } from "./fields";
import { FirstWorker, Refused } from "./hint";
import { formatJson, type Json } from "./json";
import { PlanLink } from "./name";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { pageOf } from "./route";
import { count, say } from "./say";
import { Page } from "./shell";
import { Sparkline } from "./sparkline";
import { State } from "./state";
import { recordOf, recordPath, StationActions } from "./station-verbs";
import { Waiting } from "./stations";
import { Table } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** A station: its record, workers, executions under way and waiting ones. */
export function Station({ name }: { name: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["StationGot"]>(recordPath(name));
  const { data, refused, busy, etag } = resource.value;
  const record = recordOf(data);
  const stats = data?.stats;
  return (
    <Page title={visible(name)} busy={busy} aside={data && <span class="about">{data.kind ?? "api"}</span>}>
      <p class="crumbs"><a href={pageOf(["stations"])}>{m.pages.stations}</a></p>
      {data && <StationActions name={name} record={record} etag={etag} after={again} />}
      {refused && <Refused by={refused} />}
      {data && !record && <p>{m.stations.defaultsHold}</p>}
      {record && <Record of={record} />}
      {stats && <Use of={stats} />}
      {!refused && <Serving station={name} />}
      {stats && (stats.waiting.room ?? 0) > 0 && <InLine station={name} />}
    </Page>
  );
}

/** The record, by the names of its fields. */
function Record({ of: record }: { of: Api["Station"] }) {
  const m = say.value;
  const names = m.fields as Record<string, string>;
  const known = new Set(fields.map((f) => f.name));
  const shown = Object.entries(record).filter(([name]) => !["station", "kind", "description", "revision"].includes(name));
  return (
    <dl class="facts">
      {record.description && <Fact name={m.fields.description} wide>{visible(record.description)}</Fact>}
      {shown.map(([name, value]) => (
        <Fact key={name} name={known.has(name) ? names[name] : <code>{visible(name)}</code>}>
          <code>{visible(typeof value === "string" ? value : formatJson(value as Json))}</code>
        </Fact>
      ))}
    </dl>
  );
}

function Use({ of: stats }: { of: Api["StationStats"] }) {
  const m = say.value;
  const hour = stats.results["1h"];
  const states = Object.entries(hour?.states ?? {});
  return (
    <dl class="facts">
      <Fact name={m.pages.plans}><a href={pageOf(["plans"], { station: stats.station })}>{count(stats.plans)}</a></Fact>
      <Fact name={m.stations.underWay}>{count(stats.under_way)}</Fact>
      <Fact name={m.stations.waiting}><Waiting of={stats} /></Fact>
      {stats.oldest_wait && <Fact name={m.stations.oldestWait}><When at={stats.oldest_wait} /></Fact>}
      {!stats.shared && (
        <Fact name={m.stations.lastHour}>
          {states.length === 0 && "0"}
          {states.map(([state, n]) => (
            <div key={state}><a href={pageOf(["runs"], { station: stats.station, state })}>{count(n)}</a> <State of={state} /></div>
          ))}
        </Fact>
      )}
      {!stats.shared && <Fact name={m.stations.byMinute}><Sparkline station={stats.station} /></Fact>}
    </dl>
  );
}

/** The workers of the station. */
function Serving({ station }: { station: string }) {
  const m = say.value;
  const [resource] = useResource<Api["WorkerPage"]>(restPath(["workers"], { station, limit: "100" }), true);
  const { data, refused, busy } = resource.value;
  const list = data?.workers ?? [];
  return (
    <section class="part">
      <h2>{m.pages.workers}</h2>
      {refused && <Refused by={refused} />}
      <Table name={m.pages.workers} columns={m.columns.workers.filter((_, i) => i !== 1)} busy={busy} empty={list.length === 0 && !refused && <NoWorkers station={station} />}>
        {list.map((w) => (
          <tr key={w.worker_id}>
            <td><a href={pageOf(["workers", w.worker_id])}>{visible(w.worker_id)}</a></td>
            <td>{w.version && visible(w.version)}</td>
            <td><When at={w.last_seen} /></td>
            <td>{count(w.load ?? 0)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function NoWorkers({ station }: { station: string }) {
  const m = say.value;
  return (
    <div class="empty">
      <p>{m.workers.nobodyServes(visible(station))} {m.workers.begin}</p>
      <FirstWorker station={station} />
    </div>
  );
}

/** The plans that wait for room at the station. */
function InLine({ station }: { station: string }) {
  const m = say.value;
  const address = restPath(["plans"], { station, waits: "room", fields: "brief", words: lang.now.value, limit: "100" });
  const [resource] = useResource<{ plans: Api["PlanView"][]; next?: string }>(address, true);
  const { data, busy } = resource.value;
  return (
    <section class="part">
      <h2>{m.stations.inLine}</h2>
      <Table name={m.stations.inLine} columns={m.columns.due} busy={busy}>
        {(data?.plans ?? []).map(({ plan, state }) => (
          <tr key={plan.plan_id}>
            <td><PlanLink station={String(plan.station)} id={String(plan.plan_id)} /></td>
            <td><When at={state.open?.[0]?.plan_time ?? state.plan_time} zone={plan.timezone as string | undefined} /></td>
          </tr>
        ))}
      </Table>
      {data?.next && <p><a href={pageOf(["plans"], { station, waits: "room" })}>{m.all}</a></p>}
    </section>
  );
}
