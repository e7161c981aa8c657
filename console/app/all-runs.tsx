import { restPath, type Api } from "./rest";
import { CheckFilter, ChoiceFilter, Filters, MoreFilters, NumberFilter, TextFilter, TimeFilter } from "./filters";
import { Command, Refused } from "./hint";
import type { JsonObject } from "./json";
import type { Chosen, ManyVerb } from "./many";
import { useResource } from "./resource";
import { pageOf, param, place, withQuery, type Query } from "./route";
import { resultStates, runKey, Runs } from "./runs";
import { say } from "./say";
import { SelectionBar, SelectPage, useSelection } from "./selection";
import { session } from "./session";
import { Page } from "./shell";
import { Paging, Searched, useCalm } from "./table";
import { visible } from "./visible";

/** Why a run ended, or was none, as results say it. */
const reasons = [
  "overlap", "concurrency", "failure", "missed", "paused", "manual", "calendar", "start", "exec", "ping", "retries", "worker",
  "unknown", "unknown_state", "unsent", "too_large", "processed",
] as const;

/** The parameters of the list that narrow it, in the order in which the server preloads it. */
const filters = ["trouble", "failed", "text", "station", "plan_id", "state", "reason", "worker_id", "labels", "longer_than_ms", "from", "until", "to"];
const parameters = [...filters, "cursor", "limit"];

/** The verbs for the plans of runs. */
const can: readonly ManyVerb[] = ["trigger", "reset"];

/** The filters of the page, as a bulk takes them. */
function matching(): JsonObject {
  const run: JsonObject = {};
  for (const name of filters) {
    const given = param(name);
    if (!given) continue;
    if (name === "labels") run[name] = Object.fromEntries(given.split(",").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
    else run[name] = name === "trouble" || name === "failed" ? given === "true" : name === "longer_than_ms" ? Number(given) : given;
  }
  return { run };
}

/** The plans of some runs, each once. */
function plansOf(runs: Api["Result"][]): Chosen[] {
  return [...new Map(runs.map(({ station, plan_id }) => [`${station}/${plan_id}`, { station, plan_id }])).values()];
}

/** The runs of all plans that have ended. */
export function AllRuns() {
  const m = say.value;
  const query: Query = Object.fromEntries(parameters.map((name) => [name, place.value.searchParams.getAll(name)]));
  // A page behind the first stays as it is, because no run that has ended changes.
  const [resource, again] = useResource<Api["ResultPage"]>(restPath(["runs"], query), true, param("cursor") !== "");
  const { data, refused, busy } = resource.value;
  const [runs, fresh] = useCalm(data?.runs ?? [], runKey, m.pages.runs);
  const names = runs.map(runKey);
  const operates = session.operates.value;
  const selection = useSelection(names, operates);
  return (
    <Page title={m.pages.runs} busy={busy}>
      <Filters label={m.filterRuns}>
        <TextFilter name="text" label={m.filter.text} type="search" />
        <TextFilter name="station" label={m.filter.station} />
        <ChoiceFilter name="state" label={m.filter.state} values={resultStates} any={m.any} />
        <ChoiceFilter name="reason" label={m.reason} values={reasons} any={m.any} />
        <CheckFilter name="trouble" label={m.allRuns.trouble} about={m.allRuns.troubleAbout} />
        <MoreFilters names={["worker_id", "longer_than_ms", "from", "until"]}>
          <TextFilter name="worker_id" label={m.allRuns.worker} />
          <NumberFilter name="longer_than_ms" label={m.allRuns.longer} />
          <TimeFilter name="from" label={m.allRuns.from} />
          <TimeFilter name="until" label={m.allRuns.until} />
        </MoreFilters>
        {fresh}
      </Filters>
      {refused && <Refused by={refused} />}
      {operates && <SelectPage names={names} of={selection} />}
      {operates && <SelectionBar chosen={plansOf(runs.filter((r) => selection.has(runKey(r))))} of={selection} filter={matching()} total="ask" can={can} after={again} />}
      <Runs all runs={runs} select={operates ? selection : undefined} busy={busy} empty={!refused && <NoRuns sure={data?.complete !== false} />} />
      {data && <Searched page={data} says={m.allRuns.lookedAt} />}
      <Paging next={data?.next} />
    </Page>
  );
}

/** The hints of an empty list; sure: all runs were looked at. */
function NoRuns({ sure }: { sure: boolean }) {
  const m = say.value;
  const set = filters.filter((name) => param(name));
  if (!sure) return null;
  if (set.length === 0) {
    return (
      <div class="empty">
        <p>{m.allRuns.none}</p>
        <Command>stationmaster plan runs</Command>
        <p><a href={pageOf(["plans"])}>{m.pages.plans}</a></p>
      </div>
    );
  }
  const well = set.length === 1 && (set[0] === "trouble" || set[0] === "failed");
  return (
    <div class="empty">
      <p>{well ? m.allRuns.noTrouble : m.allRuns.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" "))}</p>
      <p><a href={withQuery(Object.fromEntries([...set, "cursor", "before"].map((name) => [name, undefined])))}>{m.withoutFilters}</a></p>
    </div>
  );
}
