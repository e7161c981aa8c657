import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { CronFields } from "./cron-fields";
import { Dialog } from "./dialog";
import { Foresight } from "./foresight";
import { problemText } from "./hint";
import type { JsonObject } from "./json";
import { periodicPage } from "./periodic";
import { changesIn, RecordFields, withoutNulls, type RecordField } from "./record";
import { open, pageOf } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { useShortcut } from "./shortcuts";
import { visible } from "./visible";

const main: readonly RecordField[] = [
  { name: "type", required: true, example: "bills" },
  { name: "cron_expressions", required: true, example: "0 3 * * *" },
];
const others: readonly RecordField[] = [
  { name: "timezone", kind: "zone" },
  { name: "log", kind: "choice", values: ["none", "trigger_log", "trans_log"] },
  { name: "tenant_id" },
  { name: "category" },
  { name: "creator" },
];
const ext: readonly RecordField[] = [{ name: "ext", kind: "json", example: '{"full": true}' }];
const all = [{ name: "id" }, ...main, ...others, ...ext];

/** The members of an answer that a put does not take. */
const answered = ["status", "create_date", "update_date"];

/** The verbs of a periodic task's page. */
export function PeriodicActions({ task, after }: { task: Api["PeriodicTask"]; after: () => void }) {
  const m = say.value.periodic;
  const [asking, ask] = useState<"put" | "delete">();
  const operates = session.operates.value;
  const online = task.status === "online";
  const verb = online ? "offline" : "online";
  const turn = async () => {
    try {
      const { value } = await request<Api["PeriodicStanding"]>("POST", restPath(["periodic-tasks", task.id, verb]));
      announce([m.is(visible(task.id), verb), visible(value.warning ?? "")].join(" ").trim());
      after();
    } catch (e) {
      announce(problemText(e));
    }
  };
  useShortcut("p", () => operates && void turn());
  useShortcut("e", () => operates && ask("put"));
  if (!operates) return null;
  const close = () => ask(undefined);
  return (
    <div class="actions" role="group" aria-label={say.value.actions}>
      <button type="button" onClick={() => void turn()}>{m[verb]}</button>
      <button type="button" onClick={() => ask("put")}>{m.put}</button>
      <button type="button" class="danger" onClick={() => ask("delete")}>{m.delete}</button>
      {asking === "put" && <PutDialog task={task} close={close} after={after} />}
      {asking === "delete" && <DeleteDialog task={task} close={close} />}
    </div>
  );
}

/** The button that puts a periodic task of a new id. */
export function NewPeriodic({ after }: { after: () => void }) {
  const m = say.value.periodic;
  const [asking, ask] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(true)}>{m.putNew}</button>
      {asking && <PutDialog close={() => ask(false)} after={after} />}
    </>
  );
}

function DeleteDialog({ task, close }: { task: Api["PeriodicTask"]; close: () => void }) {
  const m = say.value.periodic;
  const act = async () => {
    await request("DELETE", restPath(["periodic-tasks", task.id]));
    announce(m.deleted(visible(task.id)));
    open(pageOf(["periodic"]));
  };
  return (
    <Dialog title={`${m.delete} ${visible(task.id)}`} verb={m.delete} act={act} close={close} danger>
      <p>{m.deleteAbout}</p>
      <Foresight of={{ method: "DELETE", path: ["plans", task.type, `periodic_${task.id}`], body: {} }} zone={task.timezone} />
    </Dialog>
  );
}

/** The form of a periodic task. A put replaces the whole task, so the changes are laid over the task as it is by then. */
function PutDialog({ task, close, after }: { task?: Api["PeriodicTask"]; close: () => void; after: () => void }) {
  const m = say.value;
  const [begun] = useState(task);
  const act = async (form: FormData) => {
    const changes = changesIn(form, all, begun);
    if (begun) {
      const { value: now } = await request<JsonObject>("GET", restPath(["periodic-tasks", begun.id]));
      for (const name of answered) delete now[name];
      await request("PUT", restPath(["periodic-tasks", begun.id]), withoutNulls({ ...now, ...changes }));
      announce(m.periodic.wasPut(visible(begun.id)));
    } else {
      const { value } = await request<Api["PeriodicStanding"]>("POST", restPath(["periodic-tasks"]), withoutNulls(changes));
      announce([m.periodic.wasPut(visible(value.id)), visible(value.warning ?? "")].join(" ").trim());
      open(periodicPage(value.id));
    }
    after();
  };
  const labels = m.periodic.fields as Record<string, string>;
  return (
    <Dialog title={begun ? `${m.periodic.put} ${visible(begun.id)}` : m.periodic.putNew} verb={m.periodic.put} act={act} close={close}>
      <p>{begun ? m.periodic.putAbout : m.periodic.newAbout}</p>
      <CronFields field="cron_expressions" cron={begun?.cron_expressions} timezone={begun?.timezone}>
        {!begun && <RecordFields fields={[{ name: "id", example: "nightly" }]} labels={labels} />}
        <div class="grid">
          <RecordFields fields={main} of={begun} labels={labels} />
          <RecordFields fields={others} of={begun} labels={labels} />
        </div>
      </CronFields>
      <RecordFields fields={ext} of={begun} labels={labels} />
    </Dialog>
  );
}
