import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Refused } from "./hint";
import { PlanLink } from "./name";
import { PeriodicActions } from "./periodic-verbs";
import { NextOccurrences } from "./plan";
import { lang } from "./prefs";
import { Members } from "./record";
import { useResource } from "./resource";
import { pageOf, param } from "./route";
import { say } from "./say";
import { Page } from "./shell";
import { State } from "./state";
import { stationPage } from "./stations";
import { Paging, Table, useCalm } from "./table";
import { took, When } from "./time";
import { Value } from "./value";
import { visible } from "./visible";
import type { Json } from "./json";

/** A periodic task: its status, next times and trigger log. */
export function PeriodicTask({ id }: { id: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["PeriodicTask"]>(restPath(["periodic-tasks", id]));
  const { data: task, refused, busy } = resource.value;
  return (
    <Page title={visible(id)} busy={busy} aside={task && <State of={task.status} />}>
      <p class="crumbs"><a href={pageOf(["periodic"])}>{m.pages.periodic}</a></p>
      {task && <PeriodicActions task={task} after={again} />}
      {refused && (refused.status === 404 ? <p>{m.periodic.gone}</p> : <Refused by={refused} />)}
      {task && <Facts of={task} />}
      {task && <Next of={task} />}
      {!refused && <Log id={id} zone={task?.timezone} />}
    </Page>
  );
}

/** The plan of a periodic task. */
const planOf = (task: Api["PeriodicTask"]) => ({ station: task.type, id: `periodic_${task.id}` });

function Facts({ of: task }: { of: Api["PeriodicTask"] }) {
  const m = say.value;
  return (
    <>
      <dl class="facts">
        <Fact name={m.periodic.fields.type}><a href={stationPage(task.type)}>{visible(task.type)}</a></Fact>
        <Fact name={m.columns.plans[2]}><code>{visible(task.cron_expressions)}</code> <span class="about">{visible(task.timezone ?? "UTC")}</span></Fact>
        <Fact name={m.columns.plan}><PlanLink {...planOf(task)} /></Fact>
        <Fact name={m.periodic.made}><When at={task.create_date} zone={task.timezone} /></Fact>
        <Fact name={m.periodic.changed}><When at={task.update_date} zone={task.timezone} /></Fact>
        {task.ext !== undefined && task.ext !== null && <Fact name={m.fields.ext} wide><Value of={task.ext as Json} /></Fact>}
      </dl>
      <Members of={task} but={["id", "type", "cron_expressions", "timezone", "status", "create_date", "update_date", "ext"]} />
    </>
  );
}

/** The schedule in words, and the next five times; those of one that is not online are skipped. */
function Next({ of: task }: { of: Api["PeriodicTask"] }) {
  const { station, id } = planOf(task);
  const [resource] = useResource<Api["Previewed"]>(
    restPath(["plans", station, id, "upcoming"], { count: "5", with_skipped: "true", lang: lang.now.value }), true,
  );
  const { data, refused, busy } = resource.value;
  return (
    <section class="part">
      <h2>{say.value.nextOccurrences}</h2>
      {refused && refused.status !== 404 && <Refused by={refused} />}
      <NextOccurrences of={data} zone={task.timezone} busy={busy} />
    </section>
  );
}

/** The trigger log, the newest first. */
function Log({ id, zone }: { id: string; zone?: string }) {
  const m = say.value;
  const query = { cursor: param("cursor"), limit: param("limit") || "20" };
  const [resource] = useResource<Api["PeriodicLogPage"]>(restPath(["periodic-tasks", id, "logs"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.logs ?? [], (row) => row.id, m.periodic.log);
  return (
    <section class="part">
      <h2>{m.periodic.log} {fresh}</h2>
      {refused && refused.status !== 404 && <Refused by={refused} />}
      <Table name={m.periodic.log} columns={m.periodic.logColumns} busy={busy} empty={list.length === 0 && !refused && <p class="about">{m.periodic.noLog}</p>}>
        {list.map((row) => (
          <tr key={row.id}>
            <td><When at={row.create_date} zone={zone} /></td>
            <td><State of={row.result} /></td>
            <td class="number">{row.result !== "executing" && took(row.create_date, row.update_date)}</td>
            <td>{row.error_info && visible(row.error_info)}</td>
          </tr>
        ))}
      </Table>
      <Paging next={data?.next} />
    </section>
  );
}
