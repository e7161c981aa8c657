import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Refusal, request, restPath, type Answer, type Api } from "./rest";
import { Refused } from "./hint";
import { formatJson, type Json, type JsonObject } from "./json";
import { say } from "./say";
import { Table } from "./table";
import { When } from "./time";
import { visible } from "./visible";

/** An execution that is under way. */
interface Execution {
  n?: number;
  worker_id?: string;
}

/** The answer of the server to the dry run of a request. */
export type DryRun = Omit<Api["DryRun"], "cancelled"> & { cancelled?: Execution[] };

/** A request that changes a plan. */
export interface Change {
  method: string;
  path: string[];
  body?: JsonObject;
}

/** Asks the server for the dry run of a request. */
export const foresee = ({ method, path, body }: Change, how: { ifMatch?: string | null; signal?: AbortSignal } = {}): Promise<Answer<DryRun>> =>
  request<DryRun>(method, restPath(path, { dry_run: "true" }), body ?? (method === "POST" ? {} : undefined), how);

/**
 * The dry run of a request; asked anew when its body changes, and the answer before stays until then.
 * Those in live are under way, and finish or are cancelled.
 */
export function Foresight({ of, zone, live }: { of: Change; zone?: string; live?: Execution[] }) {
  const m = say.value;
  const [dry, take] = useState<DryRun>();
  const [refused, refuse] = useState<Refusal>();
  const [busy, setBusy] = useState(true);
  useEffect(() => {
    const round = new AbortController();
    const timer = setTimeout(async () => {
      try {
        take((await foresee(of, { signal: round.signal })).value);
        refuse(undefined);
      } catch (e) {
        if (round.signal.aborted) return;
        take(undefined);
        refuse(e instanceof Refusal ? e : undefined);
      }
      setBusy(false);
    }, dry || refused ? 150 : 0);
    return () => (clearTimeout(timer), round.abort());
  }, [formatJson(of.body ?? null)]);
  return (
    <section class="foresight" aria-label={m.foreseen} aria-busy={busy ? "true" : undefined}>
      {refused && <Refused by={refused} />}
      {dry && <Foreseen of={dry} zone={zone} live={live} />}
    </section>
  );
}

/** The dry run of a request with an answer of its own kind. */
export function Foretold<T>({ of, children }: { of: Change; children: (dry: T) => ComponentChildren }) {
  const [dry, take] = useState<T>();
  const [refused, refuse] = useState<Refusal>();
  useEffect(() => {
    const asked = request<T>(of.method, restPath(of.path, { dry_run: "true" }));
    asked.then((a) => take(a.value), (e) => refuse(e instanceof Refusal ? e : undefined));
  }, [of.path.join("/")]);
  return (
    <section class="foresight" aria-label={say.value.foreseen} aria-busy={dry || refused ? undefined : "true"}>
      {refused && <Refused by={refused} />}
      {dry && children(dry)}
    </section>
  );
}

/** A dry run: cancelled executions, changed fields, and the due time that follows. */
export function Foreseen({ of: dry, zone, live }: { of: DryRun; zone?: string; live?: Execution[] }) {
  const m = say.value;
  const cancelled = dry.cancelled ?? [];
  const finishing = (live ?? []).filter((e) => !cancelled.some((c) => c.n === e.n));
  const moved = dry.changes.find((c) => c.field === "timezone");
  return (
    <>
      {dry.created && <p>{m.wouldBeNew(dry.state)}</p>}
      {live?.length === 0 && <p>{m.nothingUnderWay}</p>}
      {cancelled.length > 0 && <p class="fault">{m.willBeCancelled(cancelled.length, workersOf(cancelled))}</p>}
      {finishing.length > 0 && <p>{m.willFinish(finishing.length, workersOf(finishing))}</p>}
      {!dry.created && <Changes of={dry.changes} />}
      <Times {...dry} zone={(moved?.after as string | undefined) ?? zone} />
    </>
  );
}

const workersOf = (all: Execution[]) => all.map((e) => (e.worker_id ? visible(e.worker_id) : say.value.noWorkerYet)).join(", ");

/** Fields that would change, or were changed by another user. */
export function Changes({ of: changes }: { of: Api["FieldChange"][] }) {
  const m = say.value;
  return (
    <Table name={m.changes} columns={m.columns.changes} empty={changes.length === 0 && <p>{m.noChanges}</p>}>
      {changes.map((c) => (
        <tr key={c.field}>
          <td><code>{visible(c.field)}</code></td>
          <td>{shown(c.before)}</td>
          <td>{c.after === undefined ? <span class="about">{m.dropped}</span> : shown(c.after)}</td>
        </tr>
      ))}
    </Table>
  );
}

const shown = (value: unknown) => (value === undefined || value === null ? "–" : visible(typeof value === "string" ? value : formatJson(value as Json)));

/** Due times before and after a change: those that stay, that are new, and that fall away. */
function Times({ before, after, created, state, zone }: DryRun & { zone?: string }) {
  const m = say.value;
  if (after.length === 0) return before.length > 0 ? <p class="fault">{state === "paused" ? m.notDueUntilResume : m.noLongerDue}</p> : null;
  const all = mergedTimes(created ? after : before, after);
  return (
    <>
      <h3>{m.nextOccurrences}</h3>
      <ol class="times">
        {all.map((t) => (
          <li key={t.at} class={t.change}>
            <When at={t.at} zone={zone} bare /> {t.change === "new" && m.newTime}{t.change === "lost" && m.lostTime}
          </li>
        ))}
      </ol>
    </>
  );
}

/** How many due times a dry run lists; a list of fewer is whole. */
const most = 5;

/**
 * The times of two lists, the soonest first. A time is new or lost only where both lists say
 * which times there are: a list of five may go on.
 */
function mergedTimes(before: string[], after: string[]): { at: string; change?: "new" | "lost" }[] {
  const known = (list: string[]) => (list.length < most ? Infinity : Date.parse(list[most - 1]));
  const lost = before.filter((at) => !after.includes(at) && Date.parse(at) <= known(after));
  const kept = after.map((at) => ({ at, change: !before.includes(at) && Date.parse(at) <= known(before) ? ("new" as const) : undefined }));
  return [...kept, ...lost.map((at) => ({ at, change: "lost" as const }))].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
