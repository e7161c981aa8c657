import { formatJson, type Json } from "./json";
import { visible, visibleLines } from "./visible";

/** A value from outside, as text: a list and an object can be folded. */
export function Value({ of, name, open = true }: { of: Json; name?: string; open?: boolean }) {
  const label = name === undefined ? null : <span class="key">{visible(name)}: </span>;
  if (of === null || typeof of !== "object") return <div class="value">{label}<Scalar of={of} /></div>;
  const members: [string, Json][] = Array.isArray(of) ? of.map((v, i) => [String(i), v]) : Object.entries(of);
  if (members.length === 0) return <div class="value">{label}{Array.isArray(of) ? "[]" : "{}"}</div>;
  return (
    <details class="value" open={open && members.length <= 20}>
      <summary>{label}{Array.isArray(of) ? `[${members.length}]` : `{${members.length}}`}</summary>
      {members.slice(0, 500).map(([key, value]) => <Value key={key} of={value} name={key} open={false} />)}
      {members.length > 500 && <div>…</div>}
    </details>
  );
}

function Scalar({ of }: { of: Json }) {
  if (typeof of !== "string") return <code class={of === null ? "null" : typeof of}>{formatJson(of)}</code>;
  return of.includes("\n") ? <pre>{visibleLines(of)}</pre> : <code class="string">{visible(of)}</code>;
}
