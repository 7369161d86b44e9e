// A server inside the page: requests to its addresses wait here until the test answers them.
const servers = new Map()
const realFetch = globalThis.fetch

export function open(base) {
  const server = { calls: [], waiting: [] }
  servers.set(base, server)
  globalThis.fetch = (url, init) => {
    const found = [...servers.entries()].find(([address]) => String(url).startsWith(address))
    return found ? arrive(found[0], found[1], String(url), init) : realFetch(url, init)
  }
  return server
}

function arrive(base, server, url, init) {
  return new Promise((resolve, reject) => {
    const call = { path: url.slice(base.length), init, resolve, reject, aborted: false }
    init.signal.addEventListener('abort', () => {
      call.aborted = true
      reject(init.signal.reason)
      try {
        call.stream?.error(init.signal.reason)
      } catch {
        // The stream has ended already.
      }
    })
    const waiting = server.waiting.shift()
    if (waiting) waiting(call)
    else server.calls.push(call)
  })
}

export function nextCall(server) {
  const call = server.calls.shift()
  return call ? Promise.resolve(call) : new Promise((resolve) => server.waiting.push(resolve))
}

export const path = (call) => call.path
export const option = (call, name) => String(call.init[name] ?? '')
export const header = (call, name) => call.init.headers.get(name) ?? undefined
export const isAborted = (call) => call.aborted
export const refuse = (call) => call.reject(new TypeError('Failed to fetch'))

export function begin(call, status, type, cursor) {
  const headers = new Headers({ 'content-type': type })
  if (cursor) headers.set('x-next-cursor', cursor)
  const body = status === 204 ? null : new ReadableStream({ start: (stream) => void (call.stream = stream) })
  call.resolve(new Response(body, { status, headers }))
}

export const push = (call, bytes) => call.stream.enqueue(bytes.slice())
export const end = (call) => call.stream?.close()
export const breakOff = (call) => call.stream.error(new TypeError('network error'))
