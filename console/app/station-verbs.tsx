import { useState } from "preact/hooks";
import { Refusal, request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { fields, planOf, type Faults, type Typed } from "./fields";
import { Changes, Foretold } from "./foresight";
import { formatJson, type Json, type JsonObject } from "./json";
import { differences } from "./record";
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

/** The address of a station with its use. */
export const recordPath = (name: string) => restPath(["stations", name], { used: "true" });

/** The record of a station; undefined: it was never put. */
export function recordOf(of: Api["StationGot"] | undefined): Api["Station"] | undefined {
  const { put, stats: _, ...record } = of ?? {};
  return put ? record : undefined;
}

/** The verbs of a station's page. */
export function StationActions({ name, record, etag, after }: { name: string; record?: Api["Station"]; etag?: string | null; after: () => void }) {
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
      {asking === "put" && <PutDialog name={name} record={record} etag={etag} close={close} after={after} />}
      {asking === "test" && <TestDialog name={name} close={close} />}
      {asking === "delete" && <DeleteDialog name={name} record={record!} close={close} after={after} />}
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

const named = ["description", ...Object.keys(choices), ...numbers];

const textOf = (record: Api["Station"] | undefined, field: string) => {
  const value = (record as Record<string, unknown> | undefined)?.[field];
  return value === undefined ? "" : String(value);
};

/** The present record with the form's changes to the one that it began with. */
function recordFrom(form: FormData, begun: Api["Station"] | undefined, now: Api["Station"] | undefined): JsonObject {
  const record: JsonObject = { ...(now as unknown as JsonObject | undefined) };
  for (const name of named) {
    const text = String(form.get(name) ?? "").trim();
    if (text === textOf(begun, name)) continue;
    if (text === "") delete record[name];
    else record[name] = (numbers as readonly string[]).includes(name) && !Number.isNaN(Number(text)) ? Number(text) : text;
  }
  delete record.station;
  delete record.revision; // the tag has it
  return record;
}

/** A record and the tag of its revision. */
interface Begun {
  record?: Api["Station"];
  etag?: string | null;
}

/** The record as it is by now. */
async function look(station: string): Promise<Begun> {
  const { value, etag } = await request<Api["StationGot"]>("GET", recordPath(station));
  const record = recordOf(value);
  return { record, etag: record && etag };
}

function PutDialog({ name, record, etag, close, after }: Begun & { name?: string; close: () => void; after: () => void }) {
  const m = say.value;
  const [begun] = useState<Begun>({ record, etag: record && etag }); // typed texts stay while the page behind is asked for anew
  const [now, take] = useState(begun);
  const put = async (station: string, form: FormData) => {
    // No tag names a record that is not there.
    const is = now.record ? now : await look(station);
    if (!now.record && is.record) return is;
    try {
      await request("PUT", restPath(["stations", station]), recordFrom(form, begun.record, now.record), { ifMatch: now.etag });
    } catch (e) {
      if (e instanceof Refusal && e.status === 412) return look(station);
      throw e;
    }
    return undefined;
  };
  const act = async (form: FormData) => {
    const station = name ?? String(form.get("station")).trim();
    const other = await put(station, form);
    if (other) {
      take(other);
      throw new Refusal(412, "", m.stations.outdated(visible(station), m.stations.put), []);
    }
    announce(m.stations.wasPut(visible(station)));
    if (name === undefined) open(pageOf(["stations", station]));
    after();
  };
  const names = m.fields as Record<string, string>;
  const of = (field: string) => textOf(begun.record, field);
  return (
    <Dialog title={name === undefined ? m.stations.putNew : `${m.stations.put} ${visible(name)}`} verb={m.stations.put} act={act} close={close}>
      <p>{m.stations.putAbout}</p>
      {now !== begun && <Changes of={differences(begun.record, now.record, ["station", "revision"])} />}
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

/** Names the fields that a deletion drops, before it. */
function DeleteDialog({ name, record, close, after }: { name: string; record: Api["Station"]; close: () => void; after: () => void }) {
  const m = say.value.stations;
  const change = { method: "DELETE", path: ["stations", name] };
  const act = async () => {
    await request(change.method, restPath(change.path));
    announce(m.wasDeleted(visible(name)));
    after();
  };
  const value = (path: string) => path.split(".").reduce<Json | undefined>((of, part) => (of as JsonObject | undefined)?.[part], record as unknown as JsonObject);
  const shown = (path: string) => { const v = value(path); return v === undefined ? path : `${path}: ${typeof v === "string" ? v : formatJson(v)}`; };
  return (
    <Dialog title={`${m.delete} ${visible(name)}`} verb={m.delete} act={act} close={close} danger>
      <Foretold<Api["StationDeleted"]> of={change}>
        {(dry) => (
          <>
            <p>{m.drops}</p>
            <ul>{(dry.dropped ?? []).map((path) => <li key={path}><code>{visible(shown(path))}</code></li>)}</ul>
            <p>{dry.plans ? m.plansGoOn(count(dry.plans)) : m.noPlans}</p>
            {dry.has_plans && dry.kind && <p class="fault">{m.kindFalls(dry.kind)}</p>}
          </>
        )}
      </Foretold>
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
