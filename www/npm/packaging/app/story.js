// @ts-check
/** What every project does with the package: one prompt, one question, one answer. */

/** A prompt that asks one question. */
export const SCRIPT = JSON.stringify({
  title: "Packaging",
  steps: [
    {
      tools: [
        {
          name: "question",
          input: {
            questions: [
              { question: "Which?", header: "Which", options: ["Red", "Blue"].map((label) => ({ label, description: "" })) },
            ],
          },
        },
      ],
    },
  ],
});

/**
 * @param {typeof import("opencode-switchboard").connect} connect
 * @param {{ baseUrl: string, directory: string }} place
 */
export async function tell(connect, { baseUrl, directory }) {
  const board = await connect({ baseUrl });
  try {
    const session = await board.createSession({ directory });
    const reply = await session.prompt(SCRIPT, { timeout: "2m", onQuestion: () => [["Blue"]] });
    return reply.text;
  } finally {
    await board.close();
  }
}
