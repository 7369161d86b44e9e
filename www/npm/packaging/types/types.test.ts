/** What a compiler must accept, and what it must refuse. */
import { expectTypeOf } from "expect-type";
import init, {
  Board,
  CompletionDetector,
  DeferredTracker,
  Desk,
  EffectQueue,
  Rendezvous,
  SwitchboardError,
  TimedOutError,
  connect,
  connectAll,
  type AskOutcome,
  type Asked,
  type Duration,
  type ErrorCode,
  type Outcome,
  type AgentRequest,
  type DeskFigures,
  type DeskView,
  type RequestKey,
  type RequestView,
  type Review,
  type Session,
  type SessionKey,
  type SessionView,
  type LedgerStorage,
  type Timeline,
  type TurnReply,
  type Validated,
  type View,
} from "opencode-switchboard";
import { FileStorage, watchProcess, type Watched } from "opencode-switchboard/node";
import initSlim, { connect as connectSlim, connectAll as connectAllSlim } from "opencode-switchboard/slim";

expectTypeOf(connect).returns.resolves.toEqualTypeOf<Board>();
expectTypeOf(init).returns.resolves.toEqualTypeOf<void>();
expectTypeOf<Board>().toMatchTypeOf<AsyncDisposable>();
expectTypeOf<ReturnType<Board["views"]>>().toMatchTypeOf<AsyncIterable<View>>();
expectTypeOf<Board["requests"]>().returns.toEqualTypeOf<AgentRequest[]>();
expectTypeOf<AgentRequest["answer"]>().returns.resolves.toEqualTypeOf<Outcome>();
expectTypeOf<Board["createSession"]>().returns.resolves.toEqualTypeOf<Session>();
expectTypeOf<Session["prompt"]>().returns.resolves.toEqualTypeOf<TurnReply>();
expectTypeOf<Session["untilValid"]>().returns.resolves.toEqualTypeOf<Validated>();
expectTypeOf<Board["dispatch"]>().returns.resolves.toEqualTypeOf<Review>();
expectTypeOf<ReturnType<Session["timeline"]>>().toMatchTypeOf<AsyncIterable<Timeline>>();
expectTypeOf<Session["draft"]>().toBeString();
expectTypeOf<FileStorage>().toMatchTypeOf<LedgerStorage>();
expectTypeOf(watchProcess).returns.resolves.toEqualTypeOf<Watched>();
expectTypeOf(connectSlim).parameters.toEqualTypeOf<Parameters<typeof connect>>();
expectTypeOf(initSlim).parameter(0).not.toBeAny();
expectTypeOf(connectAll).returns.resolves.toEqualTypeOf<Desk>();
expectTypeOf(connectAllSlim).toEqualTypeOf<typeof connectAll>();
expectTypeOf<Desk>().toMatchTypeOf<AsyncDisposable>();
expectTypeOf<ReturnType<Desk["views"]>>().toMatchTypeOf<AsyncIterable<DeskView>>();
expectTypeOf<Desk["getSnapshot"]>().returns.toEqualTypeOf<DeskView>();
expectTypeOf<Desk["ready"]>().returns.resolves.toEqualTypeOf<SwitchboardError[]>();
expectTypeOf<Desk["board"]>().returns.toEqualTypeOf<Board>();
expectTypeOf<Desk["figures"]>().returns.toEqualTypeOf<DeskFigures>();
expectTypeOf<DeskView["requests"]>().toEqualTypeOf<readonly RequestView[]>();
for (const key of ["server", "id"] as const) {
  expectTypeOf<RequestView[typeof key]>().toBeString();
  expectTypeOf<SessionView[typeof key]>().toBeString();
}
expectTypeOf<AgentRequest | RequestView>().toMatchTypeOf<RequestKey>();
expectTypeOf<Session | SessionView>().toMatchTypeOf<SessionKey>();
expectTypeOf<SwitchboardError["server"]>().toEqualTypeOf<string | undefined>();
expectTypeOf<TimedOutError>().toMatchTypeOf<SwitchboardError>();
expectTypeOf<SwitchboardError["code"]>().toEqualTypeOf<ErrorCode>();
expectTypeOf<"TIMED_OT">().not.toMatchTypeOf<ErrorCode>();
expectTypeOf<Board["ready"]>().returns.resolves.toEqualTypeOf<void>();
expectTypeOf<TimedOutError["sent"]>().toEqualTypeOf<"yes" | "no" | "unknown" | undefined>();
expectTypeOf<"10m">().toMatchTypeOf<Duration>();
expectTypeOf<"10 minutes">().not.toMatchTypeOf<Duration>();

/** The example of the package, as people would write it. */
export async function example(password: string, directory: string, signal: AbortSignal): Promise<void> {
  await using board = await connect({ baseUrl: "http://127.0.0.1:4096", password, signal });
  const session = await board.createSession({ directory, title: "Parser" });
  const reply = await session.prompt("Refactor the parser", {
    signal,
    timeout: "10m",
    onQuestion: async (question) => [[question.questions[0]?.options[0]?.label ?? ""]],
    onPermission: async () => ({ reply: "once" }),
  });
  expectTypeOf(reply.text).toBeString();
  const outcome = await board.requests()[0]?.answer([["Blue"]], { signal });
  if (outcome?.kind === "confirmed") expectTypeOf(outcome.note).toEqualTypeOf<string | null>();
  await session.followUp("The tests fail", { timeout: "5m" });
  await session.untilValid("Make the tests pass", { check: "cargo test", rounds: 5, onRound: (round) => void round.check });
  await board.dispatch([{ directory, agent: "review", prompt: "Review it" }], { onVerdict: ({ verdict }) => void verdict?.vote });

  // @ts-expect-error a permission is no question
  await session.prompt("x", { onQuestion: async () => "once" });
  // @ts-expect-error a span has a known unit
  await session.prompt("x", { timeout: "10 minutes" });
  // @ts-expect-error no such option
  await session.prompt("x", { timeuot: "10m" });
  // @ts-expect-error an address is needed
  await connect({ password });

  await using both = await connectAll([{ name: "laptop", baseUrl: "http://127.0.0.1:4096", password }], { signal, requestTimeout: "never" });
  for (const request of both.view().requests) await both.answer(request, "once");
  await both.createSession({ server: "laptop", directory });
  // @ts-expect-error an id is of one server alone
  both.session({ id: "ses_1" });
  // @ts-expect-error a password is not for all
  await connectAll([{ baseUrl: "http://127.0.0.1:4096" }], { password });

  const tracker = new DeferredTracker<number>();
  expectTypeOf(tracker.register(["a", "b"])).toBeNumber();
  // @ts-expect-error results are numbers here
  tracker.settle("a", "one");
  const desk = new Rendezvous<{ text: string }, boolean>();
  expectTypeOf(desk.ask("deploy", { text: "Now?" }, { timeout: "never" })).resolves.toEqualTypeOf<AskOutcome<boolean>>();
  expectTypeOf(desk.waiting()).toEqualTypeOf<Asked<{ text: string }>[]>();
  // @ts-expect-error answers are yes or no here
  desk.answer("deploy", "yes");
  expectTypeOf(new EffectQueue<string>().submit({ poll: () => ({ status: "pending" }) }).id).toBeNumber();
  expectTypeOf(CompletionDetector.over(["p: x"])).resolves.toHaveProperty("by");
}
