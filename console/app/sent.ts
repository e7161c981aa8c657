import { formatJson, type Json, type JsonObject } from "./json";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a command of curl. */
export function asCurl(method: string, address: string, body: Json): string {
  return `curl -X ${method} ${quoted(new URL(address, location.href).href)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(formatJson(body))}`;
}

/** The request as a command of nats. */
export const asNats = (subject: string, body: Json) => `nats req ${subject} ${quoted(formatJson(body))}`;

/** The plan as a file of apply. */
export const asYaml = (plan: JsonObject) => "plans:\n" + yamlOf(plan, "    ").replace("    ", "  - ");

function yamlOf(value: JsonObject, indent: string): string {
  return Object.entries(value).map(([name, v]) => `${indent}${plain(name)}:${behind(v, indent)}\n`).join("");
}

function behind(value: Json, indent: string): string {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    return "\n" + yamlOf(value, indent + "  ").trimEnd();
  }
  return " " + (typeof value === "string" ? plain(value) : formatJson(value));
}

/** A text in YAML: as it is where no reader takes it for something else, else as in JSON. */
const plain = (text: string) =>
  /^[A-Za-z_][\w./-]*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text) ? text : formatJson(text);
