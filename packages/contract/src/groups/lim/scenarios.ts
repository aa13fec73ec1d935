import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

/** More than any limit that is asked about. */
const MOST = 70

/** Reaches the limits of an instance that nobody else uses; the last thing that is done there. */
export const limits: Scenario = {
  id: 'lim',
  needs: ['passphrase', 'pages', 'apps', 'fresh'],
  exclusive: 'fresh',
  turn: 1,
  async run(world) {
    const fresh = await world.fresh()
    const owner = await fresh.owner()
    const client = await fresh.clients.shared('lim')
    await reach('lim.register', (label) =>
      fresh.send(label, '/auth/register', {
        method: 'POST',
        json: fresh.clients.metadata(),
      }),
    )
    await fresh.send('lim.register.read', client.managementUrl, {
      headers: { Authorization: `Bearer ${client.registrationToken}` },
    })
    await reach('lim.confirm', (label) =>
      fresh.send(label, '/auth/confirm/0123456789abcdef0123456789abcdef'),
    )
    await reach('lim.renew', (label) =>
      fresh.send(label, '/auth/passphrase_renew?token=0123456789abcdef0123456789abcdef'),
    )
    await wrongPassphrases(fresh)
    const form = await owner.visit('lim.known.form', fresh.url('/auth/confirm?state=lim'))
    await owner.submit('lim.known', form, await fresh.driver.passphraseFields(form))
    const elsewhere = world.browser()
    const other = await elsewhere.visit('lim.other.form', world.url('/auth/login'))
    const fields = await world.driver.passphraseFields(other)
    const made = world.journal.making('session', 'lim.other')
    await elsewhere.submit('lim.other', other, fields)
    await world.keepSession(made, elsewhere, 'lim.other.app')
    await world.send('lim.other.renew', '/auth/passphrase_renew?token=0123456789abcdef')
  },
}

async function wrongPassphrases(fresh: World): Promise<void> {
  const browser = fresh.browser()
  const page = await browser.visit('lim.login.form', fresh.url('/auth/login'))
  const wrong = await fresh.driver.passphraseFields(page, 'not the passphrase')
  const right = await fresh.driver.passphraseFields(page)
  await reach('lim.login', (label) =>
    browser.submit(label, page, wrong, { headers: { Accept: 'application/json' } }),
  )
  await browser.submit('lim.login.right', page, right)
  await browser.submit('lim.login.html', page, wrong)
  await fresh.send('lim.login.code', '/auth/session_code', { method: 'POST', json: right })
}

/** Asks again and again until a limit answers; the last answer has the label itself. */
async function reach(
  label: string,
  ask: (label: string) => Promise<{ readonly answer: { readonly status: number } }>,
): Promise<void> {
  for (let at = 1; at <= MOST; at++) {
    const { answer } = await ask(`${label}.try.${at}`)
    if (answer.status === 429) break
  }
  await ask(label)
}
