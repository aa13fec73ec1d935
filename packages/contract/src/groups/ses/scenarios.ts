import type { Browser } from '../../drivers/browser.ts'
import type { Answered } from '../../model/evidence.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'
import { hostileTargets } from './targets.ts'

const CROSS = { Origin: 'https://evil.contract.example', 'Sec-Fetch-Site': 'cross-site' }

/** Asks for the form with targets that it must not lead to. */
export const redirects: Scenario = {
  id: 'ses.redirects',
  needs: ['passphrase', 'pages'],
  async run(world) {
    const owner = await world.owner()
    const stranger = world.browser()
    const login = (target: string): string =>
      world.url(`/auth/login?redirect=${encodeURIComponent(target)}`)
    await stranger.visit('ses.form', world.url('/auth/login'))
    await stranger.visit('ses.head', world.url('/auth/login'), { method: 'HEAD' })
    for (const [name, target] of hostileTargets(world.base.host)) {
      await stranger.visit(`ses.hostile.form.${name}`, login(target))
    }
    // A browser that is logged in would be sent on at once.
    await Promise.all(
      hostileTargets(world.base.host).map(([name, target]) =>
        owner.visit(`ses.hostile.owner.${name}`, login(target)),
      ),
    )
    await owner.visit('ses.owner', world.url('/auth/login'))
    if (!world.has('apps')) return
    const home = world.driver.appUrl(world.profile.apps?.home ?? 'home')
    await owner.visit('ses.owner.app', login(`${home}notes#part`))
    world.note('ses.home', home)
  },
}

/** Logs in and out, rightly and wrongly. */
export const login: Scenario = {
  id: 'ses.login',
  needs: ['passphrase', 'pages', 'apps'],
  exclusive: 'session',
  async run(world) {
    const browser = world.browser()
    const form = await browser.visit('ses.login.form', world.url('/auth/login'))
    const right = await world.driver.passphraseFields(form)
    const wrong = await world.driver.passphraseFields(form, `not ${world.random()}`)
    await browser.submit('ses.wrong', form, wrong)
    const [name = 'passphrase'] = Object.keys(right)
    await browser.submit('ses.empty', form, { [name]: '' })
    await browser.submit('ses.cross', form, right, { headers: CROSS })
    const hostile = { ...right, redirect: 'https://evil.contract.example/' }
    await browser.submit('ses.hostile.post', form, hostile)
    const first = await opened(world, 'ses.right', browser, () =>
      browser.submit('ses.right', form, right),
    )
    await leave(world, browser, first)
    const json = await browser.visit('ses.json.form', world.url('/auth/login'))
    const second = await opened(world, 'ses.json', browser, () =>
      browser.submit('ses.json', json, right, { headers: { Accept: 'application/json' } }),
    )
    const other = world.browser()
    const otherForm = await other.visit('ses.other.form', world.url('/auth/login'))
    await opened(world, 'ses.other', other, () => other.submit('ses.other', otherForm, right))
    await endOthers(world, browser, other, second)
  },
}

/** Opens sessions by codes. */
export const codes: Scenario = {
  id: 'ses.codes',
  needs: ['passphrase', 'pages', 'apps'],
  exclusive: 'session',
  async run(world) {
    const form = await world.browser().visit('ses.codes.form', world.url('/auth/login'))
    const [passphrase = ''] = Object.values(await world.driver.passphraseFields(form))
    const ask = (label: string, json: unknown) =>
      world.send(label, '/auth/session_code', { method: 'POST', json })
    await ask('ses.code.wrong', { passphrase: 'bm90IHRoZSByaWdodCBsb2dpbiB2YWx1ZQ==' })
    await world.send('ses.code.bearer', '/auth/session_code', {
      method: 'POST',
      headers: { Authorization: 'Bearer not-a-token' },
    })
    const answer = await ask('ses.code', { passphrase })
    const { session_code: code } = JSON.parse(answer.answer.body) as { session_code: string } // the answer that is shown
    world.secrets.learn('session_code', code)
    const client = await world.clients.shared('main')
    const url = await world.clients.authorizeUrl(
      client,
      { more: { session_code: code } },
      'c'.repeat(43),
    )
    await world.browser().visit('ses.code.head', url, { method: 'HEAD' })
    const browser = world.browser()
    await opened(world, 'ses.code.use', browser, () => browser.visit('ses.code.use', url))
    await browser.visit('ses.code.page', url.replace(/&session_code=[^&]*/, ''))
    await world.browser().visit('ses.code.again', url)
  },
}

/** Opens a session and writes down how it is ended. @returns the token of the home app, empty when none was opened */
async function opened(
  world: World,
  label: string,
  browser: Browser,
  open: () => Promise<Answered>,
): Promise<string> {
  const made = world.journal.making('session', label)
  await open()
  return world.keepSession(made, browser, `${label}.app`)
}

async function leave(world: World, browser: Browser, token: string): Promise<void> {
  const url = world.url('/auth/login')
  const end = (label: string, headers: Readonly<Record<string, string>> = {}) =>
    browser.visit(label, url, { method: 'DELETE', headers })
  await end('ses.leave.without')
  await end('ses.leave.broken', { Authorization: 'Bearer not-a-token' })
  await browser.visit('ses.leave.still', url)
  const old = await browser.clone()
  await end('ses.leave', { Authorization: `Bearer ${token}` })
  await browser.visit('ses.leave.after', url)
  await old.visit('ses.leave.old', url)
  await world.send('ses.leave.preflight', url, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://evil.contract.example',
      'Access-Control-Request-Method': 'DELETE',
    },
  })
}

async function endOthers(
  world: World,
  browser: Browser,
  other: Browser,
  token: string,
): Promise<void> {
  const url = world.url('/auth/login/others')
  await browser.visit('ses.others.without', url, { method: 'DELETE' })
  await other.visit('ses.others.before', world.url('/auth/login'))
  await browser.visit('ses.others.mine', world.url('/auth/login'))
  // Ending all others would end the owner's own ones: only what is refused is asked, and the other one ends itself.
  const wrong = { Authorization: `Bearer ${token}` }
  await other.visit('ses.others.foreign', url, { method: 'DELETE', headers: wrong })
  await browser.visit('ses.end', world.url('/auth/login'), { method: 'DELETE', headers: wrong })
}
