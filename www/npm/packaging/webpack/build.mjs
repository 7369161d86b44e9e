// @ts-check
import webpack from "webpack";

/** @param {string} out */
export default function (out) {
  return new Promise((resolve, reject) => {
    const entry = new URL("../app/page.js", import.meta.url).pathname;
    webpack({ mode: "production", entry, output: { path: out, filename: "main.js" }, performance: false }, (error, stats) => {
      const problem = error ?? (stats?.hasErrors() ? new Error(stats.toString("errors-only")) : null);
      if (problem) reject(problem);
      else resolve(undefined);
    });
  });
}
