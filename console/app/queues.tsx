import type { ComponentChildren } from "preact";
import { restPath, type Api } from "./rest";
import { size } from "./bytes";
import { Filters, TextFilter } from "./filters";
import { Command, Refused } from "./hint";
import { PlanLink } from "./name";
import { NewPush } from "./queue-verbs";
import { useResource } from "./resource";
import { pageOf, param, withQuery } from "./route";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { Paging, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** The moment of a number of Unix seconds; undefined of none. */
export const instant = (seconds?: number) => (seconds ? new Date(seconds * 1000).toISOString() : undefined);

/** The merge queues that hold items. */
export function Queues() {
  const m = say.value;
  const query = { text: param("text"), station: param("station"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource<Api["QueuePage"]>(restPath(["queues"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.queues ?? [], keyOf, m.pages.queues);
  return (
    <Page title={m.pages.queues} busy={busy} aside={session.operates.value && <NewPush after={again} />}>
      <Filters label={m.queues.filter}>
        <TextFilter name="text" label={m.filter.text} type="search" />
        <TextFilter name="station" label={m.filter.station} />
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      <QueueTable of={list} busy={busy} empty={!refused && <NoQueues />} />
      <Paging next={data?.next} />
    </Page>
  );
}

const keyOf = (q: Api["Queue"]) => `${q.station}/${q.plan_id}`;

/** Queues as rows. Those of one key that is not merged differ by their plans. */
export function QueueTable({ of, busy, empty, plans }: { of: Api["Queue"][]; busy: boolean; empty?: ComponentChildren; plans?: boolean }) {
  const m = say.value;
  return (
    <Table name={m.pages.queues} columns={m.queues.columns} kind="queues" busy={busy} empty={of.length === 0 && empty}>
      {of.map((q) => (
        <tr key={keyOf(q)}>
          <td>
            {plans || !q.key ? <PlanLink station={q.station} id={q.plan_id} /> : <a href={pageOf(["queues", q.key])}>{visible(q.key)}</a>}
            {!plans && <div class="about"><Target of={q} /></div>}
          </td>
          <td><State of={q.status} /></td>
          <td class="number">{count(q.length)}</td>
          <td class="number">{size(q.bytes)}</td>
          <td class="number">{count(q.locked ?? 0)}</td>
          <td><When at={instant(q.ontime)} /></td>
          <td>{q.last_error && <>{visible(q.last_error)} <div class="about"><When at={instant(q.error_time)} /></div></>}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Where the items of a queue go. */
export function Target({ of: q }: { of: Api["Queue"] }) {
  if (q.service) return <>{q.method} {visible(q.service)}</>;
  if (q.station === "queue.hold") return <>{say.value.queues.nowhere}</>;
  return <a href={pageOf(["stations", q.station])}>{visible(q.station)}</a>;
}

/** The hints of an empty list. */
function NoQueues() {
  const m = say.value;
  if (param("text") || param("station")) {
    return (
      <div class="empty">
        <p>{m.queues.noneFits} <a href={withQuery({ text: undefined, station: undefined, cursor: undefined, before: undefined })}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.queues.none}</p>
      <Command>{`stationmaster queue push chores '{"sweep":"hall"}'`}</Command>
      <Command>stationmaster queue peek chores</Command>
    </div>
  );
}
