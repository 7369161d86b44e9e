// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "./same-user.mjs";

const ROWS = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2 1
`;

test("the owner of a connection is found by its two ports", () => {
  assert.equal(ownerOf(ROWS, 50000, 8080), 1000);
  assert.equal(ownerOf(ROWS, 50001, 8080), null);
});
