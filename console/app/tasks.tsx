import { restPath, type Api } from "./rest";
import { CheckFilter, ChoiceFilter, Filters, MoreFilters, TextFilter, TimeFilter } from "./filters";
import { Command, Refused } from "./hint";
import { Name } from "./name";
import { useResource } from "./resource";
import { pageOf, param, place, withQuery } from "./route";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { Paging, Searched, Table, useCalm } from "./table";
import { NewTask } from "./task-verbs";
import { When } from "./time";
import { visible } from "./visible";

const statuses = ["Pending", "Error", "Failure", "Executing", "New", "Completed"] as const;
const ended = ["Success", "Completed", "Failure", "ManuallyProcessed", "Cancelled"] as const;

/** The parameters of the list that narrow it, in the order in which the server preloads it. */
const filters = ["type", "status", "tenant_id", "category", "creator", "history", "from", "to"];

/** The state of a plan that is drawn as a status of a task is. */
const drawnAs: Record<string, string> = {
  New: "queued", Executing: "executing", Error: "retrying", Pending: "pending", Success: "ok", Completed: "ok", Failure: "failure", ManuallyProcessed: "ok", Cancelled: "cancelled",
};

/** A task's status: a drawing, and the word of the wire. */
export const TaskStatus = ({ of }: { of: string }) => <State of={drawnAs[of]} wire={of} />;

/** The address of a task's page. */
export const taskPage = (type: string, id: string) => pageOf(["tasks", type, id]);

/** A desk for people: tasks that wait for one first, then those in trouble. */
export function Tasks() {
  const m = say.value;
  const history = param("history") === "true";
  const query = Object.fromEntries([...filters, "cursor", "limit"].map((name) => [name, place.value.searchParams.getAll(name)]));
  const [resource, again] = useResource<Api["AsyncTaskPage"]>(restPath(["async-tasks"], { ...query, order: history ? undefined : "status" }), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.tasks ?? [], (t) => `${t.type}/${t.id} ${t.create_date}`, m.pages.tasks);
  return (
    <Page title={m.pages.tasks} busy={busy} aside={session.operates.value && <NewTask after={again} />}>
      <p class="crumbs"><a href={pageOf(["task-types"])}>{m.tasks.types}</a></p>
      <Filters label={m.tasks.filter}>
        <TextFilter name="type" label={m.tasks.type} />
        <ChoiceFilter name="status" label={m.filter.status} values={history ? ended : statuses} any={m.any} />
        <TextFilter name="tenant_id" label={m.fields.tenant_id} />
        <TextFilter name="creator" label={m.fields.creator} />
        <CheckFilter name="history" label={m.tasks.history} about={m.tasks.historyAbout} />
        <MoreFilters names={["category", "from", "to"]}>
          <TextFilter name="category" label={m.fields.category} />
          {history && <TimeFilter name="from" label={m.tasks.from} />}
          {history && <TimeFilter name="to" label={m.tasks.to} />}
        </MoreFilters>
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      {list.length === 0 && <Searched page={{ next: data?.next, complete: false }} says={() => m.tasks.notAll} />}
      <Table name={m.pages.tasks} columns={m.tasks.columns} kind="tasks" busy={busy} empty={list.length === 0 && !refused && !data?.next && <NoTasks history={history} />}>
        {list.map((t) => (
          <tr key={`${t.type}/${t.id} ${t.create_date}`}>
            <td><a href={taskPage(t.type, t.id)}><Name of={t.type} id={t.id} /></a></td>
            <td><TaskStatus of={t.status} /></td>
            <td class="number">{count(t.error_count)}</td>
            <td><When at={t.update_date} /></td>
            <td>{t.creator !== "0" && visible(t.creator)}</td>
            <td>{t.tenant_id && visible(t.tenant_id)}</td>
            <td>{t.error_info && visible(t.error_info)}</td>
          </tr>
        ))}
      </Table>
      <Paging next={data?.next} />
    </Page>
  );
}

/** The hints of an empty list. */
function NoTasks({ history }: { history: boolean }) {
  const m = say.value;
  const set = filters.filter((name) => param(name));
  if (set.length > 0) {
    return (
      <div class="empty">
        <p>{history && set.length === 1 ? m.tasks.noneFinished : m.tasks.noneFits} <a href={withQuery(Object.fromEntries([...set, "cursor", "before"].map((name) => [name, undefined])))}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.tasks.none}</p>
      <Command>stationmaster task type put review --need-manual</Command>
      <Command>{`stationmaster task submit review --ext '{"page":"terms"}'`}</Command>
      <Command>stationmaster task fetch --worker-id me --type review</Command>
    </div>
  );
}
