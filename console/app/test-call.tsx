import { useEffect, useRef, useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { problemText } from "./hint";
import type { Json, JsonObject } from "./json";
import { changesIn, withoutNulls, type RecordField } from "./record";
import { say } from "./say";
import { State } from "./state";
import { duration } from "./time";
import { Value } from "./value";
import { visible } from "./visible";

/** The fields of a job that its call has, too. */
const fields: readonly RecordField[] = [
  { name: "target_url" }, { name: "http_method" }, { name: "headers_json", kind: "json" }, { name: "body_template", kind: "lines" },
  { name: "timeout_seconds", kind: "number" }, { name: "success_status", kind: "list" },
];

/** The outcome of a call, as plans of station http have it. */
interface Outcome {
  status?: number;
  message?: string;
  body?: string;
  duration_ms?: number;
}

const underWay = ["dispatched", "running", "waiting"];

/** How long the page rests before it asks for the run again, in milliseconds. */
const rest = 300;

/**
 * A button in the form of a job that has its call made once, now: by a plan that is due once and is
 * not tried again. The target's answer is shown below.
 */
export function TestCall() {
  const m = say.value.jobs;
  const [run, show] = useState<Api["Result"]>();
  const [note, setNote] = useState("");
  const round = useRef<AbortController>(undefined);
  useEffect(() => () => round.current?.abort(), []);
  const act = async (form: HTMLFormElement) => {
    round.current?.abort();
    const { signal } = (round.current = new AbortController());
    show(undefined);
    setNote(m.testing);
    try {
      const made = await request<{ plan_id: string }>("POST", restPath(["plans"]), {
        station: "http", command: "http", plan_type: "none", description: "test", retry: { strategy: "none" }, on_failure: "settle",
        messages: [callOf(form)],
      }, { signal });
      show(await ended(made.value.plan_id, signal));
      setNote("");
    } catch (e) {
      if (!signal.aborted) setNote(problemText(e));
    }
  };
  return (
    <section aria-label={m.testCall} class="part">
      <button type="button" onClick={(e) => void act(e.currentTarget.form!)}>{m.testCall}</button>{" "}
      <span class="about" aria-live="polite">{note}</span>
      {run && <Answered of={run} />}
    </section>
  );
}

function callOf(form: HTMLFormElement): JsonObject {
  const { headers_json: headers, ...call } = withoutNulls(changesIn(new FormData(form), fields));
  return headers ? { ...call, headers } : call;
}

/** The run of a plan when it has ended. */
async function ended(plan: string, signal: AbortSignal): Promise<Api["Result"]> {
  for (;;) {
    const { value } = await request<Api["ResultView"]>("GET", restPath(["plans", "http", plan, "runs", "1"]), undefined, { signal });
    if (!underWay.includes(value.run.state)) return value.run;
    await new Promise((go) => setTimeout(go, rest));
  }
}

function Answered({ of: run }: { of: Api["Result"] }) {
  const outcome = (run.content ?? run.error ?? {}) as Outcome;
  return (
    <div class="foresight">
      <p>
        {outcome.status ? <strong>{outcome.status} </strong> : null}<State of={run.state} />
        {outcome.duration_ms !== undefined && <span class="about"> {duration(outcome.duration_ms)}</span>}
      </p>
      {outcome.message && <p>{visible(outcome.message)}</p>}
      {typeof run.error === "string" && <p>{visible(run.error)}</p>}
      {outcome.body && <Value of={outcome.body as Json} />}
    </div>
  );
}
