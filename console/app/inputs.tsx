import { memberOf, put, textOf, valueOf, type Field } from "./fields";
import { zones } from "./form";
import type { JsonObject } from "./json";
import { Refusal } from "./rest";
import { say } from "./say";
import { shownZone } from "./time";
import { visible } from "./visible";

/** A field of a dialog. One left blank is not sent. */
export interface Input extends Omit<Field, "kind"> {
  kind: Field["kind"] | "secret";
  label: string;
  /** Its text at first. */
  value?: string;
  required?: boolean;
  hint?: string;
  /** The placeholder. */
  example?: string;
  /** The lines of a text on several; 3, when it is absent. */
  rows?: number;
}

/** Fields of a dialog, each with its label. Times are typed in the zone that is shown. */
export function Inputs({ of, grid }: { of: Input[]; grid?: boolean }) {
  return (
    <div class={grid ? "grid" : undefined}>
      {of.map((f) => (
        <label key={f.name}>
          <span>{f.label} {f.kind === "time" && <span class="about">({shownZone()})</span>}</span>
          <Control of={f} />
          {f.hint && <span class="about">{f.hint}</span>}
        </label>
      ))}
    </div>
  );
}

/** The control of a field. */
export function Control({ of: f }: { of: Input }) {
  const common = { name: f.name, required: f.required, placeholder: f.example, autocomplete: "off", spellcheck: false } as const;
  switch (f.kind) {
    case "choice":
    case "yes":
    case "zone":
      return <Choice of={f} />;
    case "json":
    case "lines":
      return <textarea {...common} rows={f.rows ?? 3} defaultValue={f.value} />;
    case "time":
      return <input {...common} type="datetime-local" step={1} defaultValue={f.value} />;
    case "number":
      return <input {...common} inputMode="decimal" defaultValue={f.value} />;
    case "secret":
      return <input {...common} type="password" autocomplete="new-password" />;
    default:
      return <input {...common} defaultValue={f.value} />;
  }
}

function Choice({ of: f }: { of: Input }) {
  const known = f.kind === "yes" ? ["true", "false"] : f.kind === "zone" ? zones : (f.values ?? []);
  const values = f.value && !known.includes(f.value) ? [f.value, ...known] : known;
  return (
    <select name={f.name} required={f.required}>
      <option value="" selected={!f.value}>{f.required ? "" : say.value.byDefault}</option>
      {values.map((v) => <option key={v} value={v} selected={v === f.value}>{visible(v)}</option>)}
    </select>
  );
}

/** The values of the fields of a dialog. Throws a Refusal when a text is no JSON. */
export function typedIn(form: FormData, of: Input[]): JsonObject {
  const values: JsonObject = {};
  for (const f of of) {
    const text = String(form.get(f.name) ?? "");
    if (text.trim() === "") continue;
    if (f.kind === "secret") {
      put(values, f.name, text);
      continue;
    }
    try {
      put(values, f.name, valueOf(f as Field, text.trim(), shownZone()));
    } catch {
      throw new Refusal(400, "", `${f.label}: ${say.value.notJson}`, [{ code: "", message: say.value.notJson, field: f.name }]);
    }
  }
  return values;
}

/** The same fields, filled from a record. */
export const filled = (of: Input[], record: JsonObject): Input[] =>
  of.map((f) => {
    const value = f.kind === "secret" ? undefined : memberOf(record, f.name);
    return value === undefined || value === null ? f : { ...f, value: textOf(f as Field, value, shownZone()) };
  });

/** A record with the present values of its fields. Members that no field shows stay; one that was emptied goes. */
export function changedIn(form: FormData, of: Input[], record: JsonObject): JsonObject {
  const typed = typedIn(form, of);
  return of.reduce((all, f) => {
    const is = memberOf(typed, f.name);
    if (is === undefined) return f.kind === "secret" ? all : without(all, f.name.split("."));
    put(all, f.name, is);
    return all;
  }, { ...record });
}

/** A record without a member, and without the objects that it leaves empty. */
function without(record: JsonObject, [outer, ...inner]: string[]): JsonObject {
  const { [outer]: member, ...rest } = record;
  if (inner.length === 0 || member === undefined || member === null) return rest;
  const left = without(member as JsonObject, inner);
  return Object.keys(left).length === 0 ? rest : { ...rest, [outer]: left };
}
