import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { problemText } from "./hint";
import { Inputs, typedIn, type Input } from "./inputs";
import { open, pageOf } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { visible } from "./visible";

const verbs = ["process", "retry", "cancel"] as const;
type Verb = (typeof verbs)[number];

/** The statuses in which a task takes a verb; the server decides again. */
const takes: Record<Verb, readonly string[]> = {
  process: ["Pending"],
  retry: ["Pending", "Failure"],
  cancel: ["New", "Executing", "Error", "Pending"],
};

/** The verbs of a task's page. */
export function TaskActions({ task, after }: { task: Api["AsyncTask"]; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState<"process" | "cancel">();
  const there = session.operates.value ? verbs.filter((v) => takes[v].includes(task.status)) : [];
  if (there.length === 0) return null;
  const name = visible(`${task.type}/${task.id}`);
  const path = ["async-tasks", task.type, task.id];
  const retry = async () => {
    await request("POST", restPath([...path, "retry"]));
    announce(m.tasks.retried(name));
  };
  const begin = (verb: Verb) => (verb === "retry" ? void retry().then(after, (e) => announce(problemText(e))) : ask(verb));
  const fields: Input[] = [{ name: "remark", kind: "text", label: m.tasks.remark }];
  const act = async (form: FormData) => {
    await request("POST", restPath([...path, asking!]), typedIn(form, fields));
    announce(asking === "process" ? m.tasks.processed(name) : m.tasks.cancelled(name));
    after();
  };
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      {there.map((v) => (
        <button key={v} type="button" class={v === "cancel" ? "danger" : undefined} onClick={() => begin(v)}>{m.tasks[v]}</button>
      ))}
      {asking && (
        <Dialog title={`${m.tasks[asking]} ${name}`} verb={m.tasks[asking]} act={act} close={() => ask(undefined)} danger={asking === "cancel"}>
          <p>{asking === "process" ? m.tasks.processAbout : m.tasks.cancelAbout}</p>
          <Inputs of={fields} />
        </Dialog>
      )}
    </div>
  );
}

/** The button that submits a task: of one type, or of one of those that there are. */
export function NewTask({ type, after }: { type?: string; after?: () => void }) {
  const m = say.value;
  const [types, take] = useState<string[]>();
  const begin = async () => {
    if (type) return take([type]);
    try {
      const { value } = await request<Api["TaskTypePage"]>("GET", restPath(["task-types"], { limit: "1000" }));
      take(value.task_types.map((t) => t.code));
    } catch (e) {
      announce(problemText(e));
    }
  };
  return (
    <>
      <button type="button" class={type ? undefined : "primary"} onClick={() => void begin()}>{m.tasks.submitNew}</button>
      {types && <SubmitDialog types={types} close={() => take(undefined)} after={after} />}
    </>
  );
}

function fieldsOfTask(types: string[]): Input[] {
  const m = say.value;
  const only = types.length === 1 ? types[0] : undefined;
  return [
    { name: "type", kind: types.length > 0 ? "choice" : "text", values: types, value: only, label: m.tasks.type, required: true },
    { name: "id", kind: "text", label: m.tasks.id, hint: m.tasks.idHint },
    { name: "ext", kind: "json", label: m.tasks.ext, hint: m.tasks.extHint },
    { name: "start_time", kind: "time", label: m.tasks.start },
    { name: "priority", kind: "number", label: m.fields.priority, hint: "0–9" },
    { name: "creator", kind: "text", label: m.fields.creator },
    { name: "tenant_id", kind: "text", label: m.fields.tenant_id },
    { name: "category", kind: "text", label: m.fields.category },
    { name: "worker_ids", kind: "list", label: m.fields.worker_ids, hint: m.hints.worker_ids },
    { name: "worker_count", kind: "number", label: m.fields.worker_count },
  ];
}

function SubmitDialog({ types, close, after }: { types: string[]; close: () => void; after?: () => void }) {
  const m = say.value;
  const fields = fieldsOfTask(types);
  const act = async (form: FormData) => {
    const { value } = await request<Api["AsyncTaskSubmitted"]>("POST", restPath(["async-tasks"]), typedIn(form, fields));
    announce(m.tasks.submitted(visible(`${value.type}/${value.id}`)));
    open(pageOf(["tasks", value.type!, value.id!]));
    after?.();
  };
  return (
    <Dialog title={m.tasks.submitNew} verb={m.tasks.submit} act={act} close={close}>
      <Inputs of={fields} grid />
    </Dialog>
  );
}
