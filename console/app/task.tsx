import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Refused } from "./hint";
import type { Json } from "./json";
import { PlanLink } from "./name";
import { useResource } from "./resource";
import { pageOf } from "./route";
import { count, say } from "./say";
import { Page } from "./shell";
import { TaskActions } from "./task-verbs";
import { TaskStatus } from "./tasks";
import { When } from "./time";
import { Value } from "./value";
import { visible } from "./visible";

/** A task: its status, content and outcome. */
export function Task({ type, id }: { type: string; id: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["AsyncTask"]>(restPath(["async-tasks", type, id]), true);
  const { data, refused, busy } = resource.value;
  return (
    <Page title={visible(`${type}/${id}`)} busy={busy} aside={data && <TaskStatus of={data.status} />}>
      <p class="crumbs"><a href={pageOf(["tasks"])}>{m.pages.tasks}</a></p>
      {data && <TaskActions task={data} after={again} />}
      {refused && (refused.status === 404 ? <p>{m.tasks.noSuch}</p> : <Refused by={refused} />)}
      {data && <Facts of={data} />}
    </Page>
  );
}

function Facts({ of: t }: { of: Api["AsyncTask"] }) {
  const m = say.value;
  const texts: [string, string | undefined][] = [
    [m.fields.creator, t.creator === "0" ? undefined : t.creator], [m.fields.tenant_id, t.tenant_id], [m.fields.category, t.category], [m.worker, t.exec_id],
  ];
  const times: [string, string | undefined][] = [
    [m.tasks.created, t.create_date], [m.tasks.start, t.start_time], [m.tasks.changed, t.update_date], [m.tasks.deadline, t.executing_deadline],
  ];
  const values: [string, unknown][] = [[m.tasks.remark, t.remark], [m.queues.lastError, t.error_info], [m.tasks.result, t.result], [m.fields.ext, t.ext]];
  return (
    <dl class="facts">
      <Fact name={m.tasks.type}><a href={pageOf(["task-types"], { code: t.type })}>{visible(t.type)}</a></Fact>
      {times.map(([name, at]) => at && <Fact key={name} name={name}><When at={at} /></Fact>)}
      <Fact name={m.tasks.errors}>{count(t.error_count)}</Fact>
      {t.exec_time > 0 && <Fact name={m.tasks.took}>{count(t.exec_time)}</Fact>}
      {texts.map(([name, text]) => text && <Fact key={name} name={name}>{visible(text)}</Fact>)}
      <Fact name={m.tasks.plan}><PlanLink station={t.type} id={t.id} /></Fact>
      {values.map(([name, value]) => value !== undefined && value !== null && value !== "" && <Fact key={name} name={name} wide><Value of={value as Json} /></Fact>)}
    </dl>
  );
}
