import { Refusal } from "./rest";
import { announce, say } from "./say";
import { visible } from "./visible";

/** A command that the reader may copy; name says which of several. */
export function Command({ children, name }: { children: string; name?: string }) {
  const m = say.value;
  const copy = async () => {
    await navigator.clipboard.writeText(children);
    announce(m.copied);
  };
  return (
    <div class="command">
      <pre tabIndex={0}><code>{children}</code></pre>
      {navigator.clipboard && <button type="button" onClick={() => void copy()} aria-label={m.copyThis(name)}>{m.copy}</button>}
    </div>
  );
}

/** Three ways to serve a station: any program, by the client of NATS, in Go. */
export function FirstWorker({ station }: { station: string }) {
  const name = /^[\w.-]+$/.test(station) ? station : "hello";
  return (
    <>
      <Command>{`stationmaster work --station ${name} -- echo hello`}</Command>
      <Command>{`nats reply station.${name} --queue ${name} '{"state":"ok"}'`}</Command>
      <Command>{`w, err := worker.New(nc, worker.Options{})\nw.Handle("${name}", "*", handler)\nerr = w.Run(ctx)`}</Command>
    </>
  );
}

/** A refusal of the server. */
export function Refused({ by }: { by: Refusal }) {
  return <p class="alert" role="alert">{visible(by.message)}</p>;
}

/** The text of an error, for the live region. */
export const problemText = (e: unknown) => (e instanceof Refusal ? visible(e.message) : say.value.connectionLost);
