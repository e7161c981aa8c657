import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { memberOf } from "./fields";
import { Command, Refused } from "./hint";
import { formatJson, type Json, type JsonObject } from "./json";
import { useResource } from "./resource";
import { pageOf, param, withQuery } from "./route";
import { say } from "./say";
import { Secrets } from "./secrets";
import { session } from "./session";
import { Page } from "./shell";
import { Paging, Table, useCalm } from "./table";
import { fieldsOfType, NewType, TypeActions } from "./task-type-verbs";
import { visible } from "./visible";

/** The types of tasks; the one that is chosen is shown in full. */
export function TaskTypes() {
  const m = say.value;
  const query = { category: param("category"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource<Api["TaskTypePage"]>(restPath(["task-types"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.task_types ?? [], (t) => t.code, m.tasks.types);
  const chosen = param("code");
  return (
    <Page title={m.tasks.types} busy={busy} aside={session.operates.value && <NewType after={again} />}>
      <p class="crumbs"><a href={pageOf(["tasks"])}>{m.pages.tasks}</a></p>
      {fresh}
      {refused && <Refused by={refused} />}
      <Table name={m.tasks.types} columns={m.tasks.typeColumns} busy={busy} empty={list.length === 0 && !refused && <NoTypes />}>
        {list.map((t) => (
          <tr key={t.code}>
            <td><a href={withQuery({ code: t.code })} aria-current={t.code === chosen ? "true" : undefined}>{visible(t.code)}</a></td>
            <td>{t.name && visible(t.name)}</td>
            <td>{t.category !== undefined && visible(String(t.category))}</td>
            <td>{t.config?.kind ?? "pull"}</td>
            <td>{t.config?.retry_strategy ?? "none"}</td>
            <td>{String(t.config?.need_manual ?? false)}</td>
          </tr>
        ))}
      </Table>
      <Paging next={data?.next} />
      {chosen && <Type key={chosen} code={chosen} after={again} />}
      {session.operates.value && <Secrets />}
    </Page>
  );
}

function NoTypes() {
  const m = say.value;
  return (
    <div class="empty">
      <p>{m.tasks.noTypes}</p>
      <Command>stationmaster task type put review --need-manual</Command>
    </div>
  );
}

/** A type, by the names of its fields. */
function Type({ code, after }: { code: string; after: () => void }) {
  const m = say.value;
  const [resource, again] = useResource<Api["TaskType"]>(restPath(["task-types", code]), true);
  const { data, refused, busy } = resource.value;
  return (
    <section class="part" aria-label={visible(code)} aria-busy={busy && !data && !refused ? "true" : undefined}>
      <h2>{visible(code)}</h2>
      {refused && (refused.status === 404 ? <p>{m.tasks.noSuchType(visible(code))}</p> : <Refused by={refused} />)}
      {data && <TypeActions type={data} after={() => (again(), after())} />}
      {data && (
        <dl class="facts">
          {fieldsOfType().map((f) => {
            const value = memberOf(data as unknown as JsonObject, f.name);
            return value !== undefined && value !== null && <Fact key={f.name} name={f.label}><Shown of={value} /></Fact>;
          })}
          <Fact name={m.tasks.tasksOf}><a href={pageOf(["tasks"], { type: code })}>{m.pages.tasks}</a></Fact>
          <Fact name={m.fields.station}><a href={pageOf(["stations", code])}>{visible(code)}</a></Fact>
        </dl>
      )}
    </section>
  );
}

const Shown = ({ of }: { of: Json }) => <code>{visible(typeof of === "string" ? of : formatJson(of))}</code>;
