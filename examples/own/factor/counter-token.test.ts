import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { createAuthUi } from '@svc/auth-ui'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { counterToken, hotp } from './counter-token.ts'

const SECRET = Buffer.from('12345678901234567890')
/** RFC 4226, appendix D. */
const CODES = [
  '755224',
  '287082',
  '359152',
  '969429',
  '338314',
  '254676',
  '287922',
  '162583',
  '399871',
  '520489',
]

it('makes the codes of RFC 4226', () => {
  assert.deepEqual(
    CODES.map((_, counter) => hotp(SECRET, counter)),
    CODES,
  )
})

it('takes codes within the window, each once, and never goes back', () => {
  const state = JSON.stringify({ secret: SECRET.toString('base64'), counter: 0 })
  const skipped = counterToken.verify(state, CODES[3] ?? '', 0)
  assert.ok(skipped.result === 'right')
  for (const code of CODES.slice(0, 4)) {
    assert.deepEqual(counterToken.verify(skipped.state, code, 0), { result: 'wrong' })
  }
  assert.equal(counterToken.verify(skipped.state, CODES[4] ?? '', 0).result, 'right')
  assert.equal(counterToken.verify(state, hotp(SECRET, 9), 0).result, 'right')
  assert.equal(counterToken.verify(state, hotp(SECRET, 10), 0).result, 'wrong')
})

it('is a factor of the server', async () => {
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }] })
  const mailer = { send: async () => {} }
  const ui = createAuthUi({ oauth, mailer, factors: [counterToken] })
  assert.throws(
    () => createAuthUi({ oauth, mailer, factors: [counterToken, counterToken] }),
    /two factors named token/,
  )
  await ui.close()
  await oauth.close()
  await store.close()
})
