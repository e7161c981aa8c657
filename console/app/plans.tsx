import { restPath, type Api } from "./rest";
import { ChoiceFilter, Filters, TextFilter } from "./filters";
import { Labels, PlanLink } from "./name";
import type { JsonObject } from "./json";
import { lang } from "./prefs";
import { pageOf, param, place, withQuery, type Query } from "./route";
import { useResource } from "./resource";
import { say } from "./say";
import { manyVerbs, SelectionBar, SelectPage, SelectRow, useSelection, useTotal, type Selection } from "./selection";
import { session } from "./session";
import { Page } from "./shell";
import { barsOf, RunBars, State } from "./state";
import { Paging, Searched, Table, useCalm } from "./table";
import { When } from "./time";
import { visible } from "./visible";
import { Command, Refused } from "./hint";
import { Without } from "./without";

/** A plan as a list shows it. */
type Listed = Api["PlanView"] & { runs?: string; words?: string };

export const statuses = ["queued", "executing", "retrying", "paused", "pending", "plan_error"] as const;
export const waits = ["worker", "claim", "room", "turn", "retry", "jitter", "lock", "person", "resume"] as const;
export const planTypes = ["none", "time", "second", "minute", "hour", "day", "week", "month", "cron"] as const;

/** The parameters of plans.list that the page has filters for. */
const filters = ["text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before", "order", "cursor", "limit"];

/** The address of the list, in the order that the server preloads it. */
function listAddress(): string {
  const query: Query = {};
  for (const name of filters) query[name] = place.value.searchParams.getAll(name);
  return restPath(["plans"], { ...query, fields: "brief", runs: "20", words: lang.now.value });
}

/** The filters alone, without the order and the page: as parameters, and as a bulk takes them. */
function matching(): { query: Query; filter: JsonObject } {
  const query: Query = {};
  const filter: JsonObject = {};
  for (const name of filters.filter((n) => !["order", "cursor", "limit"].includes(n))) {
    const given = place.value.searchParams.getAll(name).filter(Boolean);
    if (given.length === 0) continue;
    query[name] = given;
    const words = given.flatMap((v) => v.split(",")).filter(Boolean);
    if (name === "labels") filter[name] = Object.fromEntries(words.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
    else filter[name] = name === "status" || name === "waits" ? words : given[0];
  }
  return { query, filter };
}

/** The list of plans. */
export function Plans() {
  const m = say.value;
  const [resource, again] = useResource<{ plans: Listed[]; next?: string; looked_at?: number; complete?: boolean }>(listAddress(), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.plans ?? [], keyOf, m.pages.plans);
  const names = list.map(keyOf);
  const operates = session.operates.value;
  const selection = useSelection(names, operates);
  const match = matching();
  const total = useTotal(match.query, operates && selection.names.size > 0);
  const chosen = list.filter((one) => selection.has(keyOf(one))).map(({ plan, state }) => ({ station: plan.station!, plan_id: plan.plan_id!, state }));
  return (
    <Page title={m.pages.plans} busy={busy} aside={operates && <a class="button primary" href={pageOf(["plans", "new"])}>{m.newPlan}</a>}>
      <Filters label={m.filterPlans}>
        <TextFilter name="text" label={m.filter.text} type="search" />
        <TextFilter name="station" label={m.filter.station} />
        <ChoiceFilter name="status" label={m.filter.status} values={statuses} any={m.any} />
        <ChoiceFilter name="waits" label={m.filter.waits} values={waits} any={m.any} />
        <ChoiceFilter name="plan_type" label={m.filter.plan_type} values={planTypes} any={m.any} />
        <TextFilter name="labels" label={m.filter.labels} />
        <ChoiceFilter name="order" label={m.filter.order} values={["due"]} any={m.byName} />
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      {operates && <SelectPage names={names} of={selection} />}
      {operates && <SelectionBar chosen={chosen} of={selection} filter={match.filter} total={total} can={manyVerbs} after={again} />}
      <Table listed name={m.pages.plans} columns={m.columns.plans} busy={busy} empty={list.length === 0 && !refused && data?.complete !== false && <NoPlans />}>
        {list.map((one) => <Row key={keyOf(one)} one={one} selection={operates ? selection : undefined} />)}
      </Table>
      {data && <Searched page={data} says={m.plansLookedAt} />}
      <Paging next={data?.next} />
    </Page>
  );
}

const keyOf = ({ plan }: Listed) => `${plan.station}/${plan.plan_id}`;

function Row({ one, selection }: { one: Listed; selection?: Selection }) {
  const m = say.value;
  const { plan, state, runs, words } = one;
  return (
    <tr data-name={keyOf(one)}>
      <td>
        {selection && <SelectRow name={keyOf(one)} of={selection} />}
        <PlanLink station={plan.station!} id={plan.plan_id!} known={one.known_as} />
        {plan.description && plan.description !== one.known_as && <div class="about">{visible(plan.description)}</div>}
      </td>
      <td>
        <State of={state.status} />
        {state.waits && <div class="about">{m.waitsFor(state.waits.for)}</div>}
      </td>
      <td>{words && visible(words)}</td>
      <td>{state.status !== "paused" && <When at={state.plan_time} zone={plan.timezone} />}</td>
      <td>{runs && <RunBars bars={barsOf(runs)} />}</td>
      <td><Labels of={plan.labels as Record<string, string> | undefined} /></td>
    </tr>
  );
}

/** The hints of an empty list. */
export function NoPlans() {
  const m = say.value;
  const set = filters.filter((name) => param(name) && name !== "order" && name !== "limit");
  if (set.length > 0) {
    return (
      <div class="empty">
        <p>{m.noPlanFits(set.map((name) => `${name}=${visible(param(name))}`).join(" "))}</p>
        <Without query={matching().query} />
        <p><a href={withQuery(Object.fromEntries(set.map((name) => [name, undefined])))}>{m.withoutFilters}</a></p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{m.noPlans}</p>
      <Command>stationmaster plan create --station hello --command greet --type second --value 5 --repet -1</Command>
      <Command>{`nats req plans.create '{"station":"hello","command":"greet","plan_type":"second","plan_value":5,"plan_repet":-1}'`}</Command>
      <Command>stationmaster work --station hello -- echo hello</Command>
      {session.operates.value && (
        <p><a href={pageOf(["plans", "new"], { station: "hello", command: "greet", plan_type: "cron", cron: "*/5 * * * *" })}>{m.firstPlan}</a></p>
      )}
    </div>
  );
}
