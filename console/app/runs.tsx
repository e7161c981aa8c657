import type { Api } from "./rest";
import { jobOf, PlanLink } from "./name";
import { runPage } from "./route";
import { say } from "./say";
import { SelectRow, type Selection } from "./selection";
import { State } from "./state";
import { Table } from "./table";
import { took, When } from "./time";
import { visible } from "./visible";
import { WhyLink } from "./why";

/** The states of runs that have ended. */
export const resultStates = ["ok", "error", "failure", "timeout", "skipped", "cancelled"] as const;

/** The name of a run's row, by which it is chosen. */
export const runKey = (r: Api["Result"]) => `${r.key} ${r.n}`;

/** Runs of a plan, or of all plans, the newest first. */
export function Runs({ runs, name, all, select, zone, busy, empty, workers = true }: {
  runs: (Api["Result"] & { known_as?: string })[];
  /** The name of the list; Runs, when it is absent. */
  name?: string;
  all?: boolean;
  /** Rows can be chosen. */
  select?: Selection;
  zone?: string;
  busy?: boolean;
  /** Who had the runs is known; true, when it is absent. */
  workers?: boolean;
  empty?: preact.ComponentChildren;
}) {
  const m = say.value;
  const columns = all ? [m.columns.plan, ...m.columns.runs] : m.columns.runs;
  return (
    <Table name={name ?? m.pages.runs} columns={workers ? columns : columns.slice(0, -1)} kind={all ? "runs" : undefined} busy={busy} empty={runs.length === 0 && empty}>
      {runs.map((r) => (
        <tr key={runKey(r)} data-name={select && runKey(r)}>
          {all && (
            <td>
              {select && <SelectRow name={runKey(r)} label={`${r.station}/${r.plan_id} ${r.n || ""}`.trim()} of={select} />}
              <PlanLink station={r.station} id={r.plan_id} known={r.known_as ?? jobOf(r)} />
            </td>
          )}
          <td>{r.n && <a href={runPage(r.station, r.plan_id, r.n)}>{r.n}</a>}</td>
          <td>
            <State of={r.state} />
            {(r.count ?? 0) > 1 && <div class="about">{m.occurrences(r.count!)}</div>}
          </td>
          <td>
            {r.reason && <span class="reason">{visible(r.reason)} </span>}
            {r.by && <span class="about">{visible(r.by)} </span>}
            {r.n > 0 && <WhyLink run={r} />}
          </td>
          <td><When at={r.plan_time} zone={zone} bare /></td>
          <td><When at={r.exec_time} zone={zone} bare /></td>
          <td class="number">{took(r.exec_time, r.end_time)}</td>
          {workers && <td>{r.worker_id && visible(r.worker_id)}</td>}
        </tr>
      ))}
    </Table>
  );
}
