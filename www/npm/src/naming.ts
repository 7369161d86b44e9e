/** What servers are called, and which errors say it. */

const told = new WeakMap<object, string>();

/** Has the errors of a board say the name of its server. @internal */
export function tellName(board: object, name: string): void {
  told.set(board, name);
}

/** The name that the errors of a board say, as the options of an error; nothing of a board that was given none. @internal */
export function about(board: object | undefined): { server?: string } {
  const server = board && told.get(board);
  return server === undefined ? {} : { server };
}

/** What a server is called that was given no name: host, port and path of its address. None of the names that are taken. @internal */
export function nameOf(baseUrl: string, taken: ReadonlySet<string> = new Set()): string {
  const place = baseUrl.replace(/^https?:\/\//, "");
  let name = place;
  for (let number = 2; taken.has(name); number += 1) name = `${place} (${number})`;
  return name;
}
