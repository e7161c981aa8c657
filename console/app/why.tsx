import { restPath, type Api } from "./rest";
import { Fact } from "./fact";
import { lang } from "./prefs";
import { useResource } from "./resource";
import { planPage, runPage, type Query } from "./route";
import { say } from "./say";
import { When } from "./time";
import { visible } from "./visible";

/** Why something of a plan ran, did not run, or when it will: the server's sentence, as it is. */
export function Why({ station, id, of = {}, zone }: { station: string; id: string; of?: Query; zone?: string }) {
  const m = say.value;
  const [resource] = useResource<Api["Explanation"]>(
    restPath(["plans", station, id, "explain"], { ...of, lang: lang.now.value === "zh" ? "zh" : undefined }),
  );
  const { data: e, refused, busy } = resource.value;
  return (
    <section class="why" aria-label={m.why} aria-busy={busy ? "true" : undefined}>
      <h2>{m.why}</h2>
      {refused && !e && <p>{visible(refused.message)}</p>}
      {e && (
        <>
          <p class="sentence">{visible(e.sentence)}</p>
          {e.remedy && <p class="remedy">{visible(e.remedy)}</p>}
          <Facts e={e} zone={zone} nextToo={!!of.n} />
        </>
      )}
    </section>
  );
}

function Facts({ e, zone, nextToo }: { e: Api["Explanation"]; zone?: string; nextToo: boolean }) {
  const m = say.value;
  const blocking = e.because?.occurrence !== undefined && e.because.n ? e.because.n : undefined;
  return (
    <dl class="facts">
      {e.rule && (
        <Fact name={m.rule}><code>{e.rule.field}: {visible(String(e.rule.value ?? ""))}</code> {m.ruleFrom(e.rule.from)}</Fact>
      )}
      {blocking && <Fact name={m.ranInto}><a href={runPage(e.station, e.plan_id, blocking)}>{m.run(blocking)}</a></Fact>}
      {nextToo && e.next && <Fact name={m.nextDue}><When at={e.next.plan_time} zone={zone} /></Fact>}
      {e.last_ok && <Fact name={m.lastOk}><When at={e.last_ok.end_time} zone={zone} /></Fact>}
    </dl>
  );
}

/** A link to why a run ended as it did; it stands at skips, failures, timeouts and waits. */
export function WhyLink({ run }: { run: Api["Result"] }) {
  const m = say.value;
  if (!asked.includes(run.state)) return null;
  return (
    <a class="whylink" href={runPage(run.station, run.plan_id, run.n)}>
      {m.why}<span class="unseen"> {m.run(run.n)} {planName(run)}</span>
    </a>
  );
}

const asked = ["skipped", "failure", "error", "timeout", "waiting", "dispatched", "cancelled"];

const planName = (run: Api["Result"]) => visible(`${run.station}/${run.plan_id}`);

/** A link from a plan's list to why nothing of it runs. */
export const WhyPlanLink = ({ station, id }: { station: string; id: string }) => (
  <a class="whylink" href={planPage(station, id)}>{say.value.why}<span class="unseen"> {visible(`${station}/${id}`)}</span></a>
);
