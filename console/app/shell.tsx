import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ended, hearAgain, lost, unheard } from "./rest";
import { lang, theme, tz } from "./prefs";
import { names, opened, pageOf, place } from "./route";
import { announced, say } from "./say";
import { loginPage, session } from "./session";
import { sections } from "./sections";
import { openSearch, Search } from "./search";
import { ShortcutHelp } from "./shortcuts";
import { localOf, shownZone } from "./time";
import { now, updates } from "./updates";

/** The frame of every page. */
export function Shell({ children }: { children: ComponentChildren }) {
  const m = say.value;
  const [menu, showMenu] = useState(false);
  useEffect(() => showMenu(false), [place.value]);
  useEffect(() => {
    const timer = setInterval(() => updates.due() && void hearAgain(), unheard);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <a class="skip" href="#main">{m.skipToContent}</a>
      <Banner menu={menu} showMenu={showMenu} />
      <div class="body">
        <Navigation shown={menu} />
        <main id="main" tabIndex={-1}>
          <Alerts />
          {children}
        </main>
      </div>
      <div class="toast" role="status">{announced.value && <p>{announced.value}</p>}</div>
      <Search />
      <ShortcutHelp />
    </>
  );
}

function Banner({ menu, showMenu }: { menu: boolean; showMenu: (shown: boolean) => void }) {
  const m = say.value;
  return (
    <header class="banner">
      <a class="brand" href={pageOf([])}>
        <Mark /> Stationmaster
      </a>
      <button type="button" class="menu" aria-expanded={menu} aria-controls="navigation" onClick={() => showMenu(!menu)}>{m.menu}</button>
      <button type="button" class="find" onClick={openSearch} aria-keyshortcuts="Control+K">
        {m.search}<kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <div class="settings">
        <Choice label={m.language} choice={lang} words={{ en: "English", zh: "中文" }} />
        <Choice label={m.theme} choice={theme} words={m.themes} />
        <Choice label={m.timeZone} choice={tz} words={m.zones} />
        <Clock />
        <button type="button" aria-pressed={updates.paused.value} onClick={updates.toggle}>{m.pauseUpdates}</button>
        {session.current.value?.login && session.current.value.role !== "" && (
          <button type="button" onClick={() => void session.logOut()}>{m.logOut}</button>
        )}
      </div>
    </header>
  );
}

/** The sign of the program: a track, a train on it, and the signal that it waits for. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <circle cx="12" cy="12" r="10" />
      <path d="M12 6v6l4 3" />
    </svg>
  );
}

interface Choosable {
  name: string;
  values: readonly string[];
  now: { value: string };
  choose(value: string): void;
}

function Choice({ label, choice, words }: { label: string; choice: Choosable; words: Record<string, string> }) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select name={choice.name} value={choice.now.value} onChange={(e) => choice.choose(e.currentTarget.value)}>
        {choice.values.map((v) => (
          <option key={v} value={v}>{words[v]}</option>
        ))}
      </select>
    </label>
  );
}

/** A clock in the chosen zone. */
function Clock() {
  const zone = shownZone();
  const l = localOf(now.value, zone);
  return (
    <span class="clock" title={zone}>{l.time.slice(0, 5)} <span class="offset">{l.offset}</span></span>
  );
}

function Navigation({ shown }: { shown: boolean }) {
  const m = say.value;
  return (
    <div class={shown ? "side shown" : "side"}>
      <nav id="navigation" aria-label={m.main}>
        <ul>
          {sections.map((s) => (
            <li key={s.name}>
              <a href={pageOf([...s.path])} aria-current={names.value[0] === s.path[0] || (s.also && names.value[0] === s.also) ? "page" : undefined}>{m.pages[s.name]}</a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function Alerts() {
  const m = say.value;
  const over = ended.value && names.value[0] !== "login";
  return (
    <>
      {lost.value && <p class="alert" role="alert">{m.connectionLost}</p>}
      {over && (
        <p class="alert" role="alert">
          {m.sessionEnded} <a href={loginPage()}>{m.logIn}</a>
        </p>
      )}
    </>
  );
}

/** A page: its name, the element beside it, and whether its first answer is still to come. */
export function Page({ title, busy, aside, children }: { title: string; busy?: boolean; aside?: ComponentChildren; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const turn = opened.value;
  useEffect(() => {
    document.title = `${title} · Stationmaster`;
  }, [title]);
  useEffect(() => {
    if (turn) heading.current?.focus({ preventScroll: true });
  }, [turn]);
  useLayoutEffect(() => {
    document.getElementById("main")!.setAttribute("aria-busy", String(!!busy && !lost.value));
  }, [busy, lost.value]);
  return (
    <>
      <div class="title">
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {aside}
      </div>
      {children}
    </>
  );
}
