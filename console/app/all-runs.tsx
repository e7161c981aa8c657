import { restPath, type Api } from "./rest";
import { CheckFilter, ChoiceFilter, Filters, MoreFilters, NumberFilter, TextFilter, TimeFilter } from "./filters";
import { Command, Refused } from "./hint";
import { useResource } from "./resource";
import { pageOf, param, place, withQuery, type Query } from "./route";
import { resultStates, Runs } from "./runs";
import { say } from "./say";
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

/** The runs of all plans that have ended. */
export function AllRuns() {
  const m = say.value;
  const query: Query = Object.fromEntries(parameters.map((name) => [name, place.value.searchParams.getAll(name)]));
  // A page behind the first stays as it is, because no run that has ended changes.
  const [resource] = useResource<Api["ResultPage"]>(restPath(["runs"], query), true, param("cursor") !== "");
  const { data, refused, busy } = resource.value;
  const [runs, fresh] = useCalm(data?.runs ?? [], keyOf, m.pages.runs);
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
      <Runs all runs={runs} busy={busy} empty={!refused && <NoRuns sure={data?.complete !== false} />} />
      {data && <Searched page={data} says={m.allRuns.lookedAt} />}
      <Paging next={data?.next} />
    </Page>
  );
}

const keyOf = (r: Api["Result"]) => `${r.key} ${r.n}`;

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
