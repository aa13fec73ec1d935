import type { Store } from '@svc/store'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { RequestError } from '../../../src/http/request-error.ts'
import {
  bindRoutes,
  defineRoute,
  type LimitOf,
  type Route,
} from '../../../src/http/define-route.ts'
import type { RouteContext } from '../../../src/http/request-state.ts'
import type { RouteRow } from '../../../src/http/route.ts'
import { anybody, requirement } from '../../../src/http/route-auth.ts'
import { bodySchema } from '../../../src/http/route-body.ts'
import { mountRoutes } from '../../../src/http/router.ts'
import { createRateLimits } from '../../../src/rate-limits.ts'
import { testInstance } from '../../support/test-instance.ts'
import { ask, serveRows } from './serve-rows.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const COMMON = {
  method: 'POST',
  path: '/auth/thing',
  statuses: [200],
  family: 'json',
  summary: '',
  source: '',
} as const

/** Routes that need nothing but the request. */
function bound(...routes: Route<void>[]): readonly RouteRow[] {
  return bindRoutes(routes, undefined)
}

const requireWord = requirement(['code'], function requireWord(ctx: RouteContext) {
  if (ctx.get('X-Word') !== 'friend') throw new RequestError('forbidden')
})

describe('auth of a row', () => {
  const rows = bound(
    defineRoute({
      ...COMMON,
      auth: requireWord,
      body: { types: ['json'], schema: bodySchema({ type: 'object' }) },
      handler: (ctx) => {
        ctx.body = 'in'
      },
    }),
  )

  it('passes whom the rule lets pass', async () => {
    const headers = { ...JSON_TYPE, 'x-word': 'friend' }
    const answer = await ask(rows, '/auth/thing', { method: 'POST', headers, body: '{}' })
    expect(answer).to.include({ status: 200, body: 'in' })
  })

  it('refuses before the type and the content of the body are looked at', async () => {
    const { send } = await serveRows(rows)
    for (const headers of [JSON_TYPE, { 'content-type': 'text/plain' }]) {
      const answer = await send('/auth/thing', { method: 'POST', headers, body: '{' })
      expect(answer.status).to.equal(403)
    }
  })
})

describe('body.schema of a row', () => {
  const schema = bodySchema<{ readonly name: string; readonly age?: string }>({
    type: 'object',
    properties: { name: { type: 'string', minLength: 1 }, age: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  })
  const echo = defineRoute({
    ...COMMON,
    auth: anybody,
    body: { types: ['form', 'json'], optional: true, schema },
    handler: (ctx) => {
      const name: string | undefined = ctx.state.body?.name
      ctx.body = name ?? 'nothing'
    },
  })

  async function post(route: Route<void>, headers: Record<string, string>, body: string) {
    const { send } = await serveRows(bound(route))
    return send('/auth/thing', { method: 'POST', headers, body })
  }

  it('types what it lets through, JSON and form alike', async () => {
    expect((await post(echo, JSON_TYPE, '{"name":"a"}')).body).to.equal('a')
    expect((await post(echo, FORM_TYPE, 'name=b&age=3')).body).to.equal('b')
  })

  it('leaves an absent optional body out', async () => {
    expect((await post(echo, {}, '')).body).to.equal('nothing')
  })

  for (const [what, headers, body] of [
    ['a missing member', JSON_TYPE, '{}'],
    ['null', JSON_TYPE, 'null'],
    ['another type', JSON_TYPE, '{"name":1}'],
    ['an unknown member', JSON_TYPE, '{"name":"a","nmae":"b"}'],
    ['an empty form', FORM_TYPE, ''],
    ['a field called __proto__', FORM_TYPE, 'name=a&__proto__=b'],
  ] as const) {
    it(`refuses ${what} with 400`, async () => {
      const answer = await post(echo, headers, body)
      expect(answer.status).to.equal(400)
      expect(JSON.parse(answer.body)).to.include({ code: 'invalid_request' })
    })
  }

  it('asks the row for the error, with every fault where it wants them', async () => {
    const seen: number[] = []
    const row = defineRoute({
      ...COMMON,
      auth: anybody,
      body: {
        types: ['json'],
        // A schema is compiled once, with one set of options.
        schema: bodySchema({ ...schema }),
        allFaults: true,
        refuse: (faults) => {
          seen.push(faults.length)
          return new RequestError('conflict')
        },
      },
      handler: () => {},
    })
    expect((await post(row, JSON_TYPE, '{"a":1,"b":2}')).status).to.equal(409)
    expect(seen).to.deep.equal([3])
  })
})

eachStore((open) => {
  describe('limit of a row', () => {
    let store: Store
    beforeEach(async () => {
      store = await open({})
    })

    function limits() {
      return createRateLimits({
        store,
        clock: { now: () => Date.now() },
        limits: { calls: { limit: 3, windowMs: 60_000 }, all: { limit: 100, windowMs: 60_000 } },
        tooMany: (_bucket, retryAfterS) =>
          new RequestError('too_many_requests', {
            headers: { 'Retry-After': String(retryAfterS) },
          }),
      })
    }

    /** What callers are answered, one after the other, by a row that counts this. */
    async function statusesOf(
      counts: LimitOf<void>['counts'],
      callers: readonly Readonly<Record<string, string>>[],
      counters = limits(),
    ): Promise<readonly number[]> {
      const { send } = await serveRows(limited(counts), { environment: { limits: counters } })
      const statuses: number[] = []
      for (const headers of callers) statuses.push((await send('/auth/thing', { headers })).status)
      return statuses
    }

    function limited(counts: LimitOf<void>['counts']): readonly RouteRow[] {
      const route = defineRoute<void, unknown>({
        ...COMMON,
        method: 'GET',
        auth: anybody,
        limit: [
          { bucket: 'all', counts },
          { bucket: 'calls', by: (ctx) => ctx.get('X-Caller'), counts },
        ],
        handler: (ctx) => {
          if (ctx.get('X-Wrong') !== '') throw new RequestError('forbidden')
          ctx.body = 'right'
        },
      })
      return bound(route)
    }

    it('counts requests, for each subject of its own', async () => {
      const callers = ['a', 'a', 'a', 'a', 'b'].map((caller) => ({ 'x-caller': caller }))
      expect(await statusesOf('requests', callers)).to.deep.equal([200, 200, 200, 429, 200])
    })

    it('counts refusals alone, and gives the others back', async () => {
      const callers = ['', '', '', '', 'x', 'x', 'x', '', 'x'].map((wrong) => ({
        'x-wrong': wrong,
      }))
      expect(await statusesOf('refusals', callers)).to.deep.equal([
        200, 200, 200, 200, 403, 403, 403, 429, 429,
      ])
    })

    it('counts the codes of a list alone', async () => {
      const wrong = Array.from({ length: 4 }, () => ({ 'x-wrong': 'x' }))
      expect((await statusesOf(['invalid_code'], wrong)).at(-1)).to.equal(403)
      expect((await statusesOf(['forbidden'], wrong)).at(-1)).to.equal(429)
    })

    it('lets no two parallel guesses share the last place', async () => {
      const environment = { limits: limits() }
      const { send } = await serveRows(limited('refusals'), { environment })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send('/auth/thing', { headers: { 'x-wrong': 'x' } })),
      )
      expect(answers.filter(({ status }) => status === 403)).to.have.length(3)
      expect(answers.filter(({ status }) => status === 429)).to.have.length(17)
    })

    it('takes nothing of other limits when one refuses', async () => {
      const counters = limits()
      const instance = testInstance()
      const environment = { limits: counters }
      const { send } = await serveRows(limited('requests'), { instance, environment })
      for (let i = 0; i < 10; i += 1) await send('/auth/thing')
      expect(await counters.count(instance, 'all')).to.equal(3)
    })
  })
})

describe('a limit that nobody counts', () => {
  it('is refused when the rows are mounted', () => {
    const limit = [{ bucket: 'calls', counts: 'requests' }] as const
    const row = defineRoute({ ...COMMON, auth: anybody, limit, handler: () => {} })
    const log = { info() {}, warn() {}, error() {} }
    expect(() => mountRoutes(bound(row), { log })).to.throw(TypeError, 'nobody counts')
  })
})
