// @ts-check
import { createRoot } from "react-dom/client";
import { reportClicks } from "../app/clicks.js";
import { Requests } from "./Requests.jsx";

reportClicks((board, place) => createRoot(place).render(<Requests board={board} />));
