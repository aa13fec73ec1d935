/** Time that runs out, shown every second and said aloud now and then. */

const SECOND_MS = 1000
/** A voice that counted every second would be heard over everything else. */
const SAID_AT_S = [240, 180, 120, 60, 30, 10]

/**
 * @param {number} ms until the end, by the server's clock
 * @param {(leftS: number) => void} tick at once, and every second; `leftS` in seconds
 * @param {() => void} end
 * @returns {() => void} stops it
 */
export function countDown(ms, tick, end) {
  const endsAt = new Date().getTime() + ms
  const step = () => {
    const leftS = Math.ceil((endsAt - new Date().getTime()) / SECOND_MS)
    if (leftS > 0) {
      tick(leftS)
      return
    }
    clearInterval(timer)
    end()
  }
  const timer = setInterval(step, SECOND_MS)
  step()
  return () => clearInterval(timer)
}

/**
 * @param {number} leftS seconds
 * @returns {string} such as `4:05`
 */
export const clockText = (leftS) =>
  `${Math.floor(leftS / 60)}:${String(leftS % 60).padStart(2, '0')}`

/** @param {number} leftS seconds */
export const isSaid = (leftS) => SAID_AT_S.includes(leftS)
