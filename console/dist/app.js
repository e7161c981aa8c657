document.body.append(Object.assign(document.createElement("main"), { textContent: "The console is not built yet." }));
