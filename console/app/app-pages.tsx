import { useEffect } from "preact/hooks";
import { AllRuns } from "./all-runs";
import { Callbacks } from "./callbacks";
import { Calendar } from "./calendar";
import { Cluster } from "./cluster";
import { Help, noHelp } from "./help";
import { Job } from "./job";
import { Jobs } from "./jobs";
import { Live } from "./live";
import { Login } from "./login";
import { Plan } from "./plan";
import { Plans } from "./plans";
import { EditPlan, NewPlan } from "./form";
import { Overview } from "./overview";
import { Queue, Unmerged } from "./queue";
import { Queues } from "./queues";
import { base, names, open, place } from "./route";
import { PeriodicTasks } from "./periodic";
import { PeriodicTask } from "./periodic-task";
import { Run } from "./run";
import { Station } from "./station";
import { Stations } from "./stations";
import { say } from "./say";
import { Timeline } from "./timeline";
import { loginPage, session } from "./session";
import { Page, Shell } from "./shell";
import { Task } from "./task";
import { TaskTypes } from "./task-types";
import { Tasks } from "./tasks";
import { Worker } from "./worker";
import { Workers } from "./workers";

/** The page of the present address. */
export function App() {
  return (
    <Shell>
      <Content />
    </Shell>
  );
}

function Content() {
  const path = names.value;
  const [section, a, b, c, d] = path;
  if (section === "login" && path.length === 1) return <Login />;
  if (!session.current.value || session.current.value.role === "") return <Elsewhere to={loginPage()} />;
  if (section === undefined) return <Overview />;
  if (section === "runs" && path.length === 1) return <AllRuns />;
  if (section === "timeline" && path.length === 1) return <Timeline />;
  if (section === "calendar" && path.length === 1) return <Calendar />;
  if (section === "stations" && path.length === 1) return <Stations />;
  if (section === "stations" && path.length === 2) return <Station key={a} name={a} />;
  if (section === "plans") {
    const key = `${a}/${b}/${d}`;
    if (path.length === 1) return <Plans />;
    if (path.length === 2 && a === "new") return <NewPlan key={place.value.search} />;
    if (path.length === 3) return <Plan key={key} station={a} id={b} />;
    if (path.length === 4 && c === "edit") return <EditPlan key={key} station={a} id={b} />;
    if (path.length === 5 && c === "runs") return <Run key={key} station={a} id={b} n={d} />;
  }
  if (section === "workers" && path.length === 1) return <Workers />;
  if (section === "workers" && path.length === 2) return <Worker key={a} id={a} />;
  if (section === "jobs" && path.length === 1) return <Jobs />;
  if (section === "jobs" && path.length === 2) return <Job key={a} id={a} />;
  if (section === "tasks" && path.length === 1) return <Tasks />;
  if (section === "tasks" && path.length === 3) return <Task key={`${a}/${b}`} type={a} id={b} />;
  if (section === "task-types" && path.length === 1) return <TaskTypes />;
  if (section === "queues" && path.length === 1) return <Queues />;
  if (section === "queues" && path.length === 2) return a.startsWith("-") ? <Unmerged key={a} name={a} /> : <Queue key={a} name={a} />;
  if (section === "periodic" && path.length === 1) return <PeriodicTasks />;
  if (section === "periodic" && path.length === 2) return <PeriodicTask key={a} id={a} />;
  if (section === "callbacks" && path.length === 1) return <Callbacks />;
  if (section === "cluster" && path.length === 1) return <Cluster />;
  if (section === "live" && path.length === 1) return <Live />;
  if (section === "help" && !noHelp()) return <Help />;
  return <NotFound />;
}

function Elsewhere({ to }: { to: string }) {
  useEffect(() => open(to, "replace"), [to]);
  return null;
}

function NotFound() {
  const m = say.value;
  return (
    <Page title={m.notFound}>
      <p>{m.noSuchPage}</p>
      <p><a href={base + "/ui/plans"}>{m.pages.plans}</a></p>
    </Page>
  );
}
