// @ts-check
/** The form that names a server and signs in. */

/** The connect form. */
export class Connect {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.address = page.getByLabel(/address/i);
    this.user = page.getByLabel(/user/i);
    this.password = page.getByLabel(/password/i);
    this.button = page.getByRole("button", { name: /^Connect/ });
    this.problem = page.getByTestId("connect-problem");
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
