// @ts-check
/** The form that names a server and signs in. */

/** The connect form. */
export class Connect {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.address = page.getByRole("textbox", { name: "Address of an OpenCode server" });
    this.user = page.getByRole("textbox", { name: "User", exact: true });
    this.password = page.getByLabel("Password", { exact: true });
    this.keep = page.getByRole("checkbox", { name: "Keep on this device" });
    this.stop = page.getByRole("button", { name: "Stop", exact: true });
    this.problem = page.getByTestId("connect-problem");
    this.button = page.getByRole("button", { name: /^Connect/ });
  }

  /**
   * @param {{ address?: string, user?: string, password?: string }} values
   */
  async submit({ address, user, password }) {
    if (address !== undefined) await this.address.fill(address);
    if (user !== undefined) await this.user.fill(user);
    if (password !== undefined) await this.password.fill(password);
    await this.button.click();
  }
}
