// @ts-check
/**
 * What the tabs of a browser have shown as notifications, counted on their icon and played, and whether a person looks at them.
 *
 * The system's notifications cannot be seen from here, so each tab wraps the browser's own constructor: the notification
 * is real, and what is constructed, closed and asked for is recorded beside it. So are the tones and the badge. Chromium takes every tab of a test for the
 * one that a person looks at, so a tab is told when it is not.
 */

/**
 * @typedef {{ title: string, body: string, tag: string, isShown: boolean }} Told
 */

/** The notifications of all tabs of a browser, the earliest first. */
export class Notifications {
  /** @type {Told[]} */
  told = [];
  /** How often a tab has asked for the permission. */
  asked = 0;
  /** What the icon of the page counts. */
  badge = 0;
  /** How many tones were begun. */
  tones = 0;

  /**
   * Records what happens in the tabs that are opened from now on.
   *
   * @param {import("@playwright/test").BrowserContext} context
   */
  static async recorded(context) {
    const notifications = new Notifications();
    await context.exposeFunction("onNotificationAsked", () => notifications.asked++);
    await context.exposeFunction("onBadge", (/** @type {number} */ count) => (notifications.badge = count));
    await context.exposeFunction("onTone", () => notifications.tones++);
    await context.exposeFunction("onNotificationShown", (/** @type {string} */ title, /** @type {string} */ body, /** @type {string} */ tag) => {
      notifications.told.push({ title, body, tag, isShown: true });
    });
    await context.exposeFunction("onNotificationClosed", (/** @type {string} */ tag) => {
      for (const told of notifications.told) if (told.tag === tag) told.isShown = false;
    });
    await context.addInitScript(() => {
      const page = /** @type {any} */ (globalThis);
      page.notificationsOfTab = [];
      Object.assign(navigator, { setAppBadge: page.onBadge });
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function (when) {
        page.onTone();
        start.call(this, when);
      };
      page.Notification = class extends Notification {
        /**
         * @param {string} title
         * @param {NotificationOptions} [options]
         */
        constructor(title, options) {
          super(title, options);
          page.notificationsOfTab.push(this);
          page.onNotificationShown(title, options?.body, options?.tag);
        }

        close() {
          super.close();
          page.onNotificationClosed(this.tag);
        }

        static requestPermission() {
          page.onNotificationAsked();
          return super.requestPermission();
        }
      };
    });
    return notifications;
  }

  /** Those that are on the screen. */
  get shown() {
    return this.told.filter((told) => told.isShown);
  }
}

/**
 * Clicks on the latest notification of a tab.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function clickLatest(page) {
  await page.evaluate(() => /** @type {any} */ (globalThis).notificationsOfTab.at(-1).dispatchEvent(new Event("click")));
}

/**
 * Has the person look at something else than this tab, which is hidden then.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function lookAway(page) {
  await page.evaluate(() => {
    document.hasFocus = () => false;
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
    window.dispatchEvent(new Event("blur"));
  });
}

/**
 * Has the person look at this tab again.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function lookAt(page) {
  await page.evaluate(() => {
    document.hasFocus = () => true;
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "visible" });
    document.dispatchEvent(new Event("visibilitychange"));
    window.dispatchEvent(new Event("focus"));
  });
}
