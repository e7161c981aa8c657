import { restPath, type Api } from "./rest";
import { ChoiceFilter, Filters, MoreFilters, TextFilter } from "./filters";
import { Command, Refused } from "./hint";
import { NewPeriodic } from "./periodic-verbs";
import { useResource } from "./resource";
import { pageOf, param, withQuery } from "./route";
import { say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { stationPage } from "./stations";
import { Paging, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** The address of a periodic task's page. */
export const periodicPage = (id: string) => pageOf(["periodic", id]);

const filters = ["type", "status", "tenant_id", "category", "creator"];

/** The periodic tasks. */
export function PeriodicTasks() {
  const m = say.value;
  const query = Object.fromEntries([...filters, "cursor", "limit"].map((name) => [name, param(name)]));
  const [resource, again] = useResource<Api["PeriodicPage"]>(restPath(["periodic-tasks"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.periodic_tasks ?? [], (t) => t.id, m.pages.periodic);
  return (
    <Page title={m.pages.periodic} busy={busy} aside={session.operates.value && <NewPeriodic after={again} />}>
      <Filters label={m.periodic.filter}>
        <TextFilter name="type" label={m.periodic.fields.type} />
        <ChoiceFilter name="status" label={m.filter.status} values={["new", "online", "offline"]} any={m.any} />
        <MoreFilters names={filters.slice(2)}>
          <TextFilter name="tenant_id" label={m.fields.tenant_id} />
          <TextFilter name="category" label={m.fields.category} />
          <TextFilter name="creator" label={m.fields.creator} />
        </MoreFilters>
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      <Table name={m.pages.periodic} columns={m.periodic.columns} busy={busy} empty={list.length === 0 && !refused && <NoTasks next={data?.next} />}>
        {list.map((t) => (
          <tr key={t.id}>
            <td><a href={periodicPage(t.id)}>{visible(t.id)}</a></td>
            <td><State of={t.status} /></td>
            <td><a href={stationPage(t.type)}>{visible(t.type)}</a></td>
            <td><code>{visible(t.cron_expressions)}</code> <span class="about">{visible(t.timezone ?? "UTC")}</span></td>
            <td>{t.log}</td>
            <td><When at={t.update_date} zone={t.timezone} /></td>
          </tr>
        ))}
      </Table>
      <Paging next={data?.next} />
    </Page>
  );
}

/** The hints of an empty list. */
function NoTasks({ next }: { next?: string }) {
  const m = say.value;
  const set = filters.filter((name) => param(name));
  if (set.length > 0 || next || param("cursor")) {
    return (
      <div class="empty">
        <p>{m.periodic.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" "))}</p>
        <p><a href={withQuery(Object.fromEntries([...filters, "cursor", "before"].map((name) => [name, undefined])))}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.periodic.none}</p>
      <Command>{"stationmaster periodic put nightly --type bills --cron '0 3 * * *' --log trans_log"}</Command>
      <Command>stationmaster periodic online nightly</Command>
    </div>
  );
}
