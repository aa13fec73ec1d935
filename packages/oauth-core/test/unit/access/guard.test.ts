import type { ActivityLog } from '@svc/platform'
import { type Listening, listen } from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { OAuthError } from '../../../src/errors.ts'
import { type Verb, VERBS } from '../../../src/scopes/permission.ts'
import type { AccessContext } from '../../../src/access/access-context.ts'
import { guardRoute, type GuardRule } from '../../../src/access/guard.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
/** What was counted, of whom. */
const used: unknown[] = []
const ALICE = { id: 'alice' }
const activity: Pick<ActivityLog, 'used'> = {
  used: ({ id }, { of, what, type }) => used.push([id, of.id, what, type]),
}
const servers: Listening[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  used.splice(0)
})

async function ask(
  authenticate: () => Promise<AccessContext>,
  handler?: Koa.Middleware,
  rule: GuardRule = { verb: 'GET', type: 'io.svc.files' },
) {
  const app = new Koa()
  app.silent = true
  const reservedTypes = ['io.svc.account_types']
  app.use((ctx, next) => {
    ctx.state['instance'] = ALICE
    return next()
  })
  app.use(guardRoute(rule, { authenticate, log, activity, reservedTypes }))
  if (handler !== undefined) app.use(handler)
  const server = await listen(app)
  servers.push(server)
  const answer = await fetch(server.origin)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const CALLER: AccessContext = {
  kind: 'access',
  owner: 'x',
  permissions: [{ type: 'io.svc.files', verbs: ['GET'], values: ['one'] }],
  allows: () => false,
}

describe('guardRoute', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['get', 'io.svc.files'],
    ['HEAD', 'io.svc.files'],
    ['GET', 'io.svc.Files'],
    ['GET', 'io.svc.bank.*'],
    ['GET', '*'],
    ['GET', ''],
  ]
  it('refuses to guard what no request could be', () => {
    for (const [verb, type] of wrong) {
      const rule = { verb: verb as Verb, type }
      const guarding = () => guardRoute(rule, { authenticate: async () => CALLER, log, activity })
      expect(guarding, `${verb} ${type}`).to.throw(TypeError, 'guard:')
    }
  })

  it('refuses reserved types to everybody, maximal tokens included (connectors.md 3.3, number 1)', async () => {
    const everything: AccessContext = { ...CALLER, permissions: [{ type: '*', verbs: VERBS }] }
    for (const verb of VERBS) {
      const rule = { verb, type: 'io.svc.account_types' }
      const answer = await ask(async () => everything, undefined, rule)
      const what = verb === 'GET' ? 'unreadable' : 'unwritable'
      expect([answer.status, JSON.parse(answer.text)], verb).to.deep.equal([
        403,
        { error: `reserved doctype io.svc.account_types ${what}`, code: 'forbidden' },
      ])
      expect((await ask(async () => CALLER, undefined, rule)).text, verb).to.equal(answer.text)
    }
    const missing = await ask(() => Promise.reject(new OAuthError('missing_token')), undefined, {
      verb: 'GET',
      type: 'io.svc.account_types',
    })
    expect(missing.status).to.equal(401)
  })

  it('is not the one who answers what the handler throws', async () => {
    const answer = await ask(
      async () => CALLER,
      (ctx) => ctx.throw(418, 'teapot'),
    )
    expect(answer).to.include({ status: 418, text: 'teapot' })
  })

  it('answers 500 to anything else, without a word about it', async () => {
    const answer = await ask(() => Promise.reject(new Error('secret')))
    expect(answer).to.include({ status: 500, text: '{"error":"internal_error"}' })
  })
})
