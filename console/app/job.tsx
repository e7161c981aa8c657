import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { Refused } from "./hint";
import { JobActions } from "./job-verbs";
import { JobStatus, Outcome, Schedule, Target, withState } from "./jobs";
import { PlanLink } from "./name";
import { RunsTab } from "./plan";
import { Members } from "./record";
import { useResource } from "./resource";
import { pageOf, runPage } from "./route";
import { say } from "./say";
import { Page } from "./shell";
import { duration, When } from "./time";
import { Value } from "./value";
import { visible } from "./visible";
import { Why } from "./why";

/** The station whose plans are jobs. */
const station = "http";

/** Whether a name is the id of a job; else it is a job's name, whose id the server knows. */
const isId = (name: string) => /^[a-z2-7]{32}$/.test(name);

/** An HTTP cron job: its target, schedule and last answer. */
export function Job({ id }: { id: string }) {
  const m = say.value;
  const [resource, again] = useResource<Api["Task"]>(restPath(["tasks", id], withState()));
  const { data: job, refused, busy, etag } = resource.value;
  const plan = job?.id ?? (isId(id) ? id : undefined);
  return (
    <Page title={visible(job?.name ?? id)} busy={busy} aside={job && <JobStatus of={job} />}>
      <p class="crumbs"><a href={pageOf(["jobs"])}>{m.pages.jobs}</a></p>
      {job && <JobActions job={job} etag={etag} after={again} />}
      {refused && (refused.status === 404 ? <p>{m.jobs.gone}</p> : <Refused by={refused} />)}
      {job && <Facts of={job} />}
      {plan && <Why station={station} id={plan} zone={job?.timezone} />}
      {job && <LastAnswer run={job.state?.last_run} zone={job.timezone} />}
      {plan && (
        <>
          <h2>{m.pages.runs}</h2>
          <RunsTab station={station} id={plan} zone={job?.timezone} gone={refused?.status === 404} />
        </>
      )}
      {job && (
        <details>
          <summary>{m.tabs.definition}</summary>
          <Members of={job} but={["id", "name", "words", "state"]} />
        </details>
      )}
    </Page>
  );
}

function Facts({ of: job }: { of: Api["Task"] }) {
  const m = say.value;
  return (
    <dl class="facts">
      {job.description && <Fact name={m.fields.description} wide>{visible(job.description)}</Fact>}
      <Fact name={m.jobs.fields.target_url}><Target of={job} /></Fact>
      <Fact name={m.columns.plans[2]}><Schedule of={job} /></Fact>
      {job.state?.next_due && <Fact name={m.nextDue}><When at={job.state.next_due} zone={job.timezone} /></Fact>}
      <Fact name={m.columns.plan}><PlanLink station={station} id={job.id} /></Fact>
    </dl>
  );
}

/** The outcome of the newest run that has ended. */
function LastAnswer({ run, zone }: { run?: Api["Run"]; zone: string }) {
  const m = say.value;
  const n = Number(run?.id.split(".").at(-1));
  return (
    <section class="part" aria-label={m.jobs.lastAnswer}>
      <h2>{m.jobs.lastAnswer}</h2>
      {!run && <p class="about">{m.jobs.noAnswer}</p>}
      {run && (
        <dl class="facts">
          <Fact name={m.jobs.statusCode}><Outcome of={run} /></Fact>
          <Fact name={m.columns.runs[0]}><a href={runPage(station, run.task_id, n)}>{n}</a></Fact>
          <Fact name={m.columns.time}><When at={run.end_time ?? run.scheduled_time} zone={zone} /></Fact>
          {run.duration_ms !== undefined && <Fact name={m.columns.runs[5]}>{duration(run.duration_ms)}</Fact>}
          {run.error && <Fact name={m.error} wide>{visible(run.error)}</Fact>}
          {run.response_body && <Fact name={m.jobs.body} wide><Value of={run.response_body} /></Fact>}
        </dl>
      )}
    </section>
  );
}
