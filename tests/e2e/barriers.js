// @ts-check
/** What axe finds in a state of the page. */
import { AxeBuilder } from "@axe-core/playwright";

const DESK = { width: 1400, height: 900 };
const PHONE = { width: 390, height: 844 };

/**
 * Everything that axe finds now, whatever its impact.
 *
 * @param {import("@playwright/test").Page} page
 * @returns {Promise<string[]>}
 */
export async function barriers(page) {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).options({ rules: { "target-size": { enabled: true } } }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`));
}

/**
 * The same, on a desk and on a phone, light and dark; the page is on a desk and light afterwards.
 *
 * @param {import("@playwright/test").Page} page
 * @returns {Promise<string[]>}
 */
export async function barriersEverywhere(page) {
  const found = [];
  for (const [size, colorScheme] of /** @type {const} */ ([[PHONE, "dark"], [PHONE, "light"], [DESK, "dark"], [DESK, "light"]])) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) found.push(`${size.width} px, ${colorScheme}: ${overflow} px too wide`);
    for (const barrier of await barriers(page)) found.push(`${size.width} px, ${colorScheme}: ${barrier}`);
  }
  return found;
}
