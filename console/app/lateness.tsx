import type { Api } from "./rest";
import { Fact } from "./fact";
import { count, say } from "./say";
import { Table } from "./table";
import { duration } from "./time";

/** The classes of lateness: below 1 ms, 2, 4 and so on; the last one has all others. */
const classes = 17;

/** The end of a class in milliseconds; of the last one its beginning. */
const bound = (i: number) => 2 ** Math.min(i, classes - 2);

/** How late executions began: a histogram, and a table of the same numbers. */
export function Lateness({ of }: { of?: Api["LatenessCounts"] }) {
  const m = say.value.overview;
  const name = (i: number) => (i < classes - 1 ? m.below : m.from)(duration(bound(i)));
  const buckets = of?.buckets ?? [];
  const highest = Math.max(1, ...buckets);
  const some = buckets.flatMap((n, i) => (n > 0 ? [{ i, n }] : []));
  const words = some.map(({ i, n }) => `${name(i)}: ${count(n)}`).join(", ");
  return (
    <section class="part">
      <h2>{m.lateness}</h2>
      <p class="about">{m.latenessAbout}</p>
      <div class="pictured">
        <div>
          <dl class="facts">
            <Fact name="p50">{of?.count ? duration(of.p50_ms) : "–"}</Fact>
            <Fact name="p99">{of?.count ? duration(of.p99_ms) : "–"}</Fact>
            <Fact name={m.longest}>{of?.count ? duration(of.max_ms) : "–"}</Fact>
          </dl>
          <div class="histogram" role="img" aria-label={m.latenessInWords(count(of?.count ?? 0), words || "0")}>
            {Array.from({ length: classes }, (_, i) => (
              <div key={i} class="column">
                {/* An element's own style is set by the script: the policy forbids styles in markup. */}
                <div class="room"><div class={buckets[i] ? "fill some" : "fill"} style={{ height: `${(100 * (buckets[i] ?? 0)) / highest}%` }} /></div>
                <span>{i < classes - 1 ? duration(bound(i)) : "…"}</span>
              </div>
            ))}
          </div>
        </div>
        <div>
          <Table name={m.lateness} columns={say.value.columns.lateness} figures={2} empty={some.length === 0 && <p class="about">{m.nothingBegan}</p>}>
            {some.map(({ i, n }) => (
              <tr key={i}><td>{name(i)}</td><td class="number">{count(n)}</td></tr>
            ))}
          </Table>
        </div>
      </div>
    </section>
  );
}
