import { Refusal, request, restPath, type Api, type FieldError } from "./rest";
import type { JsonObject } from "./json";
import type { Verb } from "./verbs";

/** The verbs for many plans at once. */
export type ManyVerb = Verb | "cancel";

/** The fields that a verb takes beside its plans. */
export interface Asked {
  verb: ManyVerb;
  note?: string;
  count?: number;
}

/** A plan that is chosen; without state it is not known. */
export interface Chosen {
  station: string;
  plan_id: string;
  state?: Api["PlanView"]["state"];
}

/** A plan that refused a verb, and why. */
export interface Refused {
  station?: string;
  plan_id?: string;
  error: FieldError;
}

/** The progress of a bulk job, as GET /api/v1/bulk/{id} has it. */
export interface Progress {
  matched: number;
  done: number;
  refused: number;
  left: number;
  refusals: Refused[];
  left_out: number;
  ended?: string;
  state?: string;
  error?: FieldError;
}

/** How often the server is asked how far it is, in milliseconds. */
const every = 500;

/** Has the server do a verb to all that match, and shows how far it is until that has ended. */
export async function allThatMatch(asked: Asked, filter: JsonObject, expect: number, begun: (stop: () => void, first: Progress) => void, show: (p: Progress) => void, gone: AbortSignal): Promise<void> {
  const { value } = await request<Progress & { id: string }>("POST", restPath(["bulk"]), { ...asked, filter, expect });
  const address = restPath(["bulk", value.id]);
  begun(() => void request("DELETE", address).catch(() => undefined), value);
  await follow(address, value, show, gone);
}

/** Asks how far a job is until it has ended. */
async function follow(address: string, first: Progress, show: (p: Progress) => void, gone: AbortSignal): Promise<void> {
  for (let at = first; !at.ended && !gone.aborted; show(at)) {
    await new Promise((go) => setTimeout(go, every));
    try {
      at = (await request<Progress>("GET", address, undefined, { signal: gone })).value;
    } catch (e) {
      if (gone.aborted) return;
      if (e instanceof Refusal) throw e; // the node was started anew, and has ended it
    }
  }
}

/** Has the server count the plans that match. */
export async function countMatching(filter: JsonObject, gone: AbortSignal): Promise<number> {
  const { value } = await request<Progress & { id: string }>("POST", restPath(["bulk"]), { verb: "trigger", filter, dry_run: true });
  let last: Progress = value;
  await follow(restPath(["bulk", value.id]), value, (p) => (last = p), gone);
  if (last.error) throw new Refusal(409, "", last.error.message, []);
  return last.matched;
}

/** Does a verb to one plan after the other, until all have it or it is stopped. */
export async function oneByOne(asked: Asked, plans: Chosen[], show: (p: Progress) => void, stopped: AbortSignal): Promise<void> {
  let p: Progress = { matched: plans.length, done: 0, refused: 0, left: plans.length, refusals: [], left_out: 0, state: "running" };
  for (const one of plans) {
    if (stopped.aborted) break;
    const { station, plan_id } = one;
    try {
      await ask(asked, one);
      p = { ...p, done: p.done + 1, left: p.left - 1 };
    } catch (e) {
      if (!(e instanceof Refusal)) {
        show({ ...p, state: "stopped", ended: new Date().toISOString() });
        throw e;
      }
      p = { ...p, refused: p.refused + 1, left: p.left - 1, refusals: [...p.refusals, { station, plan_id, error: { code: e.code, message: e.message } }] };
    }
    show(p);
  }
  show({ ...p, state: p.left > 0 ? "stopped" : "done", ended: new Date().toISOString() });
}

async function ask({ verb, note, count }: Asked, { station, plan_id, state }: Chosen) {
  const path = ["plans", station, plan_id];
  const body = { ...(note && { note }), ...(count !== undefined && { count }) };
  if (verb === "remove") return void (await request("DELETE", restPath(path), body));
  if (verb !== "cancel") return void (await request("POST", restPath([...path, verb]), body));
  const open = (state?.open ?? []).flatMap((o) => o.executions ?? []);
  if (open.length === 0) throw new Refusal(409, "conflict", "nothing of it is under way", []);
  for (const { n } of open) await request("POST", restPath([...path, "runs", String(n), "cancel"]), body);
}
