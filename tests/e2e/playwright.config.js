// @ts-check
/** How the page is tested in a real Chromium. */
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: /\.spec\.js$/,
  outputDir: "../../target/e2e",
  // A server may take two minutes until it asks; the rest is the page's.
  timeout: 270_000,
  expect: { timeout: 30_000 },
  // A page that is broken altogether is told after some minutes, not after hours.
  maxFailures: 25,
  // Each has a browser and a server of its own.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  // Searches have a command of their own, `cargo xtask soak`, and tests under quarantine run apart.
  grepInvert: process.env.SWITCHBOARD_SOAK ? undefined : process.env.SWITCHBOARD_QUARANTINE ? /@soak/ : /@soak|@quarantine/,
  reporter: [["list"], ["./failures.js"]],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1400, height: 900 },
    // The calls and the network alone: pictures and copies of the page of each step cost a third of the time of the suite.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
      ],
    },
  },
});
