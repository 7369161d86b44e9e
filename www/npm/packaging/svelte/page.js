// @ts-check
import { mount } from "svelte";
import { reportClicks } from "../app/clicks.js";
import Requests from "./Requests.svelte";

reportClicks((board, target) => mount(Requests, { target, props: { board } }));
