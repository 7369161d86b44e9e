/** Everything that waits for a person, and what one may say to it. */
import { useSyncExternalStore } from "react";

/** @param {{ board: import("opencode-switchboard").Board }} props */
export function Requests({ board }) {
  const view = useSyncExternalStore(board.subscribe, board.getSnapshot);
  const waiting = view.requests.filter(({ state }) => state.kind === "waiting");
  return (
    <ul>
      {waiting.map((request) => (
        <li key={request.id}>
          <Choices request={request} onChoose={(label) => board.answer(request.id, [[label]])} />
        </li>
      ))}
    </ul>
  );
}

/** @param {{ request: import("opencode-switchboard").RequestView, onChoose: (label: string) => void }} props */
function Choices({ request: { ask }, onChoose }) {
  if (ask.kind !== "questions") return null;
  const [question] = ask.questions;
  return (
    <>
      <p>{question.text}</p>
      {question.options.map(({ label }) => (
        <button key={label} onClick={() => onChoose(label)}>
          {label}
        </button>
      ))}
    </>
  );
}
