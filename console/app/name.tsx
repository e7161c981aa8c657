import type { Api } from "./rest";
import { planPage } from "./route";
import { visible } from "./visible";

/** A text from outside, on one line. */
export const Text = ({ of }: { of?: string }) => <>{visible(of ?? "")}</>;

/** A name of two parts, which a narrow page breaks between them. A wbr would be a part of the link's name. */
export const Name = ({ of, id }: { of: string; id: string }) => <>{visible(of)}<span class="slash">/</span>{visible(id)}</>;

/** A plan's name, which leads to its page; known: the name of its HTTP job or queue. */
export function PlanLink({ station, id, known }: { station: string; id: string; known?: string }) {
  return (
    <>
      <a href={planPage(station, id)}><Name of={station} id={id} /></a>
      {known && <div class="known">{visible(known)}</div>}
    </>
  );
}

/** The name of the HTTP job that a run is of; undefined: it is of none. */
export function jobOf(run: Api["Result"]): string | undefined {
  const call = run.station === "http" ? (run.messages?.[0] as { name?: unknown } | null | undefined) : undefined;
  return typeof call?.name === "string" ? call.name : undefined;
}

/** Labels as name=value. */
export function Labels({ of }: { of?: Record<string, string> }) {
  return (
    <>
      {Object.entries(of ?? {}).map(([name, value]) => (
        <span class="label" key={name}>{visible(`${name}=${value}`)} </span>
      ))}
    </>
  );
}
