import { Control } from "./inputs";
import { formatJson, parseJson, type Json, type JsonObject } from "./json";
import { Refusal, type Api } from "./rest";
import { say } from "./say";
import { visible } from "./visible";

/** A field of a record that a dialog changes, by its name on the wire. */
export interface RecordField {
  name: string;
  /** The kind of its values; absent: a text on one line. Numbers in a list are numbers. */
  kind?: "number" | "list" | "json" | "lines" | "choice" | "zone";
  values?: readonly string[];
  required?: boolean;
  example?: string;
}

/** A record, by the names of its fields. */
type Values = Record<string, unknown>;

/** A value as the control of its field shows it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value : formatJson(value as Json);
}

function valueOf({ name, kind }: RecordField, text: string): Json {
  const number = (t: string): Json => (/^\d+(\.\d+)?$/.test(t) ? Number(t) : t); // a number that is none goes as a text, which the server refuses
  switch (kind) {
    case "number":
      return number(text);
    case "list":
      return text.split(/[,\n]/).map((t) => t.trim()).filter(Boolean).map(number);
    case "json":
      try {
        return parseJson(text);
      } catch {
        throw new Refusal(400, "", `${name}: ${say.value.notJson}`, []);
      }
    default:
      return text;
  }
}

/** The changes of a form to the record that it began with; an emptied field is null. */
export function changesIn(form: FormData, fields: readonly RecordField[], begun: Values = {}): JsonObject {
  const changes: JsonObject = {};
  for (const f of fields) {
    if (!form.has(f.name)) continue;
    const typed = String(form.get(f.name)).replaceAll("\r\n", "\n");
    const text = f.kind === "lines" ? typed : typed.trim();
    if (text === textOf(begun[f.name])) continue;
    changes[f.name] = text === "" ? null : valueOf(f, text);
  }
  return changes;
}

/** A record without its members that are null. */
export const withoutNulls = (of: JsonObject): JsonObject => Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));

/** The fields in which two records differ, but for some. */
export function differences(before: Values = {}, after: Values = {}, but: readonly string[]): Api["FieldChange"][] {
  const text = (value: unknown) => formatJson((value ?? null) as Json);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !but.includes(field) && text(before[field]) !== text(after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }) as Api["FieldChange"]);
}

/** The controls of some fields, with the record's values. */
export function RecordFields({ fields, of = {}, labels }: { fields: readonly RecordField[]; of?: Values; labels: Record<string, string> }) {
  return (
    <>
      {fields.map((f) => (
        <label key={f.name}>
          <span>{labels[f.name] ?? f.name} <code>{f.name}</code></span>
          <Control of={{ ...f, kind: f.kind ?? "text", label: f.name, value: textOf(of[f.name]), rows: 2 }} />
        </label>
      ))}
    </>
  );
}

/** Members of a record as facts, by their names on the wire. */
export function Members({ of, but }: { of: Values; but: readonly string[] }) {
  return (
    <dl class="facts">
      {Object.entries(of).filter(([name, value]) => !but.includes(name) && textOf(value) !== "").map(([name, value]) => (
        <div key={name}>
          <dt><code>{visible(name)}</code></dt>
          <dd><code>{visible(textOf(value))}</code></dd>
        </div>
      ))}
    </dl>
  );
}
