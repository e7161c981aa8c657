import { useState } from "preact/hooks";
import { Refusal, request, restPath, type Api } from "./rest";
import { CronFields } from "./cron-fields";
import { Dialog } from "./dialog";
import { Changes, Foresight } from "./foresight";
import { problemText } from "./hint";
import { jobPage } from "./jobs";
import type { JsonObject } from "./json";
import { changesIn, differences, RecordFields, withoutNulls, type RecordField } from "./record";
import { open, pageOf } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { useShortcut } from "./shortcuts";
import { TestCall } from "./test-call";
import { visible } from "./visible";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The fields that a new job needs or mostly has. */
const main: readonly RecordField[] = [
  { name: "description" },
  { name: "target_url", required: true, example: "https://example.org/sync?run={{run_id}}" },
  { name: "cron_expr", required: true, example: "*/15 * * * *" },
];
const choices: readonly RecordField[] = [
  { name: "timezone", kind: "zone" },
  { name: "http_method", kind: "choice", values: methods },
];
const call: readonly RecordField[] = [
  { name: "headers_json", kind: "lines", example: '{"Content-Type": "application/json"}' },
  { name: "body_template", kind: "lines", example: '{"run": "{{run_id}}"}' },
];
const others: readonly RecordField[] = [
  { name: "timeout_seconds", kind: "number" },
  { name: "success_status", kind: "list", example: "2xx, 409" },
  { name: "retry_policy_json", example: '{"strategy":"fixed_period","interval":5,"max_error_count":3}' },
  { name: "overlap_action", kind: "choice", values: ["ALLOW", "SKIP", "CANCEL_PREV", "PARALLEL", "QUEUE"] },
  { name: "failure_action", kind: "choice", values: ["RUN_NEW", "SKIP", "RETRY"] },
  { name: "catch_up_mode", kind: "choice", values: ["NONE", "COMPACT", "FULL"] },
  { name: "max_concurrency", kind: "number" },
  { name: "concurrency_policy", kind: "choice", values: ["QUEUE", "SKIP", "PARALLEL"] },
  { name: "exec_type", kind: "choice", values: ["SYNC", "ASYNC"] },
  { name: "callback_timeout_sec", kind: "number" },
];
const all = [{ name: "name" }, ...main, ...choices, ...call, ...others, { name: "status" }];

type Verb = "disable" | "change" | "delete";

/** The verbs of a job's page. */
export function JobActions({ job, etag, after }: { job: Api["Task"]; etag?: string | null; after: () => void }) {
  const m = say.value.jobs;
  const [asking, ask] = useState<Verb>();
  const name = visible(job.name);
  const operates = session.operates.value;
  const atOnce = async (verb: "enable" | "trigger") => {
    try {
      const { value } = await request<{ run_id?: string }>("POST", restPath(["tasks", job.id, verb]));
      announce(verb === "enable" ? m.enabled(name) : say.value.triggered(name, Number(value.run_id?.split(".").at(-1))));
      after();
    } catch (e) {
      announce(problemText(e));
    }
  };
  const enabled = job.status === "ENABLED";
  useShortcut("p", () => operates && (enabled ? ask("disable") : void atOnce("enable")));
  useShortcut("t", () => operates && void atOnce("trigger"));
  useShortcut("e", () => operates && ask("change"));
  if (!operates) return null;
  const close = () => ask(undefined);
  return (
    <div class="actions" role="group" aria-label={say.value.actions}>
      {enabled && <button type="button" onClick={() => ask("disable")}>{m.disable}</button>}
      {!enabled && <button type="button" onClick={() => void atOnce("enable")}>{m.enable}</button>}
      <button type="button" onClick={() => void atOnce("trigger")}>{say.value.verbs.trigger.name}</button>
      <button type="button" onClick={() => ask("change")}>{m.change}</button>
      <button type="button" class="danger" onClick={() => ask("delete")}>{m.delete}</button>
      {asking === "disable" && <DisableDialog job={job} close={close} after={after} />}
      {asking === "change" && <JobDialog job={job} etag={etag} close={close} after={after} />}
      {asking === "delete" && <DeleteDialog job={job} close={close} />}
    </div>
  );
}

/** The button that creates a job. */
export function NewJob({ after }: { after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(true)}>{m.create}</button>
      {asking && <JobDialog close={() => ask(false)} after={after} />}
    </>
  );
}

function DisableDialog({ job, close, after }: { job: Api["Task"]; close: () => void; after: () => void }) {
  const m = say.value;
  const act = async (form: FormData) => {
    await request("POST", restPath(["tasks", job.id, "disable"], { note: String(form.get("note") ?? "") }));
    announce(m.jobs.disabled(visible(job.name)));
    after();
  };
  return (
    <Dialog title={`${m.jobs.disable} ${visible(job.name)}`} verb={m.jobs.disable} act={act} close={close}>
      <p>{m.jobs.disableAbout}</p>
      <label><span>{m.note}</span><input name="note" maxLength={512} autocomplete="off" /></label>
    </Dialog>
  );
}

function DeleteDialog({ job, close }: { job: Api["Task"]; close: () => void }) {
  const m = say.value.jobs;
  const act = async () => {
    await request("DELETE", restPath(["tasks", job.id]));
    announce(m.deleted(visible(job.name)));
    open(pageOf(["jobs"]));
  };
  return (
    <Dialog title={`${m.delete} ${visible(job.name)}`} verb={m.delete} act={act} close={close} danger>
      <p>{m.deleteAbout}</p>
      <Foresight of={{ method: "DELETE", path: ["plans", "http", job.id], body: {} }} zone={job.timezone} />
    </Dialog>
  );
}

/** The form of a job, which changes one or, without one, creates it. */
function JobDialog({ job, etag, close, after }: { job?: Api["Task"]; etag?: string | null; close: () => void; after: () => void }) {
  const m = say.value;
  const [begun] = useState(job); // typed texts stay while the page behind is asked for anew
  const [now, take] = useState({ job, etag });
  const act = async (form: FormData) => {
    const changes = changesIn(form, all, begun);
    if (!begun) {
      const { value } = await request<Api["Task"]>("POST", restPath(["tasks"]), withoutNulls(changes));
      announce(m.created(visible(value.name)));
      open(jobPage(value.id));
    } else if (Object.keys(changes).length > 0) {
      await change(begun.id, changes);
      announce(m.saved(visible(begun.name)));
    }
    after();
  };
  const change = async (id: string, changes: JsonObject) => {
    try {
      await request("PATCH", restPath(["tasks", id]), changes, { ifMatch: now.etag });
    } catch (e) {
      if (!(e instanceof Refusal) || e.status !== 412) throw e;
      const { value, etag: tag } = await request<Api["Task"]>("GET", restPath(["tasks", id]));
      take({ job: value, etag: tag });
      throw new Refusal(412, "", m.stations.outdated(visible(value.name), m.jobs.change), []);
    }
  };
  const labels = m.jobs.fields as Record<string, string>;
  const verb = begun ? m.jobs.change : m.create;
  return (
    <Dialog title={begun ? `${verb} ${visible(begun.name)}` : m.jobs.createNew} verb={verb} act={act} close={close}>
      {begun && now.job !== begun && <Changes of={differences(begun, now.job, ["version", "updated_at", "words", "state"])} />}
      <CronFields field="cron_expr" cron={begun?.cron_expr} timezone={begun?.timezone}>
        {!begun && <RecordFields fields={[{ name: "name", required: true }]} labels={labels} />}
        <RecordFields fields={main} of={begun} labels={labels} />
        <div class="grid"><RecordFields fields={choices} of={begun} labels={labels} /></div>
      </CronFields>
      <RecordFields fields={call} of={begun} labels={labels} />
      <TestCall />
      <details>
        <summary>{m.jobs.more}</summary>
        <div class="grid">
          <RecordFields fields={others} of={begun} labels={labels} />
          {!begun && <RecordFields fields={[{ name: "status", kind: "choice", values: ["ENABLED", "DISABLED"] }]} labels={labels} />}
        </div>
      </details>
    </Dialog>
  );
}
