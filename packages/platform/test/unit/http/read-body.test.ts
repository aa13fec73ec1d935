import type http from 'node:http'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { BodyRule, RouteRow } from '../../../src/http/route.ts'
import { ask, type Send, testRow } from './serve-rows.ts'

const FORM = 'application/x-www-form-urlencoded'

function echo(body: BodyRule): RouteRow {
  const handler: RouteRow['handler'] = (ctx) => {
    const { json, form } = ctx.state
    ctx.body = { ...(json === undefined ? {} : { json }), form: [...form.entries()] }
  }
  return testRow({ method: 'POST', path: '/echo', handler, body, statuses: [200, 400, 413, 415] })
}

function post(
  type: string | undefined,
  body: string | Buffer,
  headers: http.OutgoingHttpHeaders = {},
): Send {
  return {
    method: 'POST',
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
    body,
  }
}

const sent = (text: string | Buffer, headers: http.OutgoingHttpHeaders = {}): Send =>
  post('application/json', text, headers)

describe('createBodyReader', () => {
  const both: BodyRule = { types: ['form', 'json'] }
  const optional: BodyRule = { ...both, optional: true }
  const untyped: BodyRule = { types: ['json'], withoutType: 'json' }
  const deep = `${'['.repeat(32)}${']'.repeat(32)}`

  const read: readonly (readonly [string, BodyRule, Send, object])[] = [
    ['a form', both, post(FORM, 'a=1'), { form: [['a', '1']] }],
    ['a form with a charset', both, post(`${FORM}; charset=UTF-8`, 'a=1'), { form: [['a', '1']] }],
    ['a form in raw UTF-8', both, post(FORM, 'a=€'), { form: [['a', '€']] }],
    ['an empty form', both, post(FORM, ''), { form: [] }],
    ['nested names as plain ones', both, post(FORM, 'a[b]=1'), { form: [['a[b]', '1']] }],
    [
      'long integers rounded',
      both,
      sent('{"a":17841405822304915}'),
      { json: { a: 17841405822304916 }, form: [] },
    ],
    ['JSON', both, sent('{"a":1}'), { json: { a: 1 }, form: [] }],
    [
      'JSON with a charset',
      both,
      post('application/json;charset=utf-8', '1'),
      { json: 1, form: [] },
    ],
    ['JSON null', both, sent('null'), { json: null, form: [] }],
    ['JSON:API', both, post('application/vnd.api+json', '[]'), { json: [], form: [] }],
    ['a type in capitals', both, post('Application/JSON', '2'), { json: 2, form: [] }],
    ['nothing, when that is allowed', optional, post(undefined, ''), { form: [] }],
    ['an empty JSON body, when that is allowed', optional, sent(''), { form: [] }],
    [
      'JSON whose type is not said, when that is allowed',
      untyped,
      post(undefined, '{"a":1}'),
      { json: { a: 1 }, form: [] },
    ],
    ['32 levels of JSON', both, sent(deep), { json: JSON.parse(deep), form: [] }],
  ]
  for (const [what, rule, request, expected] of read) {
    it(`reads ${what}`, async () => {
      const answer = await ask([echo(rule)], '/echo', request)
      expect(answer.status, answer.body).to.equal(200)
      expect(JSON.parse(answer.body)).to.deep.equal(expected)
    })
  }

  const form: BodyRule = { types: ['form'] }
  const json: BodyRule = { types: ['json'] }
  const refused: readonly (readonly [string, BodyRule, Send, number])[] = [
    ['no type', form, post(undefined, 'a=1'), 415],
    ['no body where one must be', form, post(undefined, ''), 415],
    ['JSON for a form', form, sent('{}'), 415],
    ['a form for JSON', json, post(FORM, 'a=1'), 415],
    ['plain text', both, post('text/plain', 'a=1'), 415],
    ['multipart', both, post('multipart/form-data; boundary=x', '--x--'), 415],
    ['a type that only begins like JSON', json, post('application/jsonp', '{}'), 415],
    ['gzip', json, sent('x', { 'content-encoding': 'gzip' }), 415],
    ['identity', json, sent('{}', { 'content-encoding': 'identity' }), 415],
    ['plain text where JSON may come without a type', untyped, post('text/plain', '{}'), 415],
    ['nothing at all where JSON may come without a type', untyped, post(undefined, ''), 400],
    ['text that is no JSON', json, sent('{'), 400],
    ['an empty body as JSON', json, sent(''), 400],
    ['a byte order mark', json, sent('\ufeff{}'), 400],
    ['invalid UTF-8', json, sent(Buffer.from([0x22, 0xff, 0x22])), 400],
    ['invalid UTF-8 in a form', form, post(FORM, Buffer.from([0x61, 0x3d, 0xff])), 400],
    ['33 levels', json, sent(`[${deep}]`), 400],
    ['30 000 levels', json, sent('['.repeat(30_000)), 400],
    ['65 537 bytes', json, sent(`"${'a'.repeat(65_535)}"`), 413],
    ['201 parameters', form, post(FORM, 'a&'.repeat(201)), 400],
    ['more than the row takes', { ...json, limitBytes: 10 }, sent('"1234567890"'), 413],
  ]
  for (const [what, rule, request, status] of refused) {
    it(`answers ${status} to ${what}`, async () => {
      expect((await ask([echo(rule)], '/echo', request)).status).to.equal(status)
    })
  }

  it('takes 65 536 bytes', async () => {
    const text = `"${'a'.repeat(65_534)}"`
    expect((await ask([echo(json)], '/echo', sent(text))).status).to.equal(200)
  })

  it('counts bytes, not what the length header says', async () => {
    const request = sent(`"${'a'.repeat(70_000)}"`, {
      'transfer-encoding': 'chunked',
    })
    const answer = await ask([echo(json)], '/echo', request)
    expect(answer.status).to.equal(413)
    expect(answer.headers['connection']).to.equal('close')
  })

  it('answers what the row says to another type', async () => {
    const wrongType = { status: 400, code: 'bad_content_type' }
    const answer = await ask([echo({ ...json, wrongType })], '/echo', post('text/plain', 'x'))
    expect(answer.status).to.equal(400)
    expect(JSON.parse(answer.body)).to.deep.equal({ error: 'bad_content_type' })
  })

  it('makes __proto__ a member like any other', async () => {
    const answer = await ask([echo(json)], '/echo', sent('{"__proto__":{"a":1}}'))
    expect(answer.body).to.equal('{"json":{"__proto__":{"a":1}},"form":[]}')
  })
})
