import { useEffect, useId, useState } from "preact/hooks";
import { Refusal, request, restPath, type Api, type FieldError } from "./rest";
import { Dialog } from "./dialog";
import { fields, groups, memberOf, planOf, shows, typedOf, zoneOf, type Faults, type Field, type Typed } from "./fields";
import { foresee, Foreseen, type DryRun } from "./foresight";
import { Command, Refused } from "./hint";
import { formatJson, type JsonObject } from "./json";
import { NextOccurrences } from "./plan";
import { hasRoom, lang } from "./prefs";
import { useResource } from "./resource";
import { open, pageOf, param, place, planPage } from "./route";
import { announce, say } from "./say";
import { asCurl, asNats, asYaml } from "./sent";
import { session } from "./session";
import { Page } from "./shell";
import { visible } from "./visible";

/** The page for a new plan; `copy` names one to begin with, other parameters are fields. */
export function NewPlan() {
  const m = say.value;
  const [station, id] = param("copy").split("/");
  const [resource] = useResource<Api["PlanView"]>(id ? restPath(["plans", station, id]) : undefined);
  const { data, refused, busy } = resource.value;
  return (
    <Page title={m.newPlan} busy={busy}>
      {refused && <Refused by={refused} />}
      {session.operates.value ? !busy && <NewForm from={data?.plan as unknown as JsonObject | undefined} /> : <p>{m.onlyOperators}</p>}
    </Page>
  );
}

/** The request to send, and its dry run. */
interface Reviewed {
  sent: JsonObject;
  dry: DryRun;
}

function NewForm({ from }: { from?: JsonObject }) {
  const m = say.value;
  const [initial] = useState(() => {
    const typed = from ? typedOf(from) : {};
    delete typed.plan_id; // a copy has a name of its own
    if (param("once")) for (const f of fields) if (f.types || f.name === "plan_type") delete typed[f.name];
    for (const f of fields) if (place.value.searchParams.has(f.name)) typed[f.name] = param(f.name);
    if (typed.cron && !typed.plan_type) typed.plan_type = "cron";
    return typed;
  });
  const form = useForm(initial);
  const [reviewed, setReviewed] = useState<Reviewed>();
  const create = async (plan: JsonObject) => {
    const { value } = await request<Api["PlanCreated"]>("POST", restPath(["plans"]), plan);
    announce(m.created(visible(`${value.station}/${value.plan_id}`)));
    open(planPage(value.station, value.plan_id));
  };
  /** Sends the plan that is typed, and shows the errors by field. */
  const send = async (use: (plan: JsonObject) => Promise<void>) => {
    const plan = form.read();
    if (plan) await use(plan).catch(form.refuse);
  };
  const review = async (plan: JsonObject) => setReviewed({ sent: plan, dry: (await foresee({ method: "POST", path: ["plans"], body: plan })).value });
  return (
    <form class="plan" aria-label={m.newPlan} noValidate onSubmit={(e) => (e.preventDefault(), void send(create))}>
      <Controls form={form} />
      <div class="beside">
        <div class="buttons">
          <button type="submit" class="primary">{m.create}</button>
          <button type="button" onClick={() => void send(review)}>{m.review}</button>
          <a class="button" href={pageOf(["plans"])}>{m.back}</a>
        </div>
        <Problem form={form} />
        <Preview plan={form.plan} zone={zoneOf(form.typed)} tell={form.foresee} />
        <Request method="POST" address={restPath(["plans"])} subject="plans.create" body={form.plan} yaml={form.plan} />
      </div>
      {reviewed && (
        <Dialog
          title={m.createTitle(visible([reviewed.sent.station, reviewed.sent.plan_id].filter(Boolean).join("/")))} verb={m.create}
          act={() => create(reviewed.sent)} close={() => setReviewed(undefined)}
        >
          <Foreseen of={reviewed.dry} zone={zoneOf(form.typed)} />
        </Dialog>
      )}
    </form>
  );
}

/** The page for changing a plan. */
export function EditPlan({ station, id }: { station: string; id: string }) {
  const m = say.value;
  const [resource] = useResource<Api["PlanView"]>(restPath(["plans", station, id]));
  const { data, refused, busy, etag } = resource.value;
  // The form keeps its first record: another's change meanwhile is a conflict on saving, and
  // does not change the typed texts.
  const [begun, begin] = useState<{ plan: JsonObject; etag?: string | null }>();
  const renew = async () => {
    const { value, etag } = await request<Api["PlanView"]>("GET", restPath(["plans", station, id]));
    begin({ plan: value.plan as unknown as JsonObject, etag });
    return etag;
  };
  useEffect(() => {
    if (data && !begun) begin({ plan: data.plan as unknown as JsonObject, etag });
  }, [data]);
  return (
    <Page title={m.editTitle(visible(`${station}/${id}`))} busy={busy}>
      {refused && !begun && <Refused by={refused} />}
      {!session.operates.value && <p>{m.onlyOperators}</p>}
      {session.operates.value && begun && <EditForm station={station} id={id} {...begun} renew={renew} />}
    </Page>
  );
}

/** The fields that differ from those of a plan: their new values, or null where they are cleared. */
function changesOf(before: JsonObject, initial: Typed, plan: JsonObject): JsonObject {
  const changes: JsonObject = {};
  const begun = planOf(initial, {}, "");
  for (const f of fields) {
    const is = memberOf(plan, f.name);
    if (f.fixed || f.name === "paused" || formatJson(is ?? null) === formatJson(memberOf(begun, f.name) ?? null)) continue;
    const [outer, inner] = f.name.split(".");
    if (inner === undefined) changes[outer] = is ?? null;
    else changes[outer] = { ...((changes[outer] ?? before[outer]) as JsonObject | undefined), ...(plan[outer] as JsonObject | undefined) };
    if (inner !== undefined && is === undefined) delete (changes[outer] as JsonObject)[inner];
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) changes[name] = null;
  }
  return changes;
}

function EditForm({ station, id, plan: before, etag, renew }: {
  station: string; id: string; plan: JsonObject; etag?: string | null;
  /** Takes the plan as it is now as the one to change, and returns its ETag. */
  renew: () => Promise<string | null>;
}) {
  const m = say.value;
  const [initial] = useState(() => typedOf(before));
  const form = useForm(initial);
  const [reviewed, setReviewed] = useState<Reviewed>();
  const sent = changesOf(before, initial, form.plan);
  const path = ["plans", station, id];
  const foresees = async (ifMatch?: string | null) => setReviewed({ sent, dry: (await foresee({ method: "PATCH", path, body: sent }, { ifMatch })).value });
  const save = async (changes: JsonObject) => {
    await request("PATCH", restPath(path), changes, { ifMatch: etag }).catch(async (problem: unknown) => {
      if (!isConflict(problem)) throw problem;
      await foresees(await renew());
      throw new Refusal(problem.status, problem.code, `${problem.message} ${m.changedMeanwhile}`, []);
    });
    announce(m.saved(visible(`${station}/${id}`)));
    open(planPage(station, id));
  };
  const review = async () => {
    if (!form.read()) return;
    await foresees(etag).catch(async (problem: unknown) => {
      if (!isConflict(problem)) throw problem;
      await foresees(await renew());
      announce(m.changedMeanwhile);
    }).catch(form.refuse);
  };
  return (
    <form class="plan" aria-label={m.editTitle(visible(`${station}/${id}`))} noValidate onSubmit={(e) => (e.preventDefault(), void review())}>
      <Controls form={form} editing />
      <div class="beside">
        <div class="buttons">
          <button type="submit" class="primary">{m.review}</button>
          <a class="button" href={planPage(station, id)}>{m.back}</a>
        </div>
        <Problem form={form} />
        <Preview plan={form.plan} zone={zoneOf(form.typed)} tell={form.foresee} />
        <Request method="PATCH" address={restPath(["plans", station, id])} subject="plans.update" body={sent} nats={{ station, plan_id: id, ...sent }} yaml={form.plan} />
      </div>
      {reviewed && (
        <Dialog
          title={m.changeTitle(visible(`${station}/${id}`))} verb={reviewed.dry.changes.length > 0 ? m.save : undefined}
          act={() => save(reviewed.sent)} close={() => setReviewed(undefined)}
        >
          <Foreseen of={reviewed.dry} zone={before.timezone as string | undefined} />
        </Dialog>
      )}
    </form>
  );
}

/** Whether the plan was changed elsewhere meanwhile. */
const isConflict = (problem: unknown): problem is Refusal => problem instanceof Refusal && (problem.status === 409 || problem.status === 412);

/** The typed texts, the definition that they make, and its errors. */
interface Form {
  typed: Typed;
  plan: JsonObject;
  faults: Faults;
  /** Errors of the server that belong to no field of the form. */
  general: string;
  type(name: string, text: string): void;
  /** The plan, if all of it can be sent. */
  read(): JsonObject | undefined;
  /** Shows the errors of a preview at the fields that are filled in. */
  foresee(errors: FieldError[]): void;
  refuse(problem: unknown): void;
}

function useForm(initial: Typed): Form {
  const m = say.value;
  const [typed, setTyped] = useState(initial);
  const [faults, setFaults] = useState<Faults>({});
  const [foreseen, setForeseen] = useState<Faults>({});
  const [general, setGeneral] = useState("");
  const own: Faults = {};
  const plan = planOf(typed, own, m.notJson);
  const refuse = (problem: unknown) => {
    if (!(problem instanceof Refusal)) return; // the page says that the connection is lost
    const [byField, others] = spread(problem.errors, typed);
    setFaults(byField);
    setGeneral(others.length || Object.keys(byField).length === 0 ? others.join("; ") || problem.message : "");
    const first = fields.find((f) => byField[f.name]);
    if (first) focusFault(first.name);
  };
  return {
    typed, plan, faults: { ...faults, ...foreseen, ...own }, general,
    type(name, text) {
      setTyped({ ...typed, [name]: text });
      if (faults[name]) setFaults({ ...faults, [name]: "" });
    },
    read() {
      setGeneral("");
      setFaults({});
      if (Object.keys(own).length === 0) return plan;
      focusFault(Object.keys(own)[0]);
      return undefined;
    },
    foresee(errors) {
      const [byField] = spread(errors, typed);
      setForeseen(Object.fromEntries(Object.entries(byField).filter(([name]) => typed[name])));
    },
    refuse,
  };
}

const focusFault = (name: string) => setTimeout(() => document.querySelector<HTMLElement>(`form.plan [name="${name}"]`)?.focus());

/** Errors by the fields that the form shows, and those of no such field. */
function spread(errors: FieldError[], typed: Typed): [Faults, string[]] {
  const byField: Faults = {};
  const others: string[] = [];
  for (const e of errors) {
    const name = (e.field ?? "").replace(/\[.*$/, "");
    const field = fields.find((f) => f.name === name) ?? fields.find((f) => f.name.split(".")[0] === name.split(".")[0]);
    if (field && shows(field, typed)) byField[field.name] ||= e.message;
    else others.push(e.message);
  }
  return [byField, others];
}

function Problem({ form }: { form: Form }) {
  return form.general ? <p class="alert" role="alert">{visible(form.general)}</p> : null;
}

function Controls({ form, editing }: { form: Form; editing?: boolean }) {
  const m = say.value;
  return (
    <div class="controls">
      {groups.map((g) => {
        const all = g.fields.filter((f) => shows(f, form.typed) && !(editing && f.name === "paused"));
        if (all.length === 0) return null;
        const body = all.map((f) => <Control key={f.name} field={f} form={form} fixed={editing && f.fixed} />);
        if (g.name === "what" || g.name === "when") {
          return <fieldset key={g.name}><legend>{m.groups[g.name]}</legend>{body}</fieldset>;
        }
        const unfolded = hasRoom || all.some((f) => form.typed[f.name] || form.faults[f.name]);
        return (
          <details key={g.name} open={unfolded}>
            <summary>{m.groups[g.name]}</summary>
            <fieldset aria-label={m.groups[g.name]}>{body}</fieldset>
          </details>
        );
      })}
    </div>
  );
}

/** The zones that a control offers. */
export const zones = ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])];

function Control({ field: f, form, fixed }: { field: Field; form: Form; fixed?: boolean }) {
  const m = say.value;
  const about = useId();
  const fault = form.faults[f.name];
  const text = form.typed[f.name] ?? "";
  const common = {
    name: f.name, disabled: fixed, "aria-invalid": fault ? ("true" as const) : undefined, "aria-describedby": about,
    required: f.name === "station" && !fixed ? true : undefined,
    onInput: (e: { currentTarget: { value: string } }) => form.type(f.name, e.currentTarget.value),
  };
  const label = (m.fields as Record<string, string>)[f.name] ?? f.name;
  const hint = (m.hints as Record<string, string>)[f.name];
  return (
    <div class="control">
      <label for={about + "c"}>{label} <code>{f.name}</code></label>
      <Input f={f} id={about + "c"} text={text} common={common} />
      <p id={about} class={fault ? "fault" : "about"}>
        {fault ? visible(fault) : f.kind === "time" ? m.inZone(zoneOf(form.typed)) : hint}
      </p>
    </div>
  );
}

function Input({ f, id, text, common }: { f: Field; id: string; text: string; common: Record<string, unknown> }) {
  const m = say.value;
  switch (f.kind) {
    case "choice":
    case "yes":
    case "zone": {
      const values = f.kind === "zone" ? zones : f.kind === "yes" ? ["true", "false"] : f.values!;
      const all = text && !values.includes(text) ? [text, ...values] : values;
      return (
        <select id={id} {...common} value={text}>
          <option value="">{m.byDefault}</option>
          {all.map((v) => <option key={v} value={v} selected={v === text}>{visible(v)}</option>)}
        </select>
      );
    }
    case "json":
      return <textarea id={id} {...common} rows={f.name === "messages" ? 4 : 2} value={text} spellcheck={false} />;
    case "time":
      return <input id={id} {...common} type="datetime-local" step={1} value={text} />;
    case "number":
      return <input id={id} {...common} inputMode="decimal" value={text} autocomplete="off" />;
    default:
      return <input id={id} {...common} value={text} autocomplete="off" spellcheck={false} />;
  }
}

/** The next occurrences of the plan that is typed. */
export function Preview({ plan, zone, tell }: { plan: JsonObject; zone: string; tell?: (errors: FieldError[]) => void }) {
  const m = say.value;
  const [shown, show] = useState<Api["Previewed"]>();
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(true);
  const body = formatJson({ plan, count: 6, lang: lang.now.value, with_skipped: true });
  useEffect(() => {
    const round = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const sent = { plan: { station: "preview", command: "preview", ...plan }, count: 6, lang: lang.now.value, with_skipped: true };
        show((await request<Api["Previewed"]>("POST", restPath(["plans", "preview"]), sent, { signal: round.signal })).value);
        setFault("");
        tell?.([]);
      } catch (e) {
        if (round.signal.aborted) return;
        setFault(e instanceof Refusal ? e.message : "");
        tell?.(e instanceof Refusal ? e.errors : []);
      }
      setBusy(false);
    }, 200);
    return () => (clearTimeout(timer), round.abort());
  }, [body]);
  return (
    <section aria-label={m.preview} aria-busy={busy ? "true" : undefined}>
      <h2>{m.preview}</h2>
      {fault && <p class="about">{visible(fault)}</p>}
      <NextOccurrences of={fault ? undefined : shown} zone={zone} />
    </section>
  );
}

/** The request that the form will send, to be repeated elsewhere. */
function Request({ method, address, subject, body, nats = body, yaml }: {
  method: string; address: string; subject: string; body: JsonObject; nats?: JsonObject; yaml: JsonObject;
}) {
  const m = say.value;
  return (
    <section aria-label={m.request}>
      <h2>{m.request}</h2>
      <h3>curl</h3>
      <Command name="curl">{asCurl(method, address, body)}</Command>
      <h3>nats req</h3>
      <Command name="nats req">{asNats(subject, nats)}</Command>
      <h3>YAML</h3>
      <Command name="YAML">{asYaml(yaml)}</Command>
    </section>
  );
}

