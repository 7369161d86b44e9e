/** What reviewers say: verdicts in YAML or JSON, and what they add up to. */
import * as given from "./arguments.js";
import { engine } from "./engine.js";
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

/** Adds up verdicts; `null` is a reviewer who gave none that could be read. */
export function tallyOf(verdicts: readonly (Verdict | null)[]): Tally {
  const texts = verdicts.map((verdict) => (verdict ? JSON.stringify(written(verdict)) : ""));
  return engine().tally(texts) as Tally;
}

function written({ persona, vote, issues }: Verdict) {
  return { p: persona, v: vote, i: issues.map(({ severity, text }) => ({ [severity]: text })) };
}
