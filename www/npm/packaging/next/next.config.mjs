// @ts-check
import { fileURLToPath } from "node:url";

/** @type {import("next").NextConfig} */
export default {
  output: "export",
  // This project has its packages and its story in the folder above.
  turbopack: { root: fileURLToPath(new URL("../", import.meta.url)) },
};
