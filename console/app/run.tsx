import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Refused } from "./hint";
import { Labels, PlanLink } from "./name";
import { useResource } from "./resource";
import { runPage } from "./route";
import { say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { Table } from "./table";
import { took, When } from "./time";
import { Value } from "./value";
import { CancelRun, takes, TriggerAgain } from "./verbs";
import { visible } from "./visible";
import { Why } from "./why";
import type { Json } from "./json";

const underWay = ["dispatched", "running", "waiting"];

/** A run of a plan: its occurrence, reason and outcome. */
export function Run({ station, id, n }: { station: string; id: string; n: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["ResultView"]>(restPath(["plans", station, id, "runs", n]));
  const { data, refused, busy } = resource.value;
  const run = data?.run;
  const [plan] = useResource<Api["PlanView"]>(restPath(["plans", station, id]));
  const zone = plan.value.data?.plan.timezone; // of a plan that is gone it is not known
  const newest = plan.value.data?.state.n ?? (plan.value.busy ? 0 : Infinity); // nor this
  return (
    <Page title={m.runTitle(visible(`${station}/${id}`), visible(n))} busy={busy} aside={run && <State of={run.state} />}>
      <p class="crumbs"><PlanLink station={station} id={id} /></p>
      {refused && <Refused by={refused} />}
      {run && session.operates.value && (
        <div class="actions" role="group" aria-label={m.actions}>
          {underWay.includes(run.state) && <CancelRun station={station} id={id} n={run.n} after={again} />}
          {plan.value.data && takes(plan.value.data.state, "trigger") && <TriggerAgain station={station} id={id} />}
        </div>
      )}
      <Why station={station} id={id} of={{ n }} zone={zone} />
      {run && <Facts run={run} zone={zone} />}
      {run && <Attempts run={run} zone={zone} />}
      {run && <Contents run={run} />}
      {run && (
        <nav class="paging" aria-label={m.paging}>
          {run.n > 1 && <a href={runPage(station, id, run.n - 1)}>{m.run(run.n - 1)}</a>}
          {run.n < newest && <a href={runPage(station, id, run.n + 1)}>{m.run(run.n + 1)}</a>}
        </nav>
      )}
    </Page>
  );
}

/** The steps of a run as a line, with the time between them. */
function Facts({ run, zone }: { run: Api["Result"]; zone?: string }) {
  const m = say.value;
  const steps = [
    { name: m.steps.due, at: run.plan_time },
    { name: m.steps.dispatched, at: run.exec_time },
    { name: m.steps.ended, at: run.end_time },
  ].filter((s) => s.at);
  return (
    <ol class="steps" aria-label={m.steps.all}>
      {steps.map((s, i) => (
        <li key={s.name}>
          <span class="step">{s.name}</span>
          <When at={s.at} zone={zone} bare />
          {i > 0 && <small>+{took(steps[i - 1].at, s.at)}</small>}
        </li>
      ))}
    </ol>
  );
}

/** All executions of the occurrence of a run. */
function Attempts({ run, zone }: { run: Api["Result"]; zone?: string }) {
  const m = say.value;
  const [resource] = useResource<Api["ResultPage"]>(
    run.occurrence && run.attempt > 1 ? restPath(["plans", run.station, run.plan_id, "runs"], { limit: "100" }) : undefined,
  );
  const same = (resource.value.data?.runs ?? []).filter((r) => r.occurrence === run.occurrence);
  if (same.length < 2) return null;
  return (
    <section class="part">
      <h2>{m.attempts}</h2>
      <Table name={m.attempts} columns={m.columns.attempts}>
        {same.map((r) => (
          <tr key={r.n}>
            <td><a href={runPage(r.station, r.plan_id, r.n)}>{r.n}</a></td>
            <td>{r.attempt}</td>
            <td><State of={r.state} /></td>
            <td><When at={r.exec_time} zone={zone} bare /></td>
            <td class="number">{took(r.exec_time, r.end_time)}</td>
            <td>{r.worker_id && visible(r.worker_id)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** The execution as the worker got it, and its answer. */
function Contents({ run }: { run: Api["Result"] }) {
  const m = say.value;
  const texts: [string, string | number | undefined][] = [
    [m.fields.command, run.command], [m.occurrence, run.occurrence || m.byHand], [m.attempt, run.attempt],
    [m.worker, run.worker_id], [m.key, run.key], [m.reason, run.reason], [m.triggerOf, run.trigger],
    [m.by, run.by], [m.note, run.note], [m.fields.request_id, run.request_id], [m.fields.caller, run.caller], [m.fields.tenant_id, run.tenant_id],
  ];
  const values: [string, unknown][] = [
    [m.error, run.error], [m.content, run.content], [m.fields.messages, run.messages], [m.votes, run.votes], [m.fields.ext, run.ext],
  ];
  return (
    <dl class="facts">
      {texts.map(([name, text]) => text !== undefined && text !== "" && <Fact key={name} name={name}>{visible(String(text))}</Fact>)}
      {run.labels && <Fact name={m.fields.labels}><Labels of={run.labels} /></Fact>}
      {values.map(([name, value]) => value !== undefined && value !== null && <Fact key={name} name={name} wide><Value of={value as Json} /></Fact>)}
    </dl>
  );
}
