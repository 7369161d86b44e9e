/** What uses the package wherever it runs. The oldest compiler that is promised takes it. */
import init, { connect, connectAll, type DeskView, type Updates, type View } from "opencode-switchboard";
import initSlim from "opencode-switchboard/slim";
import source from "opencode-switchboard/switchboard.wasm";

/** Returns the first view of a board. */
export async function firstView(signal: AbortSignal): Promise<View | undefined> {
  await init();
  await initSlim(source);
  await initSlim(new Uint8Array(1));
  await using board = await connect({ baseUrl: new URL("http://127.0.0.1:4096"), signal });
  const views: Updates<View> = board.views({ signal });
  for await (const view of views) return view;
  return undefined;
}

/** Returns the names of servers that do not answer. */
export async function silent(signal: AbortSignal): Promise<(string | undefined)[]> {
  await using desk = await connectAll([{ name: "laptop", baseUrl: "http://127.0.0.1:4096" }], { signal });
  const view: DeskView = desk.getSnapshot();
  for (const { server, id } of view.sessions) await desk.session({ server, id }).abort();
  return (await desk.ready()).map(({ server }) => server);
}
