import { useState } from "preact/hooks";
import { Refusal, request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { fields, planOf, type Faults, type Typed } from "./fields";
import { formatJson, type Json, type JsonObject } from "./json";
import { open, pageOf, runPage } from "./route";
import { announce, count, say } from "./say";
import { session } from "./session";
import { visible } from "./visible";

type Verb = "put" | "delete" | "test";

/** The fields of the form; other members of the record stay as they are. */
const choices = {
  kind: ["api", "vote", "pub", "pull"], overlap: ["skip", "queue", "cancel_prev", "parallel", "allow"], failure: ["run_new", "skip", "retry"],
  concurrency: ["queue", "skip", "parallel"], catch_up: ["none", "compact", "full"],
} as const;
const numbers = [
  "max_concurrency", "exec_timeout", "start_timeout", "voters", "quorum",
  "ping_interval_ms", "ping_timeout_ms", "max_unexpected_retries", "unexpected_retry_delay_ms",
] as const;

/** Whether a station is the program's own: it works there itself. */
const builtIn = (name: string) => name === "http" || name === "queue" || name.startsWith("callback.");

/** The verbs of a station's page. */
export function StationActions({ name, record, plans, after }: { name: string; record?: Api["Station"]; plans: number; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState<Verb>();
  if (!session.operates.value) return null;
  const close = () => ask(undefined);
  const ofTasks = !!record?.task_type; // it is put with its type
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      {!ofTasks && <button type="button" onClick={() => ask("put")}>{m.stations.put}</button>}
      {!builtIn(name) && <button type="button" onClick={() => ask("test")}>{m.stations.test}</button>}
      {record && !ofTasks && <button type="button" class="danger" onClick={() => ask("delete")}>{m.stations.delete}</button>}
      {asking === "put" && <PutDialog name={name} record={record} close={close} after={after} />}
      {asking === "test" && <TestDialog name={name} close={close} />}
      {asking === "delete" && <DeleteDialog name={name} record={record!} plans={plans} close={close} after={after} />}
    </div>
  );
}

/** The button that puts a station of a new name. */
export function NewStation({ after }: { after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(true)}>{m.stations.putNew}</button>
      {asking && <PutDialog close={() => ask(false)} after={after} />}
    </>
  );
}

/** The record that a form makes of the one before. */
function recordOf(form: FormData, before: Api["Station"] | undefined): JsonObject {
  const record: JsonObject = { ...(before as unknown as JsonObject | undefined) };
  for (const name of ["description", ...Object.keys(choices), ...numbers]) {
    const text = String(form.get(name) ?? "").trim();
    if (text === "") delete record[name];
    else record[name] = (numbers as readonly string[]).includes(name) && !Number.isNaN(Number(text)) ? Number(text) : text;
  }
  delete record.station;
  return record;
}

function PutDialog({ name, record: now, close, after }: { name?: string; record?: Api["Station"]; close: () => void; after: () => void }) {
  const m = say.value;
  const [record] = useState(now); // what is typed stays while the page behind is asked for anew
  const act = async (form: FormData) => {
    const station = name ?? String(form.get("station")).trim();
    await request("PUT", restPath(["stations", station]), recordOf(form, record));
    announce(m.stations.wasPut(visible(station)));
    if (name === undefined) open(pageOf(["stations", station]));
    after();
  };
  const names = m.fields as Record<string, string>, before = (record ?? {}) as Record<string, unknown>;
  const of = (field: string) => (before[field] === undefined ? "" : String(before[field]));
  return (
    <Dialog title={name === undefined ? m.stations.putNew : `${m.stations.put} ${visible(name)}`} verb={m.stations.put} act={act} close={close}>
      <p>{m.stations.putAbout}</p>
      {name === undefined && <label><span>{m.fields.station}</span><input name="station" required autocomplete="off" /></label>}
      <label><span>{m.fields.description}</span><input name="description" defaultValue={of("description")} autocomplete="off" /></label>
      <div class="grid">
        {Object.entries(choices).map(([field, values]) => (
          <label key={field}>
            <span>{field === "kind" ? m.stations.kind : names[field]}</span>
            <select name={field}>
              <option value="" selected={of(field) === ""}>{m.byDefault}</option>
              {values.map((v) => <option key={v} value={v} selected={of(field) === v}>{v}</option>)}
            </select>
          </label>
        ))}
        {numbers.map((field) => (
          <label key={field}><span>{names[field]} <code>{field}</code></span><input name={field} type="number" min="0" step="1" defaultValue={of(field)} /></label>
        ))}
      </div>
    </Dialog>
  );
}

function DeleteDialog({ name, record, plans, close, after }: { name: string; record: Api["Station"]; plans: number; close: () => void; after: () => void }) {
  const m = say.value;
  const act = async () => {
    await request("DELETE", restPath(["stations", name]));
    announce(m.stations.wasDeleted(visible(name)));
    after();
  };
  const dropped = Object.entries(record).filter(([field]) => field !== "station");
  return (
    <Dialog title={`${m.stations.delete} ${visible(name)}`} verb={m.stations.delete} act={act} close={close} danger>
      <p>{m.stations.drops}</p>
      <ul>{dropped.map(([field, value]) => <li key={field}><code>{visible(`${field}: ${typeof value === "string" ? value : formatJson(value as Json)}`)}</code></li>)}</ul>
      <p>{plans === 0 ? m.stations.noPlans : m.stations.plansGoOn(count(plans))}</p>
    </Dialog>
  );
}

const ofTest = ["command", "messages"];

/** Sends an execution to the station: a plan that is due once, at once, and not tried again. */
function TestDialog({ name, close }: { name: string; close: () => void }) {
  const m = say.value;
  const act = async (form: FormData) => {
    const typed: Typed = Object.fromEntries(fields.filter((f) => ofTest.includes(f.name)).map((f) => [f.name, String(form.get(f.name) ?? "")]));
    const faults: Faults = {};
    const plan = planOf(typed, faults, m.notJson);
    if (faults.messages) throw new Refusal(400, "", faults.messages, []);
    const { value } = await request<{ plan_id: string }>("POST", restPath(["plans"]), {
      ...plan, station: name, plan_type: "none", description: "test", retry: { strategy: "none" }, on_failure: "settle",
    });
    announce(m.stations.wasSent(visible(name)));
    open(runPage(name, value.plan_id, 1));
  };
  return (
    <Dialog title={`${m.stations.test} ${visible(name)}`} verb={m.stations.test} act={act} close={close}>
      <p>{m.stations.testAbout}</p>
      <label><span>{m.fields.command}</span><input name="command" defaultValue="test" autocomplete="off" /></label>
      <label><span>{m.fields.messages}</span><textarea name="messages" rows={3} placeholder='["hello"]' /></label>
    </Dialog>
  );
}
