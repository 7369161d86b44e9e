/** What reviewers say: verdicts in YAML or JSON, and what they add up to. */
import * as given from "./arguments.js";
import { engine } from "./engine.js";

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

/** Where a text stops making sense: line and column from 1. A value that is no verdict's is told of the whole text. */
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

/**
 * Reads a verdict: `p:` the persona, `v:` the vote, `i:` the issues with their severities. A Markdown fence around it is no
 * part of it. The parser of YAML is loaded when it is first needed.
 */
export async function readVerdict(text: string, options: VerdictOptions = {}): Promise<ReadVerdict> {
  given.text(text, "readVerdict: text");
  const read = options.format === "json" ? { json: text } : await jsonOf(text);
  if ("fault" in read) return { text, verdict: null, fault: read.fault };
  const found = engine().readVerdict(read.json) as { verdict: Verdict | null; fault: Fault | null };
  if (found.verdict) return { text, verdict: found.verdict, fault: null };
  const fault = found.fault ?? { line: 1, column: 1, message: "it is no verdict" };
  return { text, verdict: null, fault: options.format === "json" ? fault : { ...fault, line: 1, column: 1 } };
}

/** Adds up verdicts; `null` is a reviewer who gave none that could be read. */
export function tallyOf(verdicts: readonly (Verdict | null)[]): Tally {
  const texts = verdicts.map((verdict) => (verdict ? JSON.stringify(written(verdict)) : ""));
  return engine().tally(texts) as Tally;
}

function written({ persona, vote, issues }: Verdict) {
  return { p: persona, v: vote, i: issues.map(({ severity, text }) => ({ [severity]: text })) };
}

/** A text in YAML as JSON, or where it is no YAML. */
async function jsonOf(text: string): Promise<{ json: string } | { fault: Fault }> {
  const { parseAllDocuments } = await import("../vendor/yaml.js");
  const fence = /^\s*```[^\n]*\n/.exec(text)?.[0];
  const inner = fence === undefined ? text : text.slice(fence.length).replace(/```[^`]*$/, "");
  const documents = parseAllDocuments(inner);
  const [document] = "empty" in documents ? [] : documents;
  const error = document?.errors[0];
  if (error) {
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
    const skipped = fence === undefined ? 0 : fence.split("\n").length - 1;
    const [message = "it is no YAML"] = error.message.split("\n");
    return { fault: { line: line + skipped, column: col, message } };
  }
  return { json: JSON.stringify(document?.toJS() ?? null) };
}
