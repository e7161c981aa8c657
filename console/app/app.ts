import { h, render } from "preact";
import { App } from "./app-pages";
import { keepFocus } from "./focus";
import { followLinks } from "./route";
import { session } from "./session";
import { followKeys } from "./shortcuts";

followLinks();
keepFocus();
followKeys();
void session.find().then(() => render(h(App, {}), document.body));
