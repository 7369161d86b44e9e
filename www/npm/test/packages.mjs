// @ts-check
/** Lets the built package find what it depends on, as it would where it is installed. */
import { register } from "node:module";

register("./resolve.mjs", import.meta.url);
