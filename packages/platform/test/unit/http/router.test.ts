import { expect } from 'chai'
import { describe, it } from 'mocha'
import { RequestError } from '../../../src/http/request-error.ts'
import type { RouteContext } from '../../../src/http/request-state.ts'
import type { RouteRow } from '../../../src/http/route.ts'
import { mountRoutes } from '../../../src/http/router.ts'
import { ask, serveRows, testRow as row } from './serve-rows.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('mountRoutes', () => {
  describe('what rows note', () => {
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const environment = { log, demandsActivity: true }
    const change = (fields: Partial<RouteRow> = {}) => row({ method: 'POST', ...fields })

    it('refuses a row that changes something and does not say it', () => {
      expect(() => mountRoutes([change()], environment)).to.throw(
        TypeError,
        'POST /auth/thing does not say what it notes',
      )
    })

    it('takes a row that names its event, or why it has none', () => {
      mountRoutes([row(), change({ activity: 'logout' })], environment)
      mountRoutes([change({ activity: { none: 'Nothing is stored.' } })], environment)
    })
  })

  describe('paths', () => {
    const rows = [row(), row({ path: '/auth/clients/:id' })]

    it('runs the row of the path', async () => {
      expect(await ask(rows, '/auth/thing')).to.include({ status: 200, body: 'done' })
    })

    it('does not know another spelling of it', async () => {
      const { send } = await serveRows(rows)
      for (const target of [
        '/AUTH/Thing',
        '/auth/thing/',
        '//auth/thing',
        '/%61uth/thing',
        '/auth/./thing',
        '/auth/x/../thing',
        '/auth/thing%00',
        '/auth/thing;a=1',
        '/auth/clients/',
        '/auth/clients/a/b',
      ]) {
        expect((await send(target)).status, target).to.equal(404)
      }
    })

    for (const [what, id] of [
      ['a control character', '%00'],
      ['a control character of the second set', 'a%C2%85'],
      ['600 characters', 'a'.repeat(600)],
      ['600 escaped characters', '%C3%A9'.repeat(600)],
      ['a malformed escape', '%zz'],
      ['an escape that is no UTF-8', '%ff'],
    ] as const) {
      it(`answers 404 in the family of the row to a parameter with ${what}`, async () => {
        const handler = () => {
          throw new Error('the handler ran')
        }
        const family = 'jsonapi'
        const { send } = await serveRows([row({ path: '/auth/:kind/:id', handler, family })])
        for (const target of [`/auth/clients/${id}`, `/auth/${id}/a`]) {
          const answer = await send(target)
          expect(answer.status).to.equal(404)
          expect(answer.headers).to.include({ 'cache-control': 'no-store' })
          expect(JSON.parse(answer.body).errors).to.have.length(1)
        }
      })
    }

    it('gives a parameter of 512 characters to the handler', async () => {
      expect((await ask(rows, `/auth/clients/${'%C3%A9'.repeat(512)}`)).status).to.equal(200)
    })

    it('keeps what nobody answers under the interface out of caches', async () => {
      expect((await ask(rows, '/auth/nothing')).headers['cache-control']).to.equal('no-store')
      expect((await ask(rows, '/authority')).headers['cache-control']).to.equal(undefined)
    })

    it('answers no path on an app host', async () => {
      const { send } = await serveRows([row({ cors: 'open' })], { appSlug: 'drive' })
      const answer = await send('/auth/thing', { headers: { origin: 'https://x.example' } })
      expect(answer.status).to.equal(404)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-'))).to.be.empty
    })
  })

  describe('methods', () => {
    it('answers 405 to HEAD on a row that refuses it, and does not run the row', async () => {
      let runs = 0
      const refusing = row({
        path: '/auth/things/:id',
        refusesHead: true,
        handler: (ctx) => {
          runs += 1
          ctx.body = 'done'
        },
      })
      const { send } = await serveRows([refusing])
      const answer = await send('/auth/things/1', { method: 'HEAD' })
      expect(answer.status).to.equal(405)
      expect(answer.headers['allow']).to.equal('GET')
      expect(runs).to.equal(0)
      expect((await send('/auth/things/1')).status).to.equal(200)
    })

    const rows = [row(), row({ method: 'POST', path: '/auth/thing' })]

    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      it(`answers 405 to ${method} with Allow`, async () => {
        const answer = await ask(rows, '/auth/thing', { method })
        expect(answer.status).to.equal(405)
        expect(answer.headers['allow']).to.equal('GET, HEAD, POST')
        expect(answer.headers['cache-control']).to.equal('no-store')
        expect(JSON.parse(answer.body)).to.deep.equal({ error: 'method_not_allowed' })
      })
    }

    it('knows no method of a parameter at a fixed name', async () => {
      const deletes = { method: 'DELETE' } as const
      const { send } = await serveRows([
        row(),
        row({ path: '/auth/:id', ...deletes }),
        row({ path: '/auth/:kind/start' }),
        row({ path: '/auth/:kind/:id', ...deletes }),
      ])
      for (const target of ['/auth/thing', '/auth/any/start']) {
        const answer = await send(target, deletes)
        expect(answer.status).to.equal(405)
        expect(answer.headers['allow']).to.equal('GET, HEAD')
      }
      expect((await send('/auth/other', deletes)).status).to.equal(200)
      expect((await send('/auth/any/other', deletes)).status).to.equal(200)
    })

    it('takes no method from a header', async () => {
      const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }
      expect((await ask(rows, '/auth/thing', { headers })).status).to.equal(200)
    })

    it('answers HEAD as GET, without body and without cookies', async () => {
      const { send } = await serveRows([
        row({
          handler: (ctx) => {
            ctx.set('Set-Cookie', 'a=1')
            ctx.body = 'done'
          },
        }),
      ])
      const answer = await send('/auth/thing', { method: 'HEAD' })
      expect(answer).to.include({ status: 200, body: '' })
      expect(answer.headers['set-cookie']).to.equal(undefined)
      expect((await send('/auth/thing')).headers['set-cookie']).to.deep.equal(['a=1'])
    })
  })

  it('sends the headers of every answer, errors included', async () => {
    const refusing = row({
      path: '/auth/no',
      handler: () => {
        throw new RequestError('not_found')
      },
    })
    for (const target of ['/auth/thing', '/auth/no']) {
      const { headers } = await ask([row(), refusing], target)
      expect(headers).to.include({
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        vary: 'Cookie, Accept',
      })
    }
  })

  describe('parameters', () => {
    const echo = row({
      method: 'POST',
      body: { types: ['form'], optional: true },
      handler: (ctx) => {
        ctx.body = { query: [...ctx.state.query.entries()], form: [...ctx.state.form.entries()] }
      },
    })

    it('keeps query and form apart', async () => {
      const request = { method: 'POST', headers: FORM, body: 'a=2' }
      expect(JSON.parse((await ask([echo], '/auth/thing?a=1', request)).body)).to.deep.equal({
        query: [['a', '1']],
        form: [['a', '2']],
      })
    })

    it('answers 400 to a duplicate and to what is malformed, in the query and in the form', async () => {
      for (const [target, body] of [
        ['/auth/thing?a=1&a=1', ''],
        ['/auth/thing', 'a=1&a=2'],
        ['/auth/thing?a=%', ''],
        ['/auth/thing', 'a=%zz'],
      ] as const) {
        const answer = await ask([echo], target, { method: 'POST', headers: FORM, body })
        expect(answer.status).to.equal(400)
        expect(JSON.parse(answer.body)).to.include({ code: 'invalid_request' })
      }
    })
  })

  describe('the CSRF rule', () => {
    const guarded = row({
      method: 'POST',
      body: { types: ['form'] },
      csrf: 'token',
      handler: () => {
        throw new Error('the handler ran')
      },
    })
    const refuse = (): never => {
      throw new RequestError('cross_origin')
    }

    it('comes before duplicates and before the handler', async () => {
      const { send, log } = await serveRows([guarded], { environment: { checkCsrf: refuse } })
      const request = { method: 'POST', headers: FORM, body: 'a=1&a=2' }
      expect((await send('/auth/thing?b=1&b=2', request)).status).to.equal(403)
      expect(log.filter(({ level }) => level === 'error')).to.be.empty
    })

    it('sees the form', async () => {
      const seen: string[] = []
      const checkCsrf = (ctx: unknown): void => {
        // The router calls it with its own context.
        seen.push((ctx as RouteContext).state.form.text('csrf_token'))
        refuse()
      }
      const { send } = await serveRows([guarded], { environment: { checkCsrf } })
      await send('/auth/thing', { method: 'POST', headers: FORM, body: 'csrf_token=x' })
      expect(seen).to.deep.equal(['x'])
    })

    it('cannot be declared without anybody to check it', () => {
      const log = { info: () => {}, warn: () => {}, error: () => {} }
      expect(() => mountRoutes([guarded], { log })).to.throw(TypeError, 'POST /auth/thing')
    })
  })

  describe('middleware of a row', () => {
    it('runs in order, before the body is read', async () => {
      const order: string[] = []
      const step = (name: string) => async (_: unknown, next: () => Promise<void>) => {
        order.push(name)
        await next()
      }
      const { send } = await serveRows([
        row({
          method: 'POST',
          body: { types: ['form'] },
          use: [step('first'), step('second')],
          handler: (ctx) => {
            order.push(`form ${ctx.state.form.text('a')}`)
            ctx.body = ''
          },
        }),
      ])
      await send('/auth/thing', { method: 'POST', headers: FORM, body: 'a=1' })
      expect(order).to.deep.equal(['first', 'second', 'form 1'])
    })
  })
})
