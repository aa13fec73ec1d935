/**
 * Changes in the instance as they happen, over its websocket. Delivery is at most once: whoever shows a list reads it
 * again after `onBack`, since nothing is repeated that was missed meanwhile.
 *
 * @typedef {{ type: string, id: string, doc?: Record<string, unknown> }} Change
 * @typedef {(verb: string, change: Change) => void} Listener
 * @typedef {{ type: string, id: string | undefined, listen: Listener }} Subscription
 */

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
/** A connection that held this long was a good one. */
const HELD_MS = 10_000
/**
 * No answer says that a subscription counts; it does by then. What changed between the first look after a connection and
 * this moment is seen at a second look.
 */
const SETTLED_MS = 1500
/** Closed for a reason that a fresh token can mend. */
const NEEDS_TOKEN = new Set(['authentication failed', 'authentication timeout', 'token expired'])

/**
 * @param {ReturnType<typeof import('./api.js').createApi>} api
 * @param {{ namespace: string }} options prefix of the instance's doctypes
 */
export function createRealtime(api, { namespace }) {
  /** @type {Set<Subscription>} */
  const subscriptions = new Set()
  /** @type {Set<(isOpen: boolean) => void>} */
  const watchers = new Set()
  /** @type {WebSocket | undefined} */
  let socket
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let failures = 0
  let openedAt = Infinity
  let isClosed = false

  /** @param {string} method @param {unknown} payload */
  const send = (method, payload) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ method, payload }))
  }
  /** @param {Subscription} subscription */
  const subscribe = ({ type, id }) => send('SUBSCRIBE', id === undefined ? { type } : { type, id })

  const connect = () => {
    clearTimeout(timer)
    timer = undefined
    const url = `${api.origin.replace(/^http/u, 'ws')}/realtime/`
    const opened = new WebSocket(url, [`${namespace}.websocket`])
    socket = opened
    opened.addEventListener('open', () => {
      openedAt = performance.now()
      // No answer comes to these: they are sent at once, one after the other.
      send('AUTH', api.token())
      for (const subscription of subscriptions) subscribe(subscription)
      for (const watch of watchers) watch(true)
      setTimeout(() => {
        if (socket === opened && opened.readyState === WebSocket.OPEN) {
          for (const watch of watchers) watch(true)
        }
      }, SETTLED_MS)
    })
    opened.addEventListener('message', ({ data }) => receive(String(data)))
    opened.addEventListener('close', ({ reason }) => {
      if (isClosed || socket !== opened) return
      for (const watch of watchers) watch(false)
      if (performance.now() - openedAt > HELD_MS) failures = 0
      openedAt = Infinity
      void reconnect(reason)
    })
  }

  /** @param {string} text */
  const receive = (text) => {
    // What comes is the instance's own; its shape is that of `realtime.md` 2.4.
    const { event, payload } = /** @type {{ event: string, payload: Change }} */ (JSON.parse(text))
    if (event === 'error') return
    for (const { type, id, listen } of subscriptions) {
      if (type === payload.type && (id === undefined || id === payload.id)) listen(event, payload)
    }
  }

  /** @param {string} reason */
  const reconnect = async (reason) => {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
    failures += 1
    // Not all at once after a restart of the server.
    const waitMs = longest * (0.5 + Math.random() / 2)
    timer = setTimeout(() => {
      const fresh = NEEDS_TOKEN.has(reason) ? api.renew() : Promise.resolve('')
      // Without a token the page is on its way to the login; without a network the next attempt tells.
      fresh.then(connect, () => reconnect(reason))
    }, waitMs)
  }

  // The socket outlives a token: the new one replaces it before the old one's end closes the connection.
  api.onToken((token) => send('AUTH', token))
  addEventListener('online', () => {
    if (timer !== undefined) connect()
  })

  return {
    /**
     * @param {{ type: string, id?: string }} wanted a whole doctype, or one document of it
     * @param {Listener} listen
     * @returns {() => void} ends it
     */
    subscribe({ type, id }, listen) {
      const subscription = { type, id, listen }
      subscriptions.add(subscription)
      if (socket === undefined) connect()
      else subscribe(subscription)
      return () => {
        subscriptions.delete(subscription)
        // A whole type is not taken back: that would end what others want of single documents, too.
        const isWanted = [...subscriptions].some((other) => other.type === type && other.id === id)
        if (!isWanted && id !== undefined) send('UNSUBSCRIBE', { type, id })
      }
    },
    /** Hears whether changes are being received; twice when they are again.  @param {(isOpen: boolean) => void} watch */
    watch(watch) {
      watchers.add(watch)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.close(1000)
    },
  }
}
