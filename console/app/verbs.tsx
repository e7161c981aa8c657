import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { problemText } from "./hint";
import { open, pageOf, planPage } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { useShortcut } from "./shortcuts";
import { visible } from "./visible";

/** What may be done with a plan, in the order of the buttons. */
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

/** Asks the server to do a verb to a plan, and says what came of it. */
async function carryOut(verb: Verb, station: string, id: string, body: { note?: string; count?: number }) {
  const m = say.value;
  const path = ["plans", station, id];
  const name = visible(`${station}/${id}`);
  if (verb === "remove") await request("DELETE", restPath(path), body);
  else {
    const { value } = await request<Partial<Api["PlanTriggered"]>>("POST", restPath([...path, verb]), body);
    if (verb === "trigger" && value.n) return announce(m.triggered(name, value.n));
  }
  announce(m.verbs[verb].done(name));
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
  const name = visible(`${view.plan.station}/${view.plan.plan_id}`);
  return (
    <Dialog title={`${m.verbs[verb].name} ${name}`} verb={m.verbs[verb].name} act={act} close={close} danger={verb === "remove"}>
      <p>{m.verbs[verb].about}</p>
      {(verb === "close" || verb === "remove") && <Affected view={view} removed={verb === "remove"} />}
      {verb === "skip" && (
        <label>
          <span>{m.howManySkips}</span>
          <input name="count" type="number" min="-1" step="1" defaultValue="1" required />
        </label>
      )}
      {(verb === "pause" || verb === "skip") && (
        <label>
          <span>{m.note}</span>
          <input name="note" maxLength={512} autocomplete="off" />
        </label>
      )}
    </Dialog>
  );
}

/** What is under way and would be cancelled, or would finish. */
function Affected({ view, removed }: { view: Api["PlanView"]; removed: boolean }) {
  const m = say.value;
  const workers = (view.state.open ?? []).flatMap((o) => (o.executions ?? []).map((e) => e.worker_id || "–"));
  if (workers.length === 0) return <p>{m.nothingUnderWay}</p>;
  const who = workers.map(visible).join(", ");
  return <p>{removed ? m.willBeCancelled(workers.length, who) : m.willFinish(workers.length, who)}</p>;
}

/** Cancel of a run that is under way or waits. */
export function CancelRun({ station, id, n, after }: { station: string; id: string; n: number; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState(false);
  const act = async () => {
    await request("POST", restPath(["plans", station, id, "runs", String(n), "cancel"]), {});
    announce(m.cancelled(n));
    after();
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => ask(true)}>{m.cancelRun}</button>
      {asking && (
        <Dialog title={`${m.cancelRun} ${n}`} verb={m.cancelRun} act={act} close={() => ask(false)} danger>
          <p>{m.cancelAbout}</p>
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
