import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { Foretold } from "./foresight";
import { problemText } from "./hint";
import { Inputs, typedIn, type Input } from "./inputs";
import { useResource } from "./resource";
import { open, pageOf } from "./route";
import { announce, count, say } from "./say";
import { session } from "./session";
import { visible } from "./visible";

const verbs = ["push", "retry", "complete", "release", "delete"] as const;
type Verb = (typeof verbs)[number];

/** Whether a queue takes a verb where it stands; the server decides again. */
function takes(verb: Verb, q: Api["Queue"] | undefined, locked: boolean, unmerged?: boolean): boolean {
  if (verb === "push") return true;
  if (!q) return false;
  if (verb === "delete") return true;
  if (unmerged) return false;
  if (verb !== "retry") return locked;
  return q.station !== "queue.hold" || q.status === "pending" || q.status === "plan_error";
}

/**
 * Whether the items of a queue are locked by a worker that got them, and not under way to a service:
 * such an execution runs, and no worker has it.
 */
function useLock(q?: Api["Queue"]): boolean {
  const asked = q?.station === "queue" && !!q.locked;
  const [plan] = useResource<Api["PlanView"]>(asked ? restPath(["plans", q.station, q.plan_id]) : undefined, true);
  if (!q?.locked) return false;
  if (!asked) return true;
  const open = (plan.value.data?.state.open ?? []).flatMap((o) => o.executions ?? []);
  return open.some((e) => e.state === "running" && !e.worker_id);
}

/** The verbs of a queue's page. */
export function QueueActions({ name, queue, unmerged, after }: { name: string; queue?: Api["Queue"]; unmerged?: boolean; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState<Verb>();
  const locked = useLock(queue);
  if (!session.operates.value) return null;
  const there = verbs.filter((v) => takes(v, queue, locked, unmerged));
  const retry = async () => {
    await request("POST", restPath(["queues", name, "retry"]));
    announce(m.queues.retried(visible(name)));
  };
  const begin = (verb: Verb) => (verb === "retry" ? void retry().then(after, (e) => announce(problemText(e))) : ask(verb));
  const close = () => ask(undefined);
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      {there.map((v) => <button key={v} type="button" class={v === "delete" ? "danger" : undefined} onClick={() => begin(v)}>{m.queues[v]}</button>)}
      {asking === "push" && <PushDialog name={name} anew={!queue || unmerged} close={close} after={after} />}
      {(asking === "complete" || asking === "release") && <LockDialog name={name} verb={asking} close={close} after={after} />}
      {asking === "delete" && <DeleteDialog name={name} close={close} after={after} />}
    </div>
  );
}

/** The button that pushes to a queue of any key. */
export function NewPush({ after }: { after: () => void }) {
  const [asking, ask] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(true)}>{say.value.queues.pushTo}</button>
      {asking && <PushDialog anew close={() => ask(false)} after={after} />}
    </>
  );
}

/** The fields of a push; anew: of a queue that there may not be yet. */
function fieldsOfPush(named: boolean, anew?: boolean): Input[] {
  const m = say.value.queues;
  return [
    ...(named ? [] : [{ name: "key", kind: "text", label: m.key, required: true } as Input]),
    { name: "task", kind: "json", label: m.task, required: true, hint: m.taskHint },
    { name: "ontime", kind: "time", label: m.ontime, hint: m.ontimeHint },
    { name: "update", kind: "choice", values: ["once", "always"], label: m.update, hint: m.updateHint },
    { name: "data", kind: "json", label: m.data, hint: m.dataHint },
    ...(anew ? fieldsOfTarget() : []),
  ];
}

function fieldsOfTarget(): Input[] {
  const m = say.value.queues;
  return [
    { name: "method", kind: "choice", values: ["POST", "PUT", "PATCH", "GET", "DELETE", "HEAD"], label: m.method },
    { name: "service", kind: "text", label: m.service, hint: m.serviceHint },
    { name: "station", kind: "text", label: m.station, hint: m.stationHint },
    { name: "abandon_after", kind: "number", label: m.abandon, hint: m.abandonHint },
  ];
}

function PushDialog({ name, anew, close, after }: { name?: string; anew?: boolean; close: () => void; after: () => void }) {
  const m = say.value;
  const fields = fieldsOfPush(name !== undefined, anew);
  const act = async (form: FormData) => {
    const { key = name!, ...push } = typedIn(form, fields);
    const { value } = await request<Api["QueueTaken"]>("POST", restPath(["queues", String(key), "push"]), push);
    announce(m.queues.pushed(visible(value.key), count(value.length)));
    if (name === undefined) open(pageOf(["queues", value.key]));
    after();
  };
  return (
    <Dialog title={name === undefined ? m.queues.pushTo : `${m.queues.push} ${visible(name)}`} verb={m.queues.push} act={act} close={close}>
      <Inputs of={fields} />
    </Dialog>
  );
}

/** Ends a lock. Its items leave the queue, or stay in it. */
function LockDialog({ name, verb, close, after }: { name: string; verb: "complete" | "release"; close: () => void; after: () => void }) {
  const m = say.value.queues;
  const fields: Input[] = [
    { name: "random", kind: "text", label: m.random, required: true, hint: m.randomHint },
    verb === "complete"
      ? { name: "number", kind: "number", label: m.number, hint: m.numberHint }
      : { name: "ontime", kind: "time", label: m.again, hint: m.againHint },
  ];
  const act = async (form: FormData) => {
    const { value } = await request<Api["QueueCompleted"]>("POST", restPath(["queues", name, verb]), typedIn(form, fields));
    announce(verb === "complete" ? m.completed(visible(name), count(value.length)) : m.released(visible(name)));
    after();
  };
  return (
    <Dialog title={`${m[verb]} ${visible(name)}`} verb={m[verb]} act={act} close={close}>
      <p>{verb === "complete" ? m.completeAbout : m.releaseAbout}</p>
      <Inputs of={fields} />
    </Dialog>
  );
}

function DeleteDialog({ name, close, after }: { name: string; close: () => void; after: () => void }) {
  const m = say.value.queues;
  const change = { method: "DELETE", path: ["queues", name] };
  const act = async () => {
    const { value } = await request<Api["QueueDeleted"]>(change.method, restPath(change.path));
    announce(m.deleted(visible(name), count(value.deleted)));
    after();
  };
  return (
    <Dialog title={`${m.delete} ${visible(name)}`} verb={m.delete} act={act} close={close} danger>
      <Foretold<Api["QueueDeleted"]> of={change}>{(dry) => <p>{m.deletes(count(dry.deleted))}</p>}</Foretold>
    </Dialog>
  );
}
