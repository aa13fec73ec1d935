/** The page that waits for a free place: it goes on as soon as a client is removed, in whatever window. */
import { element } from './form.js'

const { token = '', namespace = '', next = '' } = element('#limit', HTMLElement).dataset

/** As often as the page is loaded again where no script runs. */
const LOOK_MS = 20_000

const goOn = () => location.replace(next)

/** Whatever page comes in the place of this one is the way on. */
async function look() {
  const answer = await fetch(next, { headers: { Accept: 'text/html' } }).catch(() => undefined)
  // Nobody is reached: the next look tells.
  if (answer === undefined || answer.status >= 500) return
  if (answer.redirected || !(await answer.text()).includes('id="limit"')) goOn()
}

/** Nothing is tried again when the connection ends: the page looks by itself anyway. */
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
    if (event === 'DELETED') goOn()
  })
}

setInterval(() => void look(), LOOK_MS)
if (token !== '') listen()
