// @ts-check
/**
 * Starts the dashboard. Its files have names that change with their content; the page's preload links know them.
 */
try {
  const { default: start } = await import(address("boot-script"));
  await start({ module_or_path: address("boot-wasm") });
} catch (error) {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent = `Switchboard could not start. Reload the page; if that does not help, try a newer browser. (${error})`;
  document.body.append(notice);
  throw error;
}

/** @param {string} id */
function address(id) {
  const link = document.getElementById(id);
  if (!(link instanceof HTMLLinkElement)) throw new Error(`the page has no link with the id ${id}`);
  return link.href;
}
