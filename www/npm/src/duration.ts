/** Spans of time as callers write them. */
import { InvalidArgumentError } from "./errors.js";

/** A span: milliseconds, or a number with its unit, such as `"250ms"`, `"90s"`, `"10m"`, `"2h"`. */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`;

/** The longest delay that timers know, in milliseconds. @internal */
export const DELAY_MAX = 2 ** 31 - 1;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Returns a span in milliseconds.
 *
 * @internal
 * @throws {@link InvalidArgumentError} when it is no span.
 */
export function milliseconds(span: Duration, name: string): number {
  const length = typeof span === "number" ? span : written(span);
  if (!Number.isFinite(length) || length < 0) throw new InvalidArgumentError(`${name} must be milliseconds, or a span such as "10m"`);
  return length;
}

function written(span: string): number {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(span) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}

/** The same for what need not be given. @internal */
export function span(given: Duration | undefined, name: string): number | undefined {
  return given === undefined ? undefined : milliseconds(given, name);
}

/** @internal */
export function timeOut(span: Duration | "never" | undefined, name: string): number | "never" | undefined {
  return span === undefined || span === "never" ? span : milliseconds(span, name);
}
