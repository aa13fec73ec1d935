import type { Scenario } from '../group.ts'

const ELSEWHERE = 'https://elsewhere.contract.example'
const LARGE = 300_000

/** Looks at how answers are sent, and asks what nobody should ask. */
export const transport: Scenario = {
  id: 'web',
  needs: ['pages'],
  async run(world) {
    const { token, registration } = await world.endpoints()
    const stranger = world.browser()
    const preflight = (label: string, path: string, method: string) =>
      world.send(label, path, {
        method: 'OPTIONS',
        headers: { Origin: ELSEWHERE, 'Access-Control-Request-Method': method },
      })
    await stranger.visit('web.page', world.url('/auth/login'), { headers: { Origin: ELSEWHERE } })
    await Promise.all([
      preflight('web.preflight.login', '/auth/login', 'POST'),
      preflight('web.preflight.register', registration, 'POST'),
      preflight('web.preflight.app', '/auth/registerFromWebApp', 'POST'),
      world.send('web.method.login', '/auth/login', { method: 'PUT', json: {} }),
      world.send('web.method.token', token, { method: 'PUT', form: {} }),
      world.send('web.method.patch', '/auth/confirm', { method: 'PATCH', json: {} }),
      world.send('web.path.slash', '/auth/login/'),
      world.send('web.path.double', `${world.base.origin}//auth//login`),
      world.send('web.path.case', '/AUTH/login'),
      world.send('web.path.unknown', '/auth/no-such-page'),
      world.send('web.path.encoded', '/auth/%6cogin%00'),
      world.send('web.path.broken', '/auth/%ff%fe'),
      world.send('web.path.dots', '/auth/%2e%2e/%2e%2e/etc/passwd'),
      world.send('web.twice', '/auth/login?redirect=home&redirect=settings', {
        headers: { Accept: 'text/html' },
      }),
      world.send('web.query.broken', '/auth/login?redirect=%ff%fe', {
        headers: { Accept: 'text/html' },
      }),
      world.send('web.host', '/auth/login', { headers: { Host: 'nobody.contract.example' } }),
      world.send('web.large.form', token, {
        method: 'POST',
        form: { client_id: 'x', padding: 'x'.repeat(LARGE) },
      }),
      world.send('web.large.json', '/auth/session_code', {
        method: 'POST',
        json: { passphrase: 'x'.repeat(LARGE) },
      }),
      world.send('web.form.broken', token, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'client_id=%ff%fe&grant_type=%',
      }),
      world.send('web.json.null', '/auth/login/flagship', { method: 'POST', json: null }),
      world.send('web.json.list', '/auth/login/flagship', { method: 'POST', json: [1] }),
      world.send('web.json.deep', '/auth/login/flagship', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: `${'['.repeat(5000)}${']'.repeat(5000)}`,
      }),
      world.send('web.json.proto', '/auth/login/flagship', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"__proto__":{"passphrase":"x"},"constructor":{"prototype":{}}}',
      }),
      world.send('web.type', '/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: 'passphrase=x',
      }),
    ])
  },
}
