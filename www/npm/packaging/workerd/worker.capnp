using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "story", worker = .story),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "story")],
);

const story :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "switchboard_bg.wasm", wasm = embed "switchboard_bg.wasm"),
  ],
  compatibilityDate = "2026-01-01",
);
