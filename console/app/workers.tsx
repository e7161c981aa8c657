import { restPath, type Api } from "./rest";
import { Filters, TextFilter } from "./filters";
import { FirstWorker, Refused } from "./hint";
import { useResource } from "./resource";
import { pageOf, param, withQuery } from "./route";
import { count, say } from "./say";
import { Page } from "./shell";
import { stationPage } from "./stations";
import { Paging, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** The workers that are there. */
export function Workers() {
  const m = say.value;
  const query = { station: param("station"), cursor: param("cursor"), limit: param("limit") };
  const [resource] = useResource<Api["WorkerPage"]>(restPath(["workers"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.workers ?? [], (w) => w.worker_id, m.pages.workers);
  return (
    <Page title={m.pages.workers} busy={busy}>
      <Filters label={m.workers.filter}>
        <TextFilter name="station" label={m.filter.station} />
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      <Table name={m.pages.workers} columns={m.columns.workers} busy={busy} empty={list.length === 0 && !refused && <NoWorkers />}>
        {list.map((w) => (
          <tr key={w.worker_id}>
            <td><a href={pageOf(["workers", w.worker_id])}>{visible(w.worker_id)}</a></td>
            <td><Stations of={w.stations} /></td>
            <td>{w.version && visible(w.version)}</td>
            <td><When at={w.last_seen} /></td>
            <td class="number">{count(w.load ?? 0)}</td>
          </tr>
        ))}
      </Table>
      <Paging next={data?.next} />
    </Page>
  );
}

/** The stations that a worker serves, each with a link to its page; one such as callback.> is many. */
export function Stations({ of }: { of: string[] }) {
  const link = (s: string) => (/[*>]/.test(s) ? visible(s) : <a href={stationPage(s)}>{visible(s)}</a>);
  return <>{of.map((s, i) => <span key={s}>{i > 0 && ", "}{link(s)}</span>)}</>;
}

/** The hints of an empty list. */
function NoWorkers() {
  const m = say.value;
  const station = param("station");
  return (
    <div class="empty">
      {station && <p>{m.workers.nobodyServes(visible(station))} <a href={withQuery({ station: undefined, cursor: undefined, before: undefined })}>{m.withoutFilters}</a></p>}
      <p>{m.workers.begin}</p>
      <FirstWorker station={station} />
    </div>
  );
}
