import { formatJson, parseJson, type Json, type JsonObject } from "./json";
import { instantOf, localInput } from "./time";

/** How a field of a plan is typed in, and how it is sent. */
export interface Field {
  /** The name on the wire; a dot stands between an object and its member. */
  name: string;
  kind: "text" | "number" | "json" | "choice" | "list" | "time" | "yes" | "zone" | "lines";
  values?: readonly string[];
  /** The types of plan that have it; all, when it is absent. */
  types?: readonly string[];
  /** It cannot be changed. */
  fixed?: boolean;
}

/** Fields that stand together. */
export interface Group {
  name: "what" | "when" | "clock" | "order" | "retries" | "workers" | "about";
  fields: Field[];
}

const units = ["second", "minute", "hour", "day"];
const named = ["week", "month", "cron"];
const repeated = [...units, ...named];
const calendar = ["time", ...repeated];

/** The form of a plan: all its fields, in groups. */
export const groups: Group[] = [
  {
    name: "what",
    fields: [
      { name: "station", kind: "text", fixed: true },
      { name: "plan_id", kind: "text", fixed: true },
      { name: "command", kind: "text" },
      { name: "messages", kind: "json" },
      { name: "description", kind: "text" },
    ],
  },
  {
    name: "when",
    fields: [
      { name: "plan_type", kind: "choice", values: ["none", "time", ...units, ...named] },
      { name: "cron", kind: "text", types: ["cron"] },
      { name: "plan_value", kind: "number", types: [...units, "week", "month"] },
      { name: "plan_time", kind: "time", types: ["time", ...units, "week", "month"] },
      { name: "timezone", kind: "zone", types: ["time", ...repeated] },
      { name: "plan_repet", kind: "number", types: repeated },
      { name: "jitter", kind: "number", types: calendar },
      { name: "paused", kind: "yes" },
    ],
  },
  {
    name: "clock",
    fields: [
      { name: "start_at", kind: "time", types: repeated },
      { name: "end_at", kind: "time", types: repeated },
      { name: "exclude", kind: "list", types: calendar },
      { name: "only", kind: "list", types: calendar },
      { name: "excluded", kind: "choice", values: ["skip", "next", "previous"], types: calendar },
      { name: "clock_change.gap", kind: "choice", values: ["after", "before", "shift", "skip"], types: named },
      { name: "clock_change.overlap", kind: "choice", values: ["first", "second", "both"], types: named },
    ],
  },
  {
    name: "order",
    fields: [
      { name: "overlap", kind: "choice", values: ["skip", "queue", "cancel_prev", "parallel", "allow"] },
      { name: "failure", kind: "choice", values: ["run_new", "skip", "retry"] },
      { name: "max_concurrency", kind: "number" },
      { name: "concurrency", kind: "choice", values: ["queue", "skip", "parallel"] },
      { name: "catch_up", kind: "choice", values: ["none", "compact", "full"] },
      { name: "no_keep", kind: "yes" },
    ],
  },
  {
    name: "retries",
    fields: [
      { name: "retry.strategy", kind: "choice", values: ["none", "fixed_period", "sequence", "exponential"] },
      { name: "retry.interval", kind: "number" },
      { name: "retry.sequence", kind: "list" },
      { name: "retry.max_interval", kind: "number" },
      { name: "retry.max_error_count", kind: "number" },
      { name: "retry.jitter", kind: "number" },
      { name: "retry.need_manual", kind: "yes" },
      { name: "exec_timeout", kind: "number" },
      { name: "start_timeout", kind: "number" },
      { name: "on_unknown", kind: "choice", values: ["redo", "skip", "hold"] },
      { name: "on_failure", kind: "choice", values: ["halt", "settle"] },
    ],
  },
  {
    name: "workers",
    fields: [
      { name: "worker_ids", kind: "list" },
      { name: "worker_count", kind: "number" },
      { name: "priority", kind: "number" },
      { name: "voters", kind: "number" },
      { name: "quorum", kind: "number" },
      { name: "ping_interval_ms", kind: "number" },
      { name: "ping_timeout_ms", kind: "number" },
      { name: "max_unexpected_retries", kind: "number" },
      { name: "unexpected_retry_delay_ms", kind: "number" },
    ],
  },
  {
    name: "about",
    fields: [
      { name: "labels", kind: "json" },
      { name: "category", kind: "text" },
      { name: "tenant_id", kind: "text" },
      { name: "caller", kind: "text" },
      { name: "creator", kind: "text" },
      { name: "request_id", kind: "text" },
      { name: "log", kind: "choice", values: ["none", "trigger", "full"] },
      { name: "ext", kind: "json" },
    ],
  },
];

export const fields = groups.flatMap((g) => g.fields);

/** The texts in the controls, by the names of the fields; a field left blank is empty. */
export type Typed = Record<string, string>;

/** The zone in which the times of a form are typed. */
export const zoneOf = (typed: Typed) => typed.timezone || "UTC";

/** Whether a plan keeps its zone. All others count elapsed time: their zone is that of the form alone. */
const keepsZone = (typed: Typed) => named.includes(typed.plan_type) || !!typed.exclude || !!typed.only;

/** Whether a plan of the type that is chosen has the field. */
export const shows = (f: Field, typed: Typed) => !f.types || f.types.includes(typed.plan_type || "none");

/** The texts of a plan in the controls of a form. */
export function typedOf(plan: JsonObject): Typed {
  const typed: Typed = {};
  const zone = typeof plan.timezone === "string" ? plan.timezone : "UTC";
  for (const f of fields) {
    const value = memberOf(plan, f.name);
    if (value === undefined || value === null) continue;
    typed[f.name] = textOf(f, value, zone);
  }
  return typed;
}

/** The value of a field of a plan, by its name on the wire. */
export function memberOf(plan: JsonObject, name: string): Json | undefined {
  return name.split(".").reduce<Json | undefined>((of, part) => (of as JsonObject | undefined | null)?.[part], plan);
}

/** The text of a value in a control. */
export function textOf(f: Field, value: Json, zone: string): string {
  switch (f.kind) {
    case "json":
      return formatJson(value, 1);
    case "list":
      return Array.isArray(value) ? value.join(", ") : String(value);
    case "time":
      return localInput(typeof value === "number" ? new Date(value * 1000).toISOString() : String(value), zone);
    default:
      return String(value);
  }
}

/** A text that cannot be sent, by the name of its field. */
export type Faults = Record<string, string>;

/** The definition that was typed, without the fields left blank. */
export function planOf(typed: Typed, faults: Faults, notJson: string): JsonObject {
  const plan: JsonObject = {};
  for (const f of fields) {
    const text = (typed[f.name] ?? "").trim();
    if (text === "" || !shows(f, typed) || (f.name === "timezone" && !keepsZone(typed))) continue;
    try {
      put(plan, f.name, valueOf(f, text, zoneOf(typed)));
    } catch {
      faults[f.name] = notJson;
    }
  }
  return plan;
}

/** Puts a value at the place that its name gives; a dot stands between an object and its member. */
export function put(into: JsonObject, name: string, value: Json) {
  const [outer, ...inner] = name.split(".");
  if (inner.length === 0) into[outer] = value;
  else put((into[outer] = { ...(into[outer] as JsonObject | undefined) }), inner.join("."), value);
}

/** The value of a text. A number that is none goes as a text, which the server refuses. */
export function valueOf(f: Field, text: string, zone: string): Json {
  const number = (t: string): Json => (Number.isNaN(Number(t)) ? t : Number(t));
  switch (f.kind) {
    case "json":
      return parseJson(text);
    case "number":
      return number(text);
    case "list": {
      const all = text.split(/[,\n]/).map((t) => t.trim()).filter(Boolean);
      return f.name.endsWith("sequence") ? all.map(number) : all;
    }
    case "time":
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? instantOf(text, zone) : text;
    case "yes":
      return text === "true";
    default:
      return text;
  }
}
