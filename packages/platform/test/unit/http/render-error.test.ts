import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Context } from 'koa'
import { describe, it } from 'mocha'
import type { RouteFamily, RouteRow } from '../../../src/http/route.ts'
import type { HttpError } from '../../../src/http/http-error.ts'
import { serveRows } from './serve-rows.ts'

function throwing(family: RouteFamily, thrown: unknown): RouteRow {
  return {
    method: 'GET',
    path: '/throw',
    handler: (ctx) => {
      ctx.type = 'application/json'
      ctx.set('Location', 'https://elsewhere.example/?code=1')
      ctx.set('Set-Cookie', ['session=of-what-failed'])
      throw thrown
    },
    auth: ['none'],
    statuses: [],
    family,
    summary: '',
    source: '',
  }
}

/** An error of some package: recognised by its shape. */
function refusal(code: string, status: number, more: Partial<HttpError> = {}): HttpError {
  return Object.assign(new Error(code), { code, status, expose: true, ...more })
}

function invalidToken(detail: string): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return refusal('invalid_token', 401, { detail, headers })
}

const described = refusal('invalid_request', 400, { description: 'no state' })

describe('renderError', () => {
  const cases: readonly (readonly [string, RouteFamily, unknown, number, string, unknown])[] = [
    [
      'a bare code',
      'json',
      refusal('forbidden', 403),
      403,
      'application/json; charset=utf-8',
      { error: 'forbidden' },
    ],
    [
      'a description',
      'json',
      described,
      400,
      'application/json; charset=utf-8',
      { error: 'no state', code: 'invalid_request' },
    ],
    [
      'a bare code',
      'oauth',
      refusal('invalid_grant', 400),
      400,
      'application/json; charset=utf-8',
      { error: 'invalid_grant' },
    ],
    [
      'a description',
      'oauth',
      described,
      400,
      'application/json; charset=utf-8',
      { error: 'invalid_request', error_description: 'no state' },
    ],
    [
      'a description',
      'jsonapi',
      described,
      400,
      'application/vnd.api+json',
      { errors: [{ status: '400', code: 'invalid_request', title: 'no state' }] },
    ],
    [
      'a detail, which stays here',
      'json',
      invalidToken('secret reason'),
      401,
      'application/json; charset=utf-8',
      { error: 'invalid_token' },
    ],
    [
      'a missing permission',
      'json',
      refusal('insufficient_scope', 403),
      403,
      'application/json; charset=utf-8',
      { error: 'insufficient_scope' },
    ],
    [
      'an unknown error',
      'json',
      new Error('at line 3'),
      500,
      'application/json; charset=utf-8',
      { error: 'internal_error' },
    ],
    [
      'a thrown text',
      'oauth',
      'text',
      500,
      'application/json; charset=utf-8',
      { error: 'internal_error' },
    ],
  ]
  for (const [what, family, thrown, status, type, body] of cases) {
    it(`answers ${what} in family ${family}`, async () => {
      const { send } = await serveRows([throwing(family, thrown)])
      const answer = await send('/throw')
      expect(answer.status).to.equal(status)
      expect(answer.headers['content-type']).to.equal(type)
      expect(JSON.parse(answer.body)).to.deep.equal(body)
      expect(answer.headers['location']).to.equal(undefined)
      expect(answer.headers['set-cookie']).to.equal(undefined)
    })
  }

  it('answers nothing in family empty, not even the text null', async () => {
    const { send } = await serveRows([throwing('empty', refusal('forbidden', 403))])
    const answer = await send('/throw')
    expect(answer).to.include({ status: 403, body: '' })
    expect(answer.headers['content-type']).to.equal(undefined)
  })

  it('sends the headers of the error', async () => {
    const { send } = await serveRows([throwing('json', invalidToken('x'))])
    expect((await send('/throw')).headers['www-authenticate']).to.equal(
      'Bearer error="invalid_token"',
    )
  })

  it('logs a crash under the id it answers', async () => {
    const { send, log } = await serveRows([throwing('json', new Error('boom'))])
    const id = (await send('/throw')).headers['x-request-id']
    expect(log[0]).to.include({ level: 'error', event: 'request.crashed' })
    expect(log[0]?.fields?.['request_id']).to.equal(id)
    expect(log[0]?.fields?.['cause']).to.include('boom')
  })

  it('logs of a crash or a failure nothing that was parsed or sent', async () => {
    let thrown: unknown
    try {
      JSON.parse('{"passphrase":hunter2}')
    } catch (error) {
      thrown = error
    }
    const failed = refusal('internal_error', 500, { cause: thrown })
    for (const error of [
      thrown,
      failed,
      Object.assign(new Error('no'), { body: 'hunter2' }),
      'hunter2',
    ]) {
      const { send, log } = await serveRows([throwing('json', error)])
      expect((await send('/throw')).status).to.equal(500)
      expect(log).to.have.length(1)
      expect(inspect(log, { depth: 10 })).to.not.include('hunter2')
    }
  })

  it('logs why something was refused', async () => {
    const { send, log } = await serveRows([throwing('json', invalidToken('bad signature'))])
    await send('/throw')
    expect(log[0]).to.deep.include({ level: 'info', event: 'request.refused' })
    expect(log[0]?.fields).to.include({ route: '/throw', status: 401, detail: 'bad signature' })
  })

  describe('in family html-jsonapi', () => {
    const accepts: readonly (readonly [string | undefined, boolean])[] = [
      ['text/html,application/xhtml+xml,*/*;q=0.8', true],
      ['application/json, text/html', true],
      [undefined, false],
      ['*/*', false],
      ['application/vnd.api+json', false],
      ['text/htmlx', false],
    ]
    for (const [accept, isPage] of accepts) {
      it(`answers ${isPage ? 'a page' : 'JSON:API'} for Accept ${accept}`, async () => {
        const page = async (ctx: Context): Promise<void> => {
          ctx.type = 'text/html; charset=utf-8'
          ctx.body = 'a page'
        }
        const row = throwing('html-jsonapi', described)
        const { send } = await serveRows([row], { environment: { page } })
        const answer = await send('/throw', accept === undefined ? {} : { headers: { accept } })
        expect(answer.status).to.equal(400)
        expect(answer.headers['content-type']).to.equal(
          isPage ? 'text/html; charset=utf-8' : 'application/vnd.api+json',
        )
      })
    }
  })

  describe('in family html', () => {
    const page = async (ctx: Context, error: HttpError): Promise<void> => {
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = `<p>${error.description}</p>`
    }

    const accepts: readonly (readonly [string | undefined, boolean])[] = [
      [undefined, true],
      ['*/*', true],
      ['text/html,application/xhtml+xml,*/*;q=0.8', true],
      ['text/plain', true],
      ['text/html, application/json', true],
      ['application/json, text/html', false],
      ['application/json', false],
      ['application/json, */*', false],
      ['text/html;q=0.5, application/json', false],
      [';;,,', true],
    ]
    for (const [accept, isPage] of accepts) {
      it(`answers ${isPage ? 'a page' : 'JSON'} for Accept ${accept}`, async () => {
        const { send } = await serveRows([throwing('html', described)], { environment: { page } })
        const headers = accept === undefined ? {} : { accept }
        const answer = await send('/throw', { headers })
        expect(answer.status).to.equal(400)
        expect(answer.headers['content-type']).to.match(isPage ? /^text\/html/ : /json/)
      })
    }

    it('still answers when the page fails', async () => {
      const environment = { page: () => Promise.reject(new Error('no template')) }
      const { send, log } = await serveRows([throwing('html', described)], { environment })
      const answer = await send('/throw')
      expect(answer.status).to.equal(400)
      expect(JSON.parse(answer.body)).to.include({ code: 'invalid_request' })
      expect(log.map(({ event }) => event)).to.include('page.failed')
    })
  })
})
