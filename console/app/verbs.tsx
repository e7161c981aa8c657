import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { Foresight, type Change } from "./foresight";
import { problemText } from "./hint";
import { open, pageOf, planPage } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { useShortcut } from "./shortcuts";
import { visible } from "./visible";

/** The verbs of a plan, in the order of the buttons. */
export const verbs = ["pause", "resume", "trigger", "skip", "reset", "close", "remove"] as const;
export type Verb = (typeof verbs)[number];

/** Reports whether a plan takes a verb where it stands; the server decides again. */
export function takes({ status, inbox, closing }: Standing, verb: Verb): boolean {
  const stopped = status === "pending" || status === "plan_error";
  switch (verb) {
    case "pause":
      return status !== "paused" && !stopped;
    case "resume":
      return status === "paused";
    case "reset":
      return stopped;
    case "trigger":
      return !stopped && !closing;
    case "skip":
      return !inbox && !closing;
    case "close":
      return !closing;
    case "remove":
      return true;
  }
}

type Standing = { status: string; inbox?: unknown; closing?: boolean };

/** Those that are done at once, because nothing is lost by them. */
const atOnce: readonly Verb[] = ["resume", "trigger"];

/** The request that does a verb to a plan. */
function changeOf(verb: Verb, station: string, id: string, body: { note?: string; count?: number } = {}): Change {
  const path = ["plans", station, id];
  return verb === "remove" ? { method: "DELETE", path, body } : { method: "POST", path: [...path, verb], body };
}

/** Asks the server to do a verb to a plan, and announces the outcome. */
async function carryOut(verb: Verb, station: string, id: string, body: { note?: string; count?: number }) {
  const m = say.value;
  const name = visible(`${station}/${id}`);
  const change = changeOf(verb, station, id, body);
  const { value } = await request<Partial<Api["PlanTriggered"]>>(change.method, restPath(change.path), change.body);
  announce(verb === "trigger" && value.n ? m.triggered(name, value.n) : m.verbs[verb].done(name));
}

/** The verbs of a plan's page. */
export function Actions({ view, after }: { view: Api["PlanView"]; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState<Verb>();
  const { station = "", plan_id: id = "" } = view.plan as { station?: string; plan_id?: string };
  const there = session.operates.value ? verbs.filter((v) => takes(view.state, v)) : [];
  const begin = (verb: Verb) => {
    if (!there.includes(verb)) return;
    if (!atOnce.includes(verb)) return ask(verb);
    carryOut(verb, station, id, {}).then(after, (e) => announce(problemText(e)));
  };
  useShortcut("p", () => begin(there.includes("resume") ? "resume" : "pause"));
  useShortcut("t", () => begin("trigger"));
  useShortcut("e", () => session.operates.value && open(pageOf(["plans", station, id, "edit"])));
  if (!session.operates.value) return null;
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      {there.map((v) => (
        <button key={v} type="button" class={v === "remove" ? "danger" : undefined} onClick={() => begin(v)}>{m.verbs[v].name}</button>
      ))}
      <a class="button" href={pageOf(["plans", station, id, "edit"])}>{m.edit}</a>
      <a class="button" href={pageOf(["plans", "new"], { copy: `${station}/${id}` })}>{m.copyPlan}</a>
      <a class="button" href={pageOf(["plans", "new"], { copy: `${station}/${id}`, once: "true" })}>{m.runOnce}</a>
      {asking && (
        <VerbDialog
          verb={asking} view={view} close={() => ask(undefined)}
          act={async (form) => {
            const note = String(form.get("note") ?? "");
            const count = form.has("count") ? Number(form.get("count")) : undefined;
            await carryOut(asking, station, id, { ...(note && { note }), ...(count !== undefined && { count }) });
            after();
          }}
        />
      )}
    </div>
  );
}

function VerbDialog({ verb, view, act, close }: { verb: Verb; view: Api["PlanView"]; act: (form: FormData) => Promise<void>; close: () => void }) {
  const m = say.value;
  const { station = "", plan_id: id = "" } = view.plan as { station?: string; plan_id?: string };
  const [count, setCount] = useState("1");
  return (
    <Dialog title={`${m.verbs[verb].name} ${visible(`${station}/${id}`)}`} verb={m.verbs[verb].name} act={act} close={close} danger={verb === "remove"}>
      <p>{m.verbs[verb].about}</p>
      {verb === "skip" && (
        <label>
          <span>{m.howManySkips}</span>
          <input name="count" type="number" min="-1" step="1" value={count} onInput={(e) => setCount(e.currentTarget.value)} required />
        </label>
      )}
      {(verb === "pause" || verb === "skip") && (
        <label>
          <span>{m.note}</span>
          <input name="note" maxLength={512} autocomplete="off" />
        </label>
      )}
      <Foresight of={changeOf(verb, station, id, verb === "skip" ? { count: Number(count) } : {})} zone={view.plan.timezone} live={verb === "close" || verb === "remove" ? underWay(view) : undefined} />
    </Dialog>
  );
}

/** The executions of a plan that are under way. */
const underWay = (view: Api["PlanView"]) => (view.state.open ?? []).flatMap((o) => o.executions ?? []);

/** Cancel of a run that is under way or waits. */
export function CancelRun({ station, id, n, after }: { station: string; id: string; n: number; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState(false);
  const change: Change = { method: "POST", path: ["plans", station, id, "runs", String(n), "cancel"], body: {} };
  const act = async () => {
    await request(change.method, restPath(change.path), change.body);
    announce(m.cancelled(n));
    after();
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => ask(true)}>{m.cancelRun}</button>
      {asking && (
        <Dialog title={`${m.cancelRun} ${n}`} verb={m.cancelRun} act={act} close={() => ask(false)} danger>
          <p>{m.cancelAbout}</p>
          <Foresight of={change} />
        </Dialog>
      )}
    </>
  );
}

/** Trigger a plan again, from one of its runs. */
export function TriggerAgain({ station, id }: { station: string; id: string }) {
  const m = say.value;
  const act = async () => {
    try {
      const { value } = await request<Api["PlanTriggered"]>("POST", restPath(["plans", station, id, "trigger"]), {});
      announce(m.triggered(visible(`${station}/${id}`), value.n));
      open(planPage(station, id));
    } catch (e) {
      announce(problemText(e));
    }
  };
  return <button type="button" onClick={() => void act()}>{m.triggerAgain}</button>;
}
