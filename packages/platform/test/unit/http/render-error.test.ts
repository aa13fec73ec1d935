import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Context } from 'koa'
import { describe, it } from 'mocha'
import type { RouteFamily, RouteRow } from '../../../src/http/route.ts'
import type { HttpError } from '../../../src/http/http-error.ts'
import { ask, serveRows, testRow } from './serve-rows.ts'

function throwing(family: RouteFamily, thrown: unknown): RouteRow {
  const handler: RouteRow['handler'] = (ctx) => {
    ctx.type = 'application/json'
    ctx.set('Location', 'https://elsewhere.example/?code=1')
    ctx.set('Set-Cookie', ['session=of-what-failed'])
    throw thrown
  }
  return testRow({ path: '/throw', handler, family })
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
  const cases: readonly (readonly [string, RouteFamily, unknown, number, unknown])[] = [
    ['a bare code', 'json', refusal('forbidden', 403), 403, { error: 'forbidden' }],
    ['a description', 'json', described, 400, { error: 'no state', code: 'invalid_request' }],
    ['a bare code', 'oauth', refusal('invalid_grant', 400), 400, { error: 'invalid_grant' }],
    [
      'a description',
      'oauth',
      described,
      400,
      { error: 'invalid_request', error_description: 'no state' },
    ],
    [
      'a description',
      'jsonapi',
      described,
      400,
      { errors: [{ status: '400', code: 'invalid_request', title: 'no state' }] },
    ],
    ['a detail, which stays here', 'json', invalidToken('x'), 401, { error: 'invalid_token' }],
    [
      'a missing permission',
      'json',
      refusal('insufficient_scope', 403),
      403,
      { error: 'insufficient_scope' },
    ],
    ['an unknown error', 'json', new Error('at line 3'), 500, { error: 'internal_error' }],
    ['a thrown text', 'oauth', 'text', 500, { error: 'internal_error' }],
  ]
  for (const [what, family, thrown, status, body] of cases) {
    it(`answers ${what} in family ${family}`, async () => {
      const answer = await ask([throwing(family, thrown)], '/throw')
      expect(answer.status).to.equal(status)
      expect(answer.headers['content-type']).to.equal(
        family === 'jsonapi' ? 'application/vnd.api+json' : 'application/json; charset=utf-8',
      )
      expect(JSON.parse(answer.body)).to.deep.equal(body)
      expect(answer.headers).not.to.have.any.keys('location', 'set-cookie')
    })
  }

  it('answers nothing in family empty, not even the text null', async () => {
    const answer = await ask([throwing('empty', refusal('forbidden', 403))], '/throw')
    expect(answer).to.include({ status: 403, body: '' })
    expect(answer.headers['content-type']).to.equal(undefined)
  })

  it('sends the headers of the error', async () => {
    const { headers } = await ask([throwing('json', invalidToken('x'))], '/throw')
    expect(headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
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

  const page = async (ctx: Context): Promise<void> => {
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = 'a page'
  }
  const accepts: readonly (readonly ['html' | 'html-jsonapi', string | undefined, boolean])[] = [
    ['html-jsonapi', 'text/html,application/xhtml+xml,*/*;q=0.8', true],
    ['html-jsonapi', 'application/json, text/html', true],
    ['html-jsonapi', undefined, false],
    ['html-jsonapi', '*/*', false],
    ['html-jsonapi', 'application/vnd.api+json', false],
    ['html-jsonapi', 'text/htmlx', false],
    ['html', undefined, true],
    ['html', '*/*', true],
    ['html', 'text/html,application/xhtml+xml,*/*;q=0.8', true],
    ['html', 'text/plain', true],
    ['html', 'text/html, application/json', true],
    ['html', 'application/json, text/html', false],
    ['html', 'application/json', false],
    ['html', 'application/json, */*', false],
    ['html', 'text/html;q=0.5, application/json', false],
    ['html', ';;,,', true],
  ]
  for (const [family, accept, isPage] of accepts) {
    it(`answers ${isPage ? 'a page' : 'JSON'} in family ${family} for Accept ${accept}`, async () => {
      const request = accept === undefined ? {} : { headers: { accept } }
      const rows = [throwing(family, described)]
      const answer = await ask(rows, '/throw', request, { environment: { page } })
      expect(answer.status).to.equal(400)
      const json =
        family === 'html' ? 'application/json; charset=utf-8' : 'application/vnd.api+json'
      expect(answer.headers['content-type']).to.equal(isPage ? 'text/html; charset=utf-8' : json)
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
