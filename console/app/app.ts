import { h, render } from "preact";
import { App } from "./app-pages";
import { followLinks } from "./route";
import { session } from "./session";
import { followKeys } from "./shortcuts";

followLinks();
followKeys();
void session.find().then(() => render(h(App, {}), document.body));
