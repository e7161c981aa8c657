import { restPath, type Api } from "./rest";
import { Counts, countsOf } from "./counts";
import { Refused } from "./hint";
import { Lateness } from "./lateness";
import { PlanLink } from "./name";
import { Partitions } from "./partitions";
import { NoPlans } from "./plans";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { pageOf, planPage } from "./route";
import { count, say } from "./say";
import { has } from "./sections";
import { Page } from "./shell";
import { State } from "./state";
import { Table, useCalm } from "./table";
import { Throughput } from "./throughput";
import { When } from "./time";
import { visible } from "./visible";

type Now = Api["Overview"];

/** How things stand now; each number leads to a list. */
export function Overview() {
  const m = say.value;
  const [resource] = useResource<Now>(restPath(["overview"], { lang: lang.now.value }), true);
  const { data, refused, busy } = resource.value;
  return (
    <Page title={m.pages.overview} busy={busy}>
      {refused && <Refused by={refused} />}
      {data && (
        <>
          {data.plans.total === 0 && <NoPlans />}
          <Numbers of={data} />
          <div class="halves">
            <TroubleList of={data.trouble} />
            <NextDue of={data.next_due} />
          </div>
          <Throughput />
          <Lateness of={data.lateness["1h"]} />
          <section class="part">
            <h2>{m.overview.partitions}</h2>
            <Partitions of={data.partitions} />
          </section>
        </>
      )}
    </Page>
  );
}

/** The counters, each with a link to its list. */
function Numbers({ of }: { of: Now }) {
  const m = say.value;
  const hour = of.results["1h"] ?? { states: {}, reasons: {} };
  // A link stays the same for a minute, so that the browser shows which was followed.
  const from = new Date(Math.floor(Date.parse(of.as_of) / 60e3) * 60e3 - 3600e3).toISOString().replace(".000Z", "Z");
  const plans = (query: Record<string, string>) => pageOf(["plans"], query);
  const runs = (query: Record<string, string>) => (has("runs") ? pageOf(["runs"], { ...query, from }) : undefined);
  return (
    <div class="tiles">
      <Counts title={m.pages.plans} total={<a href={plans({})}>{count(of.plans.total)}</a>} of={countsOf(of.plans.by_status, (status) => plans({ status }))} show={(s) => <State of={s} />} />
      <Counts
        title={m.overview.underWay} total={<a href={plans({ status: "executing" })}>{count(of.executions.under_way)}</a>}
        of={countsOf(of.executions.waiting, (waits) => plans({ waits }))} show={(w) => m.waitsFor(visible(w))}
      />
      <Counts title={m.overview.lastHour} of={countsOf(hour.states, (state) => runs({ state }))} show={(s) => <State of={s} />} />
      <Counts title={m.overview.skippedLastHour} of={countsOf(hour.reasons, (reason) => runs({ reason }))} show={visible} />
    </div>
  );
}

/** The address with more about trouble: its plan, or the plans of its station. */
function placeOf({ kind, station, plan_id }: Api["Trouble"]): string {
  if (station && plan_id) return planPage(station, plan_id);
  return pageOf(["plans"], { station, waits: kind === "no_worker" ? "worker" : undefined, order: kind === "overdue" ? "due" : undefined });
}

function TroubleList({ of }: { of: Now["trouble"] }) {
  const m = say.value;
  const [all, fresh] = useCalm(of, (t) => `${t.kind} ${t.station} ${t.plan_id}`, m.overview.trouble);
  return (
    <section class="part">
      <h2>{m.overview.trouble} {fresh}</h2>
      <Table name={m.overview.trouble} columns={m.columns.trouble} empty={all.length === 0 && <p class="about">{m.overview.noTrouble}</p>}>
        {all.map((t) => (
          <tr key={`${t.kind} ${t.station} ${t.plan_id}`}>
            <td><a href={placeOf(t)}>{m.overview.kinds[t.kind] ?? visible(t.kind)}</a><div class="about">{visible(t.text)}</div></td>
            <td>{t.station && t.plan_id ? <PlanLink station={t.station} id={t.plan_id} /> : visible(t.station ?? "")}</td>
            <td><When at={t.since} /></td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function NextDue({ of }: { of: Now["next_due"] }) {
  const m = say.value;
  const [all, fresh] = useCalm(of, (d) => `${d.station}/${d.plan_id}`, m.overview.nextDue);
  return (
    <section class="part">
      <h2>{m.overview.nextDue} {fresh}</h2>
      <Table name={m.overview.nextDue} columns={m.columns.due} empty={all.length === 0 && <p class="about">{m.overview.nothingDue}</p>}>
        {all.map((d) => (
          <tr key={`${d.station}/${d.plan_id}`}>
            <td><PlanLink station={d.station} id={d.plan_id} known={d.known_as} /></td>
            <td><When at={d.plan_time} /></td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
