import type { Api } from "./rest";
import { count, say } from "./say";
import { Table } from "./table";
import { duration } from "./time";
import { visible } from "./visible";

/** The partitions, who leads each, and how far it is. */
export function Partitions({ of, busy }: { of: Api["Partition"][]; busy?: boolean }) {
  const m = say.value;
  return (
    <Table name={m.overview.partitions} columns={m.columns.partitions} busy={busy} figures={3}>
      {of.map((p) => (
        <tr key={p.partition}>
          <td>{p.partition}</td>
          <td>{p.leader ? visible(p.leader) : <span class="state error">{m.overview.noLeader}</span>}</td>
          <td class="number">{p.epoch}</td>
          <td class="number">{count(p.plans)}</td>
          <td class="number">{p.overdue > 0 ? duration(p.overdue * 1000) : "–"}</td>
          <td class="number">{count(p.journal_sequence)}</td>
          <td class="number">{count(p.checkpoint)}</td>
        </tr>
      ))}
    </Table>
  );
}
