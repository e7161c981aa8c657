import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Refused } from "./hint";
import { PlanLink } from "./name";
import { useResource } from "./resource";
import { pageOf, runPage } from "./route";
import { count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { Progress, State } from "./state";
import { Table } from "./table";
import { When } from "./time";
import { CancelRun } from "./verbs";
import { visible } from "./visible";
import { Stations } from "./workers";

type View = Api["WorkerView"];

/** A worker: its host, and its executions. */
export function Worker({ id }: { id: string }) {
  const m = say.value;
  const [resource, again] = useResource<View>(restPath(["workers", id]));
  const { data, refused, busy } = resource.value;
  return (
    <Page title={visible(id)} busy={busy}>
      <p class="crumbs"><a href={pageOf(["workers"])}>{m.pages.workers}</a></p>
      {refused && (refused.status === 404 ? <p class="empty">{m.workers.gone}</p> : <Refused by={refused} />)}
      {data && <Facts of={data} />}
      {data && <Executions of={data} after={again} />}
    </Page>
  );
}

function Facts({ of: w }: { of: View }) {
  const m = say.value;
  const [, stations, version, seen] = m.columns.workers;
  return (
    <dl class="facts">
      <Fact name={stations}><Stations of={w.stations} /></Fact>
      {w.version && <Fact name={version}>{visible(w.version)}</Fact>}
      {w.host && <Fact name={m.workers.host}>{visible(w.host)}</Fact>}
      {w.library && <Fact name={m.workers.library}>{visible(w.library)}</Fact>}
      {w.since && <Fact name={m.workers.since}><When at={w.since} /></Fact>}
      <Fact name={seen}><When at={w.last_seen} /></Fact>
      <Fact name={m.workers.lastMinute}>{count(w.rate_1m)}</Fact>
    </dl>
  );
}

function Executions({ of, after }: { of: View; after: () => void }) {
  const m = say.value;
  const columns = session.operates.value ? [...m.columns.held, m.columns.act] : m.columns.held;
  return (
    <section class="part">
      <h2>{m.workers.executions}</h2>
      <Table name={m.workers.executions} columns={columns} empty={of.executions.length === 0 && <p class="about">{m.workers.idle}</p>}>
        {of.executions.map((e) => (
          <tr key={`${e.station}/${e.plan_id} ${e.n}`}>
            <td><a href={runPage(e.station, e.plan_id, e.n)}>{e.n}</a></td>
            <td><PlanLink station={e.station} id={e.plan_id} /></td>
            <td>{e.attempt}</td>
            <td>
              <State of={e.state} />
              <Progress of={e.progress} />
            </td>
            <td><When at={e.since} /></td>
            <td><When at={e.deadline} /></td>
            {session.operates.value && <td><CancelRun station={e.station} id={e.plan_id} n={e.n} after={after} /></td>}
          </tr>
        ))}
      </Table>
      {of.more && <p class="about">{m.workers.more}</p>}
    </section>
  );
}
