import { useId, useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { Filters, TextFilter } from "./filters";
import { Foresight } from "./foresight";
import { Command, problemText, Refused } from "./hint";
import { useResource } from "./resource";
import { param, planPage, withQuery } from "./route";
import { announce, count, say } from "./say";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { Paging, Searched, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** The stations of the plans whose inboxes hold callbacks that are not delivered. */
const station = "callback.>";

/** Callbacks that are not delivered, by the plan whose results they are. */
export function Callbacks() {
  const m = say.value;
  const query = { text: param("text"), cursor: param("cursor"), limit: param("limit"), station, fields: "brief" };
  const [resource, again] = useResource<Api["PlanPage"]>(restPath(["plans"], query), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.plans ?? [], nameOf, m.pages.callbacks);
  const operates = session.operates.value;
  return (
    <Page title={m.pages.callbacks} busy={busy}>
      <p class="about">{m.callbacks.about}</p>
      <Filters label={m.callbacks.filter}>
        <TextFilter name="text" label={m.filter.text} type="search" />
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      <Table
        listed name={m.pages.callbacks} columns={operates ? [...m.callbacks.columns, m.columns.act] : m.callbacks.columns} busy={busy}
        empty={list.length === 0 && !refused && data?.complete !== false && <None />}
      >
        {list.map((view) => <Row key={nameOf(view)} view={view} operates={operates} after={again} />)}
      </Table>
      {data && <Searched page={data} says={m.plansLookedAt} />}
      <Paging next={data?.next} />
    </Page>
  );
}

const nameOf = ({ plan }: Api["PlanView"]) => `${plan.station}/${plan.plan_id}`;

function Row({ view, operates, after }: { view: Api["PlanView"]; operates: boolean; after: () => void }) {
  const { plan, state } = view;
  const id = useId();
  const open = state.open?.[0];
  const last = open?.last_error ?? state.inbox?.last_error;
  return (
    <tr>
      <td><a id={id} href={planPage(plan.station!, plan.plan_id!)}>{visible(nameOf(view))}</a></td>
      <td>{count(state.inbox?.length ?? 0)}</td>
      <td>{last && <>{visible(last.error_info ?? "")}{last.cut && "…"} <div class="about"><When at={last.end_time} /></div></>}</td>
      <td>{count(open?.errors ?? state.inbox?.errors ?? 0)}</td>
      <td><State of={state.status} /> <When at={open?.next_try ?? state.plan_time} /></td>
      {operates && <td><Verbs view={view} about={id} after={after} /></td>}
    </tr>
  );
}

/** Try now and give up, of the callbacks of one plan. */
function Verbs({ view: { plan, state }, about, after }: { view: Api["PlanView"]; about: string; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState(false);
  const path = ["plans", plan.station!, plan.plan_id!];
  const name = visible(`${plan.station}/${plan.plan_id}`);
  const tryNow = async () => {
    try {
      await request("POST", restPath([...path, "trigger"]), {});
      announce(m.callbacks.tried(name));
      after();
    } catch (e) {
      announce(problemText(e));
    }
  };
  const giveUp = async () => {
    await request("DELETE", restPath(path));
    announce(m.callbacks.givenUp(name));
    after();
  };
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      <button type="button" aria-describedby={about} onClick={() => void tryNow()}>{m.callbacks.tryNow}</button>
      <button type="button" class="danger" aria-describedby={about} onClick={() => ask(true)}>{m.callbacks.giveUp}</button>
      {asking && (
        <Dialog title={`${m.callbacks.giveUp} ${name}`} verb={m.callbacks.giveUp} act={giveUp} close={() => ask(false)} danger>
          <p>{m.callbacks.giveUpAbout(count(state.inbox?.length ?? 0))}</p>
          <Foresight of={{ method: "DELETE", path, body: {} }} />
        </Dialog>
      )}
    </div>
  );
}

/** The hints of an empty list. */
function None() {
  const m = say.value;
  const text = param("text");
  if (text || param("cursor")) {
    return (
      <div class="empty">
        <p>{m.callbacks.noneFits(`text=${visible(text)}`)}</p>
        <p><a href={withQuery({ text: undefined, cursor: undefined, before: undefined })}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.callbacks.none}</p>
      <Command>{"stationmaster plan ls 'callback.>'"}</Command>
    </div>
  );
}
