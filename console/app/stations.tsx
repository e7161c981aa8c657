import { restPath, type Api } from "./rest";
import { Command, Refused } from "./hint";
import { useResource } from "./resource";
import { pageOf, param } from "./route";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { Sparkline } from "./sparkline";
import { NewStation } from "./station-verbs";
import { Paging, Table, useCalm } from "./table";
import { visible } from "./visible";

/** The address of a station's page. */
export const stationPage = (station: string) => pageOf(["stations", station]);

/** The stations that were put or have plans. */
export function Stations() {
  const m = say.value;
  const query = { cursor: param("cursor"), limit: param("limit"), used: "true" };
  const [resource, again] = useResource<Api["StationPage"]>(restPath(["stations"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.stations ?? [], (s) => s.station ?? "", m.pages.stations);
  return (
    <Page title={m.pages.stations} busy={busy} aside={session.operates.value && <NewStation after={again} />}>
      {refused && <Refused by={refused} />}
      {fresh}
      <Table name={m.pages.stations} columns={m.columns.stations} kind="stations" busy={busy} empty={list.length === 0 && !refused && <NoStations />}>
        {list.map((s) => <Row key={s.station} of={s} />)}
      </Table>
      <Paging next={data?.next} />
    </Page>
  );
}

function Row({ of: s }: { of: Api["StationPage"]["stations"][number] }) {
  const m = say.value;
  const name = s.station ?? "";
  return (
    <tr>
      <td>
        <a href={stationPage(name)}>{visible(name)}</a>
        {s.description && <div class="about">{visible(s.description)}</div>}
      </td>
      <td>
        {s.kind ?? "api"}
        {s.put === false && <div class="about">{m.stations.neverPut}</div>}
      </td>
      <td class="number">{count(s.stats?.workers ?? 0)}</td>
      <td class="number">{count(s.stats?.under_way ?? 0)}</td>
      <td>{s.stats && <Waiting of={s.stats} />}</td>
      <td>{!s.stats?.shared && <Sparkline station={name} />}</td>
    </tr>
  );
}

/** How many plans of a station wait, by the cause; each leads to those plans. */
export function Waiting({ of }: { of: Api["StationStats"] }) {
  const m = say.value;
  const waits = Object.entries(of.waiting);
  if (of.shared) return <span class="about">{m.stations.shared}</span>;
  if (waits.length === 0) return <>0</>;
  return (
    <>
      {waits.map(([cause, n]) => (
        <div key={cause}><a href={pageOf(["plans"], { station: of.station, waits: cause })}>{visible(cause)}: {count(n)}</a></div>
      ))}
    </>
  );
}

function NoStations() {
  const m = say.value;
  return (
    <div class="empty">
      <p>{m.stations.none}</p>
      <Command>stationmaster station put mail --max-concurrency 5</Command>
      <Command>stationmaster work --station mail -- echo hello</Command>
    </div>
  );
}
