/** The page that waits for a free place: it goes on as soon as a client is removed, in whatever window. */
import { element } from './form.js'

const { token = '', namespace = '', next = '' } = element('#limit', HTMLElement).dataset

/** Nothing is tried again when the connection ends: the page looks by itself every few seconds anyway. */
function listen() {
  const origin = location.origin.replace(/^http/u, 'ws')
  const socket = new WebSocket(`${origin}/realtime/`, [`${namespace}.websocket`])
  socket.addEventListener('open', () => {
    const type = `${namespace}.oauth.clients`
    socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type } }))
  })
  socket.addEventListener('message', ({ data }) => {
    // What comes is the instance's own; its shape is that of `realtime.md` 2.4.
    const { event } = /** @type {{ event: string }} */ (JSON.parse(String(data)))
    if (event === 'DELETED') location.replace(next)
  })
}

if (token !== '') listen()
