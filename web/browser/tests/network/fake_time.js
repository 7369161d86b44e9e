// The browser's clocks and timers, moved by the test: a timer fires as soon as it can and moves the time by its delay.
export function replaceTime(wall, early) {
  const real = {
    dateNow: Date.now,
    performanceNow: performance.now,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout
  }
  let steady = 1000
  let left = early
  let next = 1
  const timers = new Set()
  const time = {
    delays: [],
    get pending() {
      return timers.size
    },
    setWall(to) {
      wall = to
    },
    pass(milliseconds) {
      steady += milliseconds
      wall += milliseconds
    },
    restore() {
      Date.now = real.dateNow
      performance.now = real.performanceNow
      globalThis.setTimeout = real.setTimeout
      globalThis.clearTimeout = real.clearTimeout
    }
  }
  Date.now = () => wall
  performance.now = () => steady
  globalThis.setTimeout = (callback, delay) => {
    const timer = next++
    timers.add(timer)
    time.delays.push(delay)
    queueMicrotask(() => {
      if (!timers.delete(timer)) return
      time.pass(delay - left)
      left = 0
      callback()
    })
    return timer
  }
  globalThis.clearTimeout = (timer) => void timers.delete(timer)
  return time
}
