import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { changedIn, filled, Inputs, type Input } from "./inputs";
import type { JsonObject } from "./json";
import { open, pageOf, withQuery } from "./route";
import { announce, say } from "./say";
import { session } from "./session";
import { NewTask } from "./task-verbs";
import { visible } from "./visible";

/** The fields of a type that have a control. */
export function fieldsOfType(): Input[] {
  const m = say.value;
  const f = m.fields, t = m.tasks;
  const number = (name: string, label: string): Input => ({ name: `config.${name}`, kind: "number", label });
  const target = (of: "success" | "error", label: string): Input[] => [
    { name: `config.callback.${of}.url`, kind: "text", label },
    { name: `config.callback.${of}.method`, kind: "choice", values: ["POST", "PUT"], label: `${label}: ${t.method}` },
  ];
  return [
    { name: "name", kind: "text", label: t.title },
    { name: "category", kind: "text", label: f.category },
    { name: "config.kind", kind: "choice", values: ["pull", "api"], label: t.kind, hint: t.kindHint },
    { name: "config.need_manual", kind: "yes", label: f["retry.need_manual"] },
    { name: "config.retry_strategy", kind: "choice", values: ["none", "fixed_period", "sequence", "exponential"], label: f["retry.strategy"] },
    number("retry_interval", f["retry.interval"]),
    { name: "config.retry_sequence", kind: "list", label: f["retry.sequence"], hint: m.hints["retry.sequence"] },
    number("retry_jitter", f["retry.jitter"]),
    number("max_error_count", f["retry.max_error_count"]),
    number("timeout", t.timeout),
    number("timeout_seconds", t.timeoutSeconds),
    number("ping_timeout_ms", f.ping_timeout_ms),
    number("max_unexpected_retries", f.max_unexpected_retries),
    number("unexpected_retry_delay_ms", f.unexpected_retry_delay_ms),
    ...target("success", t.onSuccess),
    ...target("error", t.onError),
    { name: "config.callback.security.type", kind: "choice", values: ["none", "aksk"], label: t.signed },
    { name: "config.callback.security.ak", kind: "text", label: t.ak },
    { name: "config.callback.security.sk", kind: "secret", label: t.sk, hint: t.skHint },
  ];
}

/** The verbs of a type. */
export function TypeActions({ type, after }: { type: Api["TaskType"]; after: () => void }) {
  const m = say.value;
  const [asking, ask] = useState<"put" | "delete">();
  if (!session.operates.value) return null;
  const close = () => ask(undefined);
  return (
    <div class="actions" role="group" aria-label={m.actions}>
      <NewTask type={type.code} />
      <button type="button" onClick={() => ask("put")}>{m.tasks.put}</button>
      <button type="button" class="danger" onClick={() => ask("delete")}>{m.tasks.delete}</button>
      {asking === "put" && <PutDialog type={type} close={close} after={after} />}
      {asking === "delete" && <DeleteDialog code={type.code} close={close} after={after} />}
    </div>
  );
}

/** The button that puts a type of a new code. */
export function NewType({ after }: { after: () => void }) {
  const [asking, ask] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(true)}>{say.value.tasks.putNew}</button>
      {asking && <PutDialog close={() => ask(false)} after={after} />}
    </>
  );
}

function PutDialog({ type, close, after }: { type?: Api["TaskType"]; close: () => void; after: () => void }) {
  const m = say.value;
  const [begun] = useState((type ?? {}) as unknown as JsonObject); // typed texts stay while the page behind is asked for anew
  const named: Input[] = type ? [] : [{ name: "code", kind: "text", label: m.tasks.code, required: true, hint: m.tasks.codeHint }];
  const fields = filled(fieldsOfType(), begun);
  const act = async (form: FormData) => {
    const code = type?.code ?? String(form.get("code")).trim();
    await request("PUT", restPath(["task-types", code]), { ...changedIn(form, fields, begun), code });
    announce(m.tasks.wasPut(visible(code)));
    if (!type) open(pageOf(["task-types"], { code }));
    after();
  };
  return (
    <Dialog title={type ? `${m.tasks.put} ${visible(type.code)}` : m.tasks.putNew} verb={m.tasks.put} act={act} close={close}>
      <p>{m.tasks.putAbout}</p>
      <Inputs of={[...named, ...fields]} grid />
    </Dialog>
  );
}

function DeleteDialog({ code, close, after }: { code: string; close: () => void; after: () => void }) {
  const m = say.value.tasks;
  const act = async () => {
    await request("DELETE", restPath(["task-types", code]));
    announce(m.wasDeleted(visible(code)));
    open(withQuery({ code: undefined }), "filter");
    after();
  };
  return (
    <Dialog title={`${m.delete} ${visible(code)}`} verb={m.delete} act={act} close={close} danger>
      <p>{m.deleteAbout}</p>
    </Dialog>
  );
}
