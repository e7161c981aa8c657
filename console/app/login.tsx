import { useRef, useState } from "preact/hooks";
import { Command } from "./hint";
import { Refusal } from "./rest";
import { base, open, pageOf, param } from "./route";
import { say } from "./say";
import { session } from "./session";
import { Page } from "./shell";

/** The page for logging in with a token. */
export function Login() {
  const m = say.value;
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState("");
  const submit = async (e: SubmitEvent) => {
    e.preventDefault();
    setWrong("");
    try {
      await session.logIn(field.current!.value.trim());
      open(next());
    } catch (problem) {
      setWrong(problem instanceof Refusal ? (problem.status === 401 ? m.wrongToken : problem.message) : m.connectionLost);
      field.current!.focus();
      field.current!.select();
    }
  };
  return (
    <Page title={m.logIn}>
      {!isSecureContext && <Insecure />}
      <form class="login" aria-label={m.logIn} onSubmit={(e) => void submit(e)}>
        <label>
          <span>{m.token}</span>
          <input ref={field} name="token" type="password" autocomplete="current-password" required aria-invalid={wrong ? "true" : undefined} aria-describedby={wrong ? "wrong" : undefined} />
        </label>
        {wrong && <p id="wrong" class="alert" role="alert">{wrong}</p>}
        <button type="submit" class="primary">{m.logIn}</button>
      </form>
      <p class="about">{m.aboutTokens}</p>
    </Page>
  );
}

/** Why this page cannot keep a session, and the remedy: browsers send the header that a session needs by TLS and to this very machine alone. */
function Insecure() {
  const m = say.value;
  return (
    <div class="alert" role="note">
      <p>{m.insecure(location.host)}</p>
      <ul>
        <li>{m.insecureTls} <code>stationmaster serve --http-public-url https://HOST</code></li>
        <li>
          {m.insecureTunnel}
          <Command>{`ssh -L 8080:127.0.0.1:${location.port || "80"} ${location.hostname}`}</Command>
          <code>http://127.0.0.1:8080{base}/ui/</code>
        </li>
      </ul>
    </div>
  );
}

/** The page that led here, if it is one of the console. */
function next(): string {
  const wanted = param("next");
  const url = new URL(wanted || pageOf([]), location.href);
  const ours = url.origin === location.origin && url.pathname.startsWith(base + "/ui/") && wanted.startsWith("/");
  return ours ? url.pathname + url.search : pageOf([]);
}
