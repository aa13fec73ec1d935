import { expect } from 'chai'
import { ConfigError, loadConfig } from '../../src/config/config.ts'
import { METRICS } from '../../src/monitoring/metric-table.ts'
import { suiteHost } from '../support/for-test.ts'
import { startTestHost } from '../support/test-host.ts'

const TOKEN = 'metrics-token-0123456789abcdef-0123456789'
/** They come when something happened that has none here. */
const ABSENT_WITHOUT_CAUSE = new Set(['svc_certificate_expiry_timestamp_seconds'])

describe('the internal listener', () => {
  const host = suiteHost({ SVC_INTERNAL_PORT: '0', SVC_METRICS_TOKEN: TOKEN })

  const get = (path: string, token?: string, method = 'GET'): Promise<Response> =>
    fetch(`http://127.0.0.1:${host.host.internalPort}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })

  it('is off unless it has a port, and needs a token off loopback', async () => {
    const without = await startTestHost()
    expect(without.host.internalPort).to.equal(undefined)
    await without.stop()
    const outside = { SVC_INTERNAL_PORT: '9100', SVC_INTERNAL_HOST: '0.0.0.0' }
    expect(() => loadConfig(outside)).to.throw(
      ConfigError,
      'SVC_METRICS_TOKEN: must be set, since SVC_INTERNAL_HOST is not loopback',
    )
    expect(loadConfig({ ...outside, SVC_METRICS_TOKEN: TOKEN }).internalHost).to.equal('0.0.0.0')
  })

  it('shows metrics to the holder of the token, and health to everybody', async () => {
    for (const token of [undefined, 'wrong', `${TOKEN}x`, host.config.adminToken]) {
      const refused = await get('/metrics', token)
      expect(refused.status).to.equal(401)
      expect(refused.headers.get('www-authenticate')).to.equal('Bearer')
    }
    expect((await get('/metrics', TOKEN)).status).to.equal(200)
    for (const path of ['/health/live', '/health/ready']) {
      expect((await get(path)).status, path).to.equal(200)
    }
    for (const path of ['/instances', '/', '/auth/login', '/tls/ask/']) {
      expect((await get(path, TOKEN)).status, path).to.equal(404)
    }
    expect((await get('/metrics', TOKEN, 'POST')).status).to.equal(405)
  })

  it('says for which hosts a certificate may be had', async () => {
    const changed = await host.admin('PATCH', '/instances/alice.example.com', {
      aliases: ['alice.example.org'],
    })
    expect(changed.status).to.equal(200)
    await host.admin('POST', '/instances', { domain: 'blocked.example.com' })
    await host.admin('PATCH', '/instances/blocked.example.com', { blocked: true })
    const asked: [string, number][] = [
      ['alice.example.com', 200],
      ['ALICE.example.com', 200],
      ['alice.example.org', 200],
      ['settings.alice.example.com', 200],
      ['unknown.alice.example.com', 404],
      ['a.settings.alice.example.com', 404],
      ['blocked.example.com', 404],
      ['settings.blocked.example.com', 404],
      ['example.com', 404],
      ['', 404],
    ]
    for (const [domain, status] of asked) {
      const answer = await get(`/tls/ask?domain=${domain}`)
      expect(answer.status, domain).to.equal(status)
      expect(await answer.text(), domain).to.equal('')
    }
    expect((await get('/tls/ask')).status).to.equal(404)
  })

  it('has every metric of the table, and no label that names an owner', async () => {
    await get('/metrics', TOKEN)
    const { token } = await host.connect('io.svc.notes')
    const answer = await host.call(token, 'GET', '/data/io.svc.notes')
    expect(answer.status).to.equal(200)
    await host.host.app.ui.hashSharePassword('a password')
    host.host.app.settable.setSealingValues(new Map([['k1', 3]]))
    const text = await (await get('/metrics', TOKEN)).text()
    const shown = new Set([...text.matchAll(/^# TYPE (svc_\w+) (\w+)$/gm)].map(([, name]) => name))
    expect([...shown].toSorted()).to.deep.equal(Object.keys(METRICS).toSorted())
    for (const name of Object.keys(METRICS)) {
      if (ABSENT_WITHOUT_CAUSE.has(name) || name.endsWith('_total')) continue
      expect(text, name).to.match(new RegExp(`^${name}(?:_count)?(?:\\{.*\\})? `, 'm'))
    }
    expect(text).to.match(/^svc_audit_total\{event="consent\.given"\} 1$/m)
    expect(text).to.match(/^svc_hash_seconds_count [1-9]/m)
    expect(text).to.match(/^svc_instances [12]$/m)
    expect(text).to.match(/^svc_low_space 0$/m)
    expect(text).to.match(/^svc_mcp_grants 0$/m)
    expect(text).to.match(/^svc_sealing_values\{kid="k1"\} 3$/m)
    expect(text).to.match(/^svc_store_seconds_count\{operation="write"\} [1-9]/m)
    const labels = [...text.matchAll(/\{([^}]*)\}/g)].map(([, inside = '']) => inside).join('\n')
    for (const secret of ['example.com', 'alice', host.instance.id, '127.0.0.1', token]) {
      expect(labels, secret).to.not.include(secret)
    }
    expect(labels).to.not.match(/="\/[^"]*[0-9a-f]{16}/)
  })
})
