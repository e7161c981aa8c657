import { planPage } from "./route";
import { visible } from "./visible";

/** A text from outside, on one line. */
export const Text = ({ of }: { of?: string }) => <>{visible(of ?? "")}</>;

/** A plan's name, which leads to its page. */
export function PlanLink({ station, id }: { station: string; id: string }) {
  return <a href={planPage(station, id)}>{visible(`${station}/${id}`)}</a>;
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
