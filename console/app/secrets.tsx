import { useState } from "preact/hooks";
import { request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { Foretold } from "./foresight";
import { Refused } from "./hint";
import { Inputs, typedIn, type Input } from "./inputs";
import { useResource } from "./resource";
import { param, withQuery } from "./route";
import { announce, count, say } from "./say";
import { Table } from "./table";
import { visible } from "./visible";

/** The secrets of HTTP calls, for operators: their names and hosts. A value is taken, and never shown. */
export function Secrets() {
  const m = say.value.tasks;
  const [resource, again] = useResource<Api["SecretPage"]>(restPath(["secrets"], { limit: "1000" }), true);
  const [asking, ask] = useState<"put" | "put new" | "delete">();
  const { data, refused, busy } = resource.value;
  const list = data?.secrets ?? [];
  const chosen = list.find((s) => s.name === param("secret"));
  const close = () => ask(undefined);
  return (
    <section class="part">
      <h2>{m.secrets}</h2>
      <p class="about">{m.secretsAbout}</p>
      {refused && <Refused by={refused} />}
      <div class="actions"><button type="button" onClick={() => ask("put new")}>{m.putSecret}</button></div>
      <Table name={m.secrets} columns={m.secretColumns} busy={busy} empty={list.length === 0 && !refused && <p>{m.noSecrets}</p>}>
        {list.map((s) => (
          <tr key={s.name}>
            <td><a href={withQuery({ secret: s.name })} aria-current={s === chosen ? "true" : undefined}>{visible(s.name)}</a></td>
            <td>{visible((s.hosts ?? []).join(", "))}</td>
            <td>{s.tenant_id && visible(s.tenant_id)}</td>
          </tr>
        ))}
      </Table>
      {chosen && (
        <section aria-label={visible(chosen.name)}>
          <h3>{visible(chosen.name)}</h3>
          <div class="actions" role="group" aria-label={say.value.actions}>
            <button type="button" onClick={() => ask("put")}>{m.put}</button>
            <button type="button" class="danger" onClick={() => ask("delete")}>{m.delete}</button>
          </div>
        </section>
      )}
      {asking === "put new" && <PutDialog close={close} after={again} />}
      {asking === "put" && chosen && <PutDialog of={chosen} close={close} after={again} />}
      {asking === "delete" && chosen && <DeleteDialog name={chosen.name} close={close} after={again} />}
    </section>
  );
}

function PutDialog({ of, close, after }: { of?: Api["Secret"]; close: () => void; after: () => void }) {
  const m = say.value.tasks;
  const fields: Input[] = [
    ...(of ? [] : [{ name: "name", kind: "text", label: m.name, required: true } as Input]),
    { name: "value", kind: "secret", label: m.value, required: true },
    { name: "hosts", kind: "list", label: m.hosts, required: true, hint: m.hostsHint, value: of?.hosts?.join(", ") },
    { name: "tenant_id", kind: "text", label: say.value.fields.tenant_id, value: of?.tenant_id },
  ];
  const act = async (form: FormData) => {
    const { name = of?.name, ...secret } = typedIn(form, fields);
    await request("PUT", restPath(["secrets", String(name)]), secret);
    announce(m.wasPut(visible(String(name))));
    after();
  };
  return (
    <Dialog title={of ? `${m.put} ${visible(of.name)}` : m.putSecret} verb={m.put} act={act} close={close}>
      <Inputs of={fields} />
    </Dialog>
  );
}

function DeleteDialog({ name, close, after }: { name: string; close: () => void; after: () => void }) {
  const m = say.value.tasks;
  const change = { method: "DELETE", path: ["secrets", name] };
  const act = async () => {
    await request(change.method, restPath(change.path));
    announce(m.wasDeleted(visible(name)));
    after();
  };
  return (
    <Dialog title={`${m.delete} ${visible(name)}`} verb={m.delete} act={act} close={close} danger>
      <Foretold<Api["SecretDeleted"]> of={change}>
        {(dry) => (
          <>
            <p>{m.usedBy(count(dry.plans ?? 0))}</p>
            <ul>{(dry.used_by ?? []).map((plan) => <li key={plan}>{visible(plan)}</li>)}</ul>
          </>
        )}
      </Foretold>
    </Dialog>
  );
}
