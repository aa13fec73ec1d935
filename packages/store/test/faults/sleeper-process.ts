/* Asks the store named by the first argument for a wake-up, and dies in its handler: by the test's hand. */
import { openStore } from '../open-store.ts'

const store = openStore(process.argv[2] ?? '')
await store.scheduler.process('nights', async ({ id }) => {
  console.log(`woken ${id}`)
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})
const when = Date.now() + 50
for (let n = 0; n < 5; n++) await store.scheduler.at('nights', `sleeper-${n}`, when + n)
console.log(`asked ${when}`)
// Due times alone keep no process alive.
setInterval(() => {}, 60_000)
