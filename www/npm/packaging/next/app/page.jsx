"use client";

import { connect } from "opencode-switchboard";
import { useEffect } from "react";
import { report } from "../../app/report.js";

export default function Page() {
  useEffect(() => void report(() => connect), []);
  return <title>Packaging</title>;
}
