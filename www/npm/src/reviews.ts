/** What reviewers say: verdicts in YAML or JSON, and what they add up to. */
import * as given from "./arguments.js";
import { InvalidArgumentError } from "./errors.js";
import { verdictIn } from "./verdict.js";

/** A vote. `CONDITIONAL` means: when what is named has been mended. */
export type Vote = "GO" | "CONDITIONAL" | "NO-GO";

/** What one reviewer says. */
export interface Verdict {
  /** The reviewer's role. */
  persona: string;
  vote: Vote;
  /** In the order in which they were said. Severities are critical, high, medium and low. */
  issues: { severity: "C" | "H" | "M" | "L"; text: string }[];
}

/** Where a text stops making sense: line and column from 1. */
export interface Fault {
  line: number;
  column: number;
  message: string;
}

/** A verdict, or where its text stops making sense. The text is as it was written. */
export type ReadVerdict =
  | { text: string; verdict: Verdict; fault: null }
  | { text: string; verdict: null; fault: Fault };

/** What the votes of all reviewers add up to. */
export interface Tally {
  /** The strictest vote; `null` while nobody has voted. */
  vote: Vote | null;
  go: number;
  conditional: number;
  noGo: number;
  /** Who gave no verdict that could be read. Silence is no vote. */
  silent: number;
  issues: { C: number; H: number; M: number; L: number };
}

/** How a verdict is written. */
export interface VerdictOptions {
  /** Defaults to `yaml`, of which JSON is a part. */
  format?: "yaml" | "json" | undefined;
}

const VERDICT: given.Known<VerdictOptions> = { format: true };

/**
 * Reads a verdict: `p:` the persona, `v:` the vote, `i:` the issues with their severities. A Markdown fence around it is no
 * part of it. The parser is loaded when it is first needed.
 */
export async function readVerdict(text: string, options: VerdictOptions = {}): Promise<ReadVerdict> {
  given.text(text, "readVerdict: text");
  const { format } = given.known(options, "readVerdict", VERDICT);
  if (format !== undefined && format !== "yaml" && format !== "json") {
    throw new InvalidArgumentError('readVerdict: format must be "yaml" or "json"');
  }
  const parser = await import("../vendor/yaml.js");
  const read = verdictIn(text, format ?? "yaml", parser);
  return "fault" in read ? { text, verdict: null, fault: read.fault } : { text, verdict: read.verdict, fault: null };
}

/** The strictest first. */
const VOTES: readonly Vote[] = ["NO-GO", "CONDITIONAL", "GO"];

/** Adds up verdicts; `null` is a reviewer who gave none that could be read. */
export function tallyOf(verdicts: readonly (Verdict | null)[]): Tally {
  const votes = { GO: 0, CONDITIONAL: 0, "NO-GO": 0 };
  const issues = { C: 0, H: 0, M: 0, L: 0 };
  let silent = 0;
  for (const verdict of verdicts) {
    if (verdict && isReadable(verdict)) {
      votes[verdict.vote] += 1;
      for (const { severity } of verdict.issues) issues[severity] += 1;
    } else {
      silent += 1;
    }
  }
  const vote = VOTES.find((vote) => votes[vote] > 0) ?? null;
  return { vote, go: votes.GO, conditional: votes.CONDITIONAL, noGo: votes["NO-GO"], silent, issues };
}

/** Who calls this may have made the verdict without the compiler's help. */
function isReadable({ vote, issues }: Verdict): boolean {
  return VOTES.includes(vote) && issues.every(({ severity }) => ["C", "H", "M", "L"].includes(severity));
}
