import { Refused } from "./hint";
import { eventKinds, Lines } from "./live";
import { restPath } from "./rest";
import { count, say } from "./say";
import { useSummaries } from "./summaries";

/** The events of a plan while its page is open, because events are not kept. */
export function Events({ station, id }: { station: string; id: string }) {
  const m = say.value;
  const [resource] = useSummaries(restPath(["events"], { summary: "1s", sample: "50", station, plan_id: id, kind: eventKinds }));
  const { refused, shown, leftOut, lines, busy } = resource.value;
  return (
    <section class="part" aria-busy={busy}>
      {refused && <Refused by={refused} />}
      <p class="about">{m.live.since(count(shown), count(leftOut))}</p>
      <Lines name={m.tabs.events} of={lines} />
      {lines.length === 0 && !busy && !refused && <div class="empty"><p>{m.live.nothing}</p></div>}
    </section>
  );
}
