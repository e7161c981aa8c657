import { restPath, type Api } from "./rest";
import { size } from "./bytes";
import { Fact } from "./fact";
import { Refused } from "./hint";
import type { Json } from "./json";
import { PlanLink } from "./name";
import { QueueActions } from "./queue-verbs";
import { instant, QueueTable, Target } from "./queues";
import { useResource } from "./resource";
import { pageOf, planPage } from "./route";
import { count, say } from "./say";
import { Page } from "./shell";
import { State } from "./state";
import { Paging } from "./table";
import { When } from "./time";
import { Value } from "./value";
import { visible } from "./visible";

/** How many of the first items a page shows. */
const shown = 10;

/** A merge queue: its status, last hand-over and first items. */
export function Queue({ name }: { name: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["Queue"]>(restPath(["queues", name]), true);
  const { data, refused, busy } = resource.value;
  const [items, look] = useResource<Api["QueueGot"]>(restPath(["queues", name, "tasks"], { number: String(shown) }), true);
  const after = () => (again(), look());
  return (
    <Page title={visible(name)} busy={busy} aside={data && <State of={data.status} />}>
      <p class="crumbs"><a href={pageOf(["queues"])}>{m.pages.queues}</a></p>
      {(data || refused?.status === 404) && <QueueActions name={name} queue={data} after={after} />}
      {refused && (refused.status === 404 ? <p>{m.queues.holdsNothing}</p> : <Refused by={refused} />)}
      {data && <Facts of={data} />}
      {data && <Items of={items.value.data} busy={items.value.busy} locked={data.locked ?? 0} />}
    </Page>
  );
}

function Facts({ of: q }: { of: Api["Queue"] }) {
  const m = say.value;
  return (
    <dl class="facts">
      <Fact name={m.queues.to} wide><Target of={q} /></Fact>
      <Fact name={m.queues.length}>{count(q.length)}</Fact>
      <Fact name={m.queues.bytes}>{size(q.bytes)}</Fact>
      <Fact name={m.queues.locked}>{count(q.locked ?? 0)}</Fact>
      {q.ontime && <Fact name={q.locked && q.status === "executing" ? m.queues.lockEnds : m.queues.due}><When at={instant(q.ontime)} /></Fact>}
      {q.notified && <Fact name={m.queues.notified}>{count(q.notified)}</Fact>}
      <Fact name={m.queues.last}>
        {!q.last_time && m.queues.notYet}
        {q.last_state && <><State of={q.last_state} /> </>}
        {q.last_time && <><When at={instant(q.last_time)} /> <a href={planPage(q.station, q.plan_id)}>{m.queues.itsRuns}</a></>}
      </Fact>
      <Fact name={m.queues.plan}><PlanLink station={q.station} id={q.plan_id} /></Fact>
      {q.errors && <Fact name={m.queues.errors}>{count(q.errors)}</Fact>}
      {q.last_error && <Fact name={m.queues.lastError} wide><Value of={q.last_error} /><div class="about"><When at={instant(q.error_time)} /></div></Fact>}
    </dl>
  );
}

function Items({ of, busy, locked }: { of?: Api["QueueGot"]; busy: boolean; locked: number }) {
  const m = say.value;
  const tasks = of?.tasks ?? [];
  const behind = (of?.length ?? 0) - tasks.length;
  return (
    <section class="part" aria-label={m.queues.first} aria-busy={busy && !of ? "true" : undefined}>
      <h2>{m.queues.first}</h2>
      {of && tasks.length === 0 && <p class="about">{m.queues.unread}</p>}
      <ol class="items">
        {tasks.map((task, i) => (
          <li key={i}>
            {i < locked && <span class="label">{m.queues.locked}</span>}
            <Value of={task as Json} />
          </li>
        ))}
      </ol>
      {behind > 0 && <p class="about">{m.queues.more(count(behind))}</p>}
      {of && Object.keys(of.data).length > 0 && <><h3>{m.queues.data}</h3><Value of={of.data as Json} /></>}
    </section>
  );
}

/** A key that is not merged: each item under it is a queue of its own. */
export function Unmerged({ name }: { name: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["QueuePage"]>(restPath(["queues"], { text: name, limit: "1000" }), true);
  const { data, refused, busy } = resource.value;
  const all = (data?.queues ?? []).filter((q) => q.key === name);
  return (
    <Page title={visible(name)} busy={busy}>
      <p class="crumbs"><a href={pageOf(["queues"])}>{m.pages.queues}</a></p>
      {data && <QueueActions name={name} queue={all[0]} unmerged after={again} />}
      {refused && <Refused by={refused} />}
      <p>{m.queues.unmerged}</p>
      <QueueTable of={all} busy={busy} plans />
      <Paging next={data?.next} />
    </Page>
  );
}
