/** Reads a verdict from YAML or JSON, and finds the place where it stops making sense. */
import type { Fault, Verdict, Vote } from "./reviews.js";

type Parser = Pick<typeof import("yaml"), "LineCounter" | "isMap" | "isScalar" | "isSeq" | "parseAllDocuments" | "visit">;
type Node = import("yaml").Node | null;
type Severity = Verdict["issues"][number]["severity"];

const VOTES: Readonly<Record<string, Vote>> = { go: "GO", conditional: "CONDITIONAL", "no-go": "NO-GO", no_go: "NO-GO", nogo: "NO-GO" };

const SEVERITIES: Readonly<Record<string, Severity>> = { c: "C", h: "H", m: "M", l: "L" };

/** What is wrong with a part of a verdict. */
class Wrong extends Error {
  readonly node: Node;

  constructor(message: string, node: Node) {
    super(message);
    this.node = node;
  }
}

/** Reads a verdict. @internal */
export function verdictIn(text: string, format: "yaml" | "json", parser: Parser): { verdict: Verdict } | { fault: Fault } {
  const { inner, skipped } = unfenced(text);
  const lines = new parser.LineCounter();
  const faultAt = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    return { fault: { line: line + skipped, column: col, message } };
  };
  const documents = parser.parseAllDocuments(inner, { lineCounter: lines });
  const [document] = "empty" in documents ? [] : documents;
  const [error] = document?.errors ?? [];
  if (error) return faultAt(error.pos[0], firstLine(error.message));
  const root = document?.contents ?? null;
  if (format === "json" && !isJson(inner)) return faultAt(offsetOf(strange(root, parser) ?? root), "it is not JSON");
  try {
    return { verdict: new Reader(parser).verdict(root) };
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong;
    return faultAt(offsetOf(wrong.node ?? root), wrong.message);
  }
}

/** Takes a verdict in whatever of the known forms it comes. */
class Reader {
  readonly #parser: Parser;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  verdict(root: Node): Verdict {
    if (!this.#parser.isMap(root)) throw new Wrong("a verdict is a mapping with `p`, `v` and `i`", root);
    const part = (name: string) => (root.get(name, true) ?? null) as Node;
    return { persona: this.#persona(part("p")), vote: this.#vote(part("v")), issues: this.#issues(part("i")) };
  }

  #persona(node: Node): string {
    return node === null || this.#isNull(node) ? "" : this.#text(node, "`p` is the name of the reviewer");
  }

  #vote(node: Node): Vote {
    if (node === null) throw new Wrong("`v` is missing: GO, CONDITIONAL or NO-GO", node);
    const word = this.#text(node, "`v` is a vote: GO, CONDITIONAL or NO-GO");
    const vote = VOTES[word.trim().toLowerCase()];
    if (!vote) throw new Wrong(`\`${word}\` is not a vote: GO, CONDITIONAL or NO-GO`, node);
    return vote;
  }

  /** A list of `{C: text}` or of texts that begin with `C:`, or a map from severity to texts; none at all is no issue. */
  #issues(node: Node): Verdict["issues"] {
    const { isMap, isSeq } = this.#parser;
    if (node === null || this.#isNull(node)) return [];
    if (isSeq(node)) return node.items.flatMap((item) => this.#issues(item as Node));
    if (isMap(node)) {
      return node.items.flatMap(({ key, value }) => {
        const severity = severityOf(this.#text(key as Node, "an issue has a severity: C, H, M or L"), key as Node);
        return this.#texts(value as Node).map((text) => ({ severity, text }));
      });
    }
    const text = this.#text(node, "an issue is a text");
    const [, severity, issue] = /^([^:]*):([^]*)$/.exec(text) ?? [];
    if (severity === undefined || issue === undefined) throw new Wrong("an issue begins with its severity and a colon: C, H, M or L", node);
    return [{ severity: severityOf(severity, node), text: issue.trim() }];
  }

  #texts(node: Node): string[] {
    if (!this.#parser.isSeq(node)) return [this.#text(node, "an issue is a text")];
    return node.items.map((item) => this.#text(item as Node, "an issue is a text"));
  }

  #text(node: Node, expected: string): string {
    if (this.#parser.isScalar(node)) {
      const { value } = node;
      if (typeof value === "string") return value;
      if (typeof value === "number" || typeof value === "boolean") return node.source ?? String(value);
    }
    throw new Wrong(expected, node);
  }

  #isNull(node: Node): boolean {
    return this.#parser.isScalar(node) && node.value === null;
  }
}

function severityOf(word: string, node: Node): Severity {
  const severity = SEVERITIES[word.trim().toLowerCase()];
  if (!severity) throw new Wrong(`\`${word}\` is not a severity: C, H, M or L`, node);
  return severity;
}

function offsetOf(node: Node): number {
  return node?.range?.[0] ?? 0;
}

/** The text without the Markdown fence around it, and how many lines come before. */
function unfenced(text: string): { inner: string; skipped: number } {
  const fence = /^\s*```[^\n]*\n/.exec(text)?.[0];
  if (fence === undefined) return { inner: text, skipped: 0 };
  return { inner: text.slice(fence.length).replace(/```[^`]*$/, ""), skipped: fence.split("\n").length - 1 };
}

/** The first part that YAML knows and JSON does not. */
function strange(root: Node, { isMap, isSeq, isScalar, visit }: Parser): Node {
  let found: Node = null;
  visit(root, (_key, node) => {
    const isValue = isScalar(node) && (node.type === "QUOTE_DOUBLE" || (node.type === "PLAIN" && isJson(node.source ?? "")));
    const isFlow = (isMap(node) || isSeq(node)) && node.flow === true;
    if (isValue || isFlow || !(isScalar(node) || isMap(node) || isSeq(node))) return undefined;
    found = node;
    return visit.BREAK;
  });
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
}
