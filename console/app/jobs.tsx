import { restPath, type Api } from "./rest";
import { ChoiceFilter, Filters, TextFilter } from "./filters";
import { Command, Refused } from "./hint";
import { NewJob } from "./job-verbs";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { pageOf, param, withQuery } from "./route";
import { say } from "./say";
import { asCurl } from "./sent";
import { session } from "./session";
import { Page } from "./shell";
import { State } from "./state";
import { Paging, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** The address of a job's page. */
export const jobPage = (id: string) => pageOf(["jobs", id]);

/** The parameters that add the state of a job to its definition. */
export const withState = () => ({ words: lang.now.value, state: "true" });

const filters = ["name", "status"];

/** The HTTP cron jobs, which REST calls tasks. */
export function Jobs() {
  const m = say.value;
  const query = { name: param("name"), status: param("status"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource<Api["TaskPage"]>(restPath(["tasks"], { ...query, ...withState() }), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.tasks ?? [], (t) => t.id, m.pages.jobs);
  return (
    <Page title={m.pages.jobs} busy={busy} aside={session.operates.value && <NewJob after={again} />}>
      <Filters label={m.jobs.filter}>
        <TextFilter name="name" label={m.jobs.fields.name} />
        <ChoiceFilter name="status" label={m.filter.status} values={["ENABLED", "DISABLED"]} any={m.any} />
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      <Table listed name={m.pages.jobs} columns={m.jobs.columns} busy={busy} empty={list.length === 0 && !refused && <NoJobs next={data?.next} />}>
        {list.map((t) => <Row key={t.id} of={t} />)}
      </Table>
      <Paging next={data?.next} />
    </Page>
  );
}

function Row({ of: t }: { of: Api["Task"] }) {
  return (
    <tr>
      <td>
        <a href={jobPage(t.id)}>{visible(t.name)}</a>
        {t.description && <div class="about">{visible(t.description)}</div>}
      </td>
      <td><Target of={t} /></td>
      <td><Schedule of={t} /></td>
      <td><JobStatus of={t} /></td>
      <td><When at={t.state?.next_due} zone={t.timezone} /></td>
      <td>{t.state?.last_run && <Outcome of={t.state.last_run} />}</td>
    </tr>
  );
}

/** The target of a job. */
export const Target = ({ of: t }: { of: Api["Task"] }) => <code class="target">{t.http_method} {visible(t.target_url)}</code>;

/** When a job is due, in words and as it was typed. */
export const Schedule = ({ of: t }: { of: Api["Task"] }) => (
  <>
    {t.words && <div>{visible(t.words)}</div>}
    <code class="about">{visible(t.cron_expr)} {visible(t.timezone)}</code>
  </>
);

/** Whether a job is enabled, and where its plan stands if that is more than waiting. */
export function JobStatus({ of: t }: { of: Api["Task"] }) {
  const status = t.state?.status;
  return (
    <>
      <State of={t.status} />
      {status && status !== "queued" && status !== "paused" && <> <State of={status} /></>}
    </>
  );
}

/** The states of runs by the words that REST has for those of jobs. */
const states: Record<Api["Run"]["status"], string> = {
  SCHEDULED: "waiting", RUNNING: "running", SUCCESS: "ok", FAILED: "error", TIMEOUT: "timeout", FAILED_TIMEOUT: "timeout", CANCELED: "cancelled", SKIPPED: "skipped",
};

/** The status code of a run and how it ended. */
export function Outcome({ of: run }: { of: Api["Run"] }) {
  return (
    <>
      {run.response_code ? <strong>{run.response_code} </strong> : null}
      <State of={states[run.status]} wire={run.status} />
      {run.skip_reason && <span class="about"> {run.skip_reason}</span>}
    </>
  );
}

/** The hints of an empty list. */
function NoJobs({ next }: { next?: string }) {
  const m = say.value;
  const set = filters.filter((name) => param(name));
  if (set.length > 0 || next || param("cursor")) {
    return (
      <div class="empty">
        <p>{m.jobs.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" "))}</p>
        <p><a href={withQuery({ name: undefined, status: undefined, cursor: undefined, before: undefined })}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  const first = { name: "ping", cron_expr: "*/5 * * * *", target_url: "https://example.org/" };
  return (
    <div class="empty">
      <p>{m.jobs.none}</p>
      <Command>{asCurl("POST", restPath(["tasks"]), first)}</Command>
    </div>
  );
}
