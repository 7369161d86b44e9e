// @ts-check
/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, next) {
  const isPackage = /^[a-z]/.test(specifier) && !specifier.includes(":");
  return next(specifier, isPackage ? { ...context, parentURL: import.meta.url } : context);
}
