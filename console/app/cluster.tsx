import { restPath, type Api } from "./rest";
import { size } from "./bytes";
import { Refused } from "./hint";
import { Partitions } from "./partitions";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { Table } from "./table";
import { duration, When } from "./time";
import { visible } from "./visible";

/** The nodes, the partitions that they lead, and the streams that hold all. */
export function Cluster() {
  const m = say.value;
  const [nodes] = useResource<Api["NodeList"]>(restPath(["nodes"]), true);
  const [partitions] = useResource<Api["PartitionList"]>(restPath(["partitions"]), true);
  const [streams] = useResource<Api["StreamList"]>(restPath(["streams"]), true);
  const refused = nodes.value.refused ?? partitions.value.refused ?? streams.value.refused;
  return (
    <Page title={m.pages.cluster} busy={nodes.value.busy}>
      {refused && <Refused by={refused} />}
      <section class="part">
        <h2>{m.cluster.nodes}</h2>
        <Nodes of={nodes.value.data?.nodes ?? []} busy={nodes.value.busy} />
        <Clock />
      </section>
      <section class="part">
        <h2>{m.overview.partitions}</h2>
        <Partitions of={partitions.value.data?.partitions ?? []} busy={partitions.value.busy} />
      </section>
      <section class="part">
        <h2>{m.cluster.streams}</h2>
        <Streams of={streams.value.data?.streams ?? []} busy={streams.value.busy} />
      </section>
    </Page>
  );
}

function Nodes({ of, busy }: { of: Api["Node"][]; busy: boolean }) {
  const m = say.value;
  return (
    <Table name={m.cluster.nodes} columns={m.columns.nodes} busy={busy}>
      {of.map((n) => (
        <tr key={n.process}>
          <td>{visible(n.node)}{n.gone && <div class="about">{m.cluster.stops}</div>}</td>
          <td>{n.leads.length > 0 ? n.leads.join(", ") : "–"}</td>
          <td>{n.version && visible(n.version)}</td>
          <td><When at={n.since} /></td>
          <td><When at={n.seen} /></td>
        </tr>
      ))}
    </Table>
  );
}

/** How the node's clock differs from the browser's, by which "in 3 min." is reckoned. */
function Clock() {
  const m = say.value.cluster;
  const { by } = session.clock.value;
  const within = Math.ceil(session.clock.value.within) + 2; // both clocks tell whole milliseconds
  const node = visible(session.current.value?.node ?? "");
  const margin = duration(within);
  if (Math.abs(by) <= within) return <p class="about">{m.sameClock(node, margin)}</p>;
  return <p class="about">{(by > 0 ? m.clockAhead : m.clockBehind)(node, duration(Math.abs(by)), margin)}</p>;
}

function Streams({ of, busy }: { of: Api["Stream"][]; busy: boolean }) {
  const m = say.value;
  return (
    <Table name={m.cluster.streams} columns={m.columns.streams} busy={busy} figures={3}>
      {of.map((s) => (
        <tr key={`${s.kind} ${s.name}`}>
          <td>{visible(s.name)}</td>
          <td>{m.cluster.kinds[s.kind] ?? visible(s.kind)}</td>
          <td class="number">{count(s.messages)}</td>
          <td class="number">{size(s.bytes)}</td>
          <td class="number">{s.max_bytes ? <>{size(s.max_bytes)} <span class="about">{share(s.bytes / s.max_bytes)}</span></> : "–"}</td>
          <td class="number">{s.replicas}</td>
        </tr>
      ))}
    </Table>
  );
}

const share = (of: number) => new Intl.NumberFormat(lang.now.value, { style: "percent", maximumFractionDigits: of < 0.1 ? 1 : 0 }).format(of);
