import { expect } from 'chai'
import {
  confirmed,
  type ConfirmationFields,
  type OwnerAt,
  ownerAt,
  shownFactors,
  startFactors,
} from '../support/factor-flows.ts'
import type { UiServer } from '../support/ui-server.ts'

const NOTHING = { confirmation_code: '', confirmation_state: '' }
const CHANGES: readonly [method: string, path: string, body?: object][] = [
  ['POST', '/settings/factors/totp'],
  ['DELETE', '/settings/factors/totp'],
  ['PUT', '/settings/factors/mail'],
  ['PUT', '/settings/factors/mail', { code: '123456' }],
  ['DELETE', '/settings/factors/mail'],
  ['POST', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/passkeys/x'],
]

describe('changes of the factors', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })
  afterEach(() => server.close())

  describe('without a fresh confirmation', () => {
    let theirs: Record<string, ConfirmationFields>
    beforeEach(async () => {
      const right = await confirmed(server)
      theirs = {
        nothing: NOTHING,
        'the code of another state': { ...right, confirmation_state: 'other' },
        'a made-up code': { ...right, confirmation_code: '0'.repeat(32) },
        'a code that went to another app': await confirmed(server, undefined, 'drive'),
        'a code that went home': await confirmed(server, undefined, ''),
      }
    })

    for (const [method, path, body = {}] of CHANGES) {
      it(`answers 403 to ${method} ${path} ${JSON.stringify(body)}`, async () => {
        const bare = await owner.call(method, path)
        expect(bare.status).to.equal(403)
        for (const [what, fields] of Object.entries(theirs)) {
          const answer = await owner.call(method, path, { ...fields, ...body })
          expect(answer.status, what).to.equal(403)
          expect(answer.text).to.include('confirmation_required')
        }
        expect(await shownFactors(owner)).to.deep.include({ auth_mode: 'basic', totp: null })
        await server.sentMails()
        expect(server.mails.map(({ template }) => template)).to.deep.equal([])
      })
    }

    it('takes no code after five minutes', async () => {
      const fields = await confirmed(server)
      server.clock.advance(300_001)
      expect((await owner.call('POST', '/settings/factors/totp', fields)).status).to.equal(403)
    })
  })

  for (const [method, path] of [...CHANGES, ['PUT', '/settings/factors/totp'] as const]) {
    it(`answers 400 to bodies of another shape: ${method} ${path}`, async () => {
      const fields = await confirmed(server)
      const bodies: readonly unknown[] = [
        [],
        'text',
        1,
        { ...fields, confirmation_code: [fields.confirmation_code] },
        { ...fields, confirmation_state: { toString: 'x' } },
        { ...fields, code: 123_456 },
        { ...fields, code: ['123456'] },
      ]
      for (const body of bodies) {
        const answer = await owner.call(method, path, body)
        // Members that an endpoint does not know are nobody's business.
        expect(answer.status, JSON.stringify(body)).to.be.oneOf(
          isAboutCode(body) && !hasCode(method, path) ? [200, 204, 404, 409] : [400],
        )
      }
    })
  }
})

function isAboutCode(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'code' in body
}

function hasCode(method: string, path: string): boolean {
  return method === 'PUT' || path === '/settings/factors/mail'
}
