import type http from 'node:http'
import { createOutbound } from '@svc/platform'
import { defineOptions } from '@svc/platform/options'
import { listen, type Listening } from '@svc/testkit'
import { expect } from 'chai'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { createSmsChannel } from '../../src/channels/sms/sms-channel.ts'
import { createSmsSender } from '../../src/channels/sms/sms-sender.ts'
import {
  type OutgoingText,
  type SmsOptions,
  smsOptions,
  type SmsProvider,
} from '../../src/channels/sms/sms-options.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { openRenderBench, type RenderBench } from '../support/render-bench.ts'
import { type NotificationChanges, sampleNotification } from '../support/sample-notification.ts'

interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: unknown
}

interface Reply {
  readonly status: number
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
}

describe('notifications by sms (10.1)', () => {
  let bench: RenderBench
  let gateway: Listening
  let reply: Reply
  const received: Received[] = []
  const { lines, log } = recordedLog()

  beforeEach(async () => {
    bench = await openRenderBench()
    received.length = 0
    lines.length = 0
    reply = { status: 200 }
    gateway = await listen(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      received.push({
        method: request.method,
        path: request.url,
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      })
      response.writeHead(reply.status, reply.headers).end(reply.body)
    })
  })
  afterEach(async () => {
    await gateway.close()
    await bench.close()
  })

  const provider = (changes: Partial<SmsProvider> = {}): SmsProvider => ({
    provider: 'api_sen',
    url: `${gateway.origin}/send`,
    token: 'gateway-token',
    ...changes,
  })

  interface Attempting {
    readonly options?: SmsOptions
    readonly phone?: string | undefined
    readonly context?: string
    readonly signal?: AbortSignal
    readonly isUntrusted?: true
  }

  function attempt(
    changes: NotificationChanges = {},
    given: Attempting = {},
  ): Promise<ChannelOutcome> {
    const { options, phone, context, signal, isUntrusted } = {
      phone: '+33 6 12 34 56 78',
      ...given,
    }
    const services = { ...bench.services, clock: bench.oauth.clock, log }
    const channel = createSmsChannel(services, {
      sender: createSmsSender(services, {
        options: options ?? { default: provider() },
        outbound: createOutbound(isUntrusted ? {} : { trustedNetworks: ['127.0.0.0/8'] }),
      }),
      contacts: { contactOf: async () => (phone === undefined ? {} : { phone }) },
    })
    return channel.attempt({
      instance: context === undefined ? bench.alice : bench.instance({ context }),
      record: sampleNotification({ message: 'Your balance is low', ...changes }),
      signal: signal ?? new AbortController().signal,
    })
  }

  it('are one POST with the message and the number, and nothing else', async () => {
    expect(await attempt({ title: 'Title', data: { a: 1 } })).to.deep.equal({ class: 'sent' })
    expect(received).to.have.lengthOf(1)
    const [call] = received
    expect(call).to.include({ method: 'POST', path: '/send' })
    expect(call?.headers).to.include({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer gateway-token',
    })
    expect(call?.body).to.deep.equal({ content: 'Your balance is low', receiver: ['+33612345678'] })
  })

  it('have the members that the operator names, for the provider http', async () => {
    const fields = { content: 'text', receiver: 'to' }
    await attempt({}, { options: { default: provider({ provider: 'http', fields }) } })
    await attempt({}, { options: { default: provider({ provider: 'api_sen', fields }) } })
    expect(received.map(({ body }) => Object.keys(body as object))).to.deep.equal([
      ['text', 'to'],
      ['content', 'receiver'],
    ])
  })

  it('go to the provider of the context, else to the default one', async () => {
    const options = {
      default: provider({ url: `${gateway.origin}/default` }),
      contexts: { beta: provider({ url: `${gateway.origin}/beta`, token: 'beta-token' }) },
    }
    await attempt({}, { options })
    await attempt({}, { options, context: 'beta' })
    await attempt({}, { options, context: 'other' })
    await attempt({}, { options, context: 'toString' })
    expect(received.map(({ path }) => path)).to.deep.equal([
      '/default',
      '/beta',
      '/default',
      '/default',
    ])
    expect(received[1]?.headers.authorization).to.equal('Bearer beta-token')
  })

  it('fail as config without a provider for the context', async () => {
    const options = { contexts: { beta: provider() } }
    expect(await attempt({}, { options })).to.deep.equal({
      class: 'config',
      code: 'not_configured',
    })
    expect(received).to.have.lengthOf(0)
  })

  const numbers: readonly (readonly [what: string, phone: string | undefined, code: string])[] = [
    ['no number', undefined, 'no_phone'],
    ['an empty number', '  ', 'no_phone'],
    ['a number without its country', '06 12 34 56 78', 'bad_phone'],
    ['a country that begins with 0', '+0612345678', 'bad_phone'],
    ['two numbers', '+33612345678,+33687654321', 'bad_phone'],
  ]
  for (const [what, phone, code] of numbers) {
    it(`fail for good with ${what}`, async () => {
      expect(await attempt({}, { phone })).to.deep.equal({ class: 'permanent', code })
      expect(received).to.have.lengthOf(0)
    })
  }

  it('fail for good without words, whatever the title says', async () => {
    for (const message of ['', ' \n ', '\u0000\u0007']) {
      expect(await attempt({ message })).to.include({ class: 'permanent', code: 'no_message' })
    }
    expect(received).to.have.lengthOf(0)
  })

  it('are cut to the length of the provider, or left to the next channel', async () => {
    const message = 'x'.repeat(200)
    await attempt({ message })
    await attempt({ message }, { options: { default: provider({ overflow: 'split' }) } })
    const options = { default: provider({ overflow: 'fallback' as const }) }
    expect(await attempt({ message }, { options })).to.include({
      class: 'permanent',
      code: 'too_long',
    })
    expect(received.map(({ body }) => (body as { content: string }).content)).to.deep.equal([
      `${'x'.repeat(157)}...`,
      message,
    ])
  })

  it('have no control characters but line feeds and tabs', async () => {
    await attempt({ message: 'a\r\nb\u0000\u2028c\td"}' })
    expect(received[0]?.body).to.have.property('content', 'a\nbc\td"}')
  })

  const answers: readonly (readonly [reply: Reply, outcome: ChannelOutcome])[] = [
    [{ status: 200 }, { class: 'sent' }],
    [{ status: 202, body: '{"id":1}' }, { class: 'sent' }],
    [{ status: 204 }, { class: 'sent' }],
    [
      { status: 302, headers: { location: '/other' } },
      { class: 'config', code: 'http_302' },
    ],
    [{ status: 400 }, { class: 'permanent', code: 'http_400' }],
    [{ status: 401 }, { class: 'config', code: 'http_401' }],
    [{ status: 403 }, { class: 'config', code: 'http_403' }],
    [{ status: 404 }, { class: 'permanent', code: 'http_404' }],
    [{ status: 422 }, { class: 'permanent', code: 'http_422' }],
    [{ status: 429 }, { class: 'transient', code: 'http_429' }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { class: 'transient', code: 'http_429', retryAfterMs: 7000 },
    ],
    [{ status: 500 }, { class: 'transient', code: 'http_500' }],
    [
      { status: 503, headers: { 'retry-after': '90' } },
      { class: 'transient', code: 'http_503', retryAfterMs: 90_000 },
    ],
  ]
  for (const [answer, outcome] of answers) {
    const { status, headers } = answer
    it(`end as ${outcome.class} when the gateway answers ${status} ${JSON.stringify(headers ?? {})}`, async () => {
      reply = answer
      expect(await attempt()).to.deep.equal(outcome)
      expect(received).to.have.lengthOf(1)
    })
  }

  it('tell the log alone what the gateway says of them, without the number', async () => {
    const detail = 'number +33 6 12 34 56 78 (33612345678) is on no network\r\nfake line'
    reply = { status: 400, body: JSON.stringify({ type: 'invalid_receiver', detail }) }
    const outcome = await attempt()
    expect(JSON.stringify(outcome)).to.not.include('receiver')
    expect(lines).to.have.lengthOf(1)
    expect(lines[0]).to.include('warn notification.sms_refused')
    expect(lines[0]).to.include('invalid_receiver').and.to.include('is on no network fake line')
    expect(lines[0]).to.not.match(/34 ?56|gateway-token|balance/)
  })

  it('take no answer for more than it is', async () => {
    for (const body of ['null', '[]', '"x"', '{"type":{}}', 'no json', 'x'.repeat(60_000)]) {
      reply = { status: 400, body }
      expect(await attempt()).to.deep.equal({ class: 'permanent', code: 'http_400' })
    }
  })

  it('are sent once the gateway said so, however much it goes on to say', async () => {
    reply = { status: 200, body: 'x'.repeat(200_000) }
    expect(await attempt()).to.deep.equal({ class: 'sent' })
    reply = { status: 400, body: 'x'.repeat(200_000) }
    expect(await attempt()).to.include({ class: 'permanent' })
    reply = { status: 500, body: 'x'.repeat(200_000) }
    expect(await attempt()).to.include({ class: 'transient' })
    // It breaks off.
    reply = { status: 200, headers: { 'content-length': '100' }, body: 'x' }
    expect(await attempt()).to.deep.equal({ class: 'sent' })
  })

  it('are transient when the gateway is not there, or does not answer in time', async () => {
    expect(await attempt({}, { signal: AbortSignal.abort() })).to.include({ class: 'transient' })
    await gateway.close()
    expect(await attempt()).to.include({ class: 'transient', code: 'unreachable' })
    gateway = await listen((_, response) => response.end())
  })

  it('reach a gateway in an own network only when the operator trusts that', async () => {
    expect(await attempt({}, { isUntrusted: true })).to.include({ class: 'config' })
    expect(received).to.have.lengthOf(0)
  })

  it('go to the host’s own gateway where there is one', async () => {
    const sent: OutgoingText[] = []
    const own = {
      async send(message: OutgoingText): Promise<ChannelOutcome> {
        sent.push(message)
        return { class: 'sent' }
      },
    }
    await attempt({ message: 'x'.repeat(170) }, { options: { gateway: own } })
    expect(sent).to.have.lengthOf(1)
    expect(sent[0]).to.include({ number: '+33612345678', text: `${'x'.repeat(157)}...` })
    expect(received).to.have.lengthOf(0)
  })

  it('are written by the app’s template, and warn when that fails', async () => {
    const templates = { sms: 'file:sms.tpl' }
    bench.files.set('bank/sms.tpl', '{{ app.name }}:\t{{ left }} €\n')
    await attempt({ data: { left: 84 }, flags: { templates } })
    bench.files.set('bank/sms.tpl', '{{ left | shout }}')
    const outcome = await attempt({ data: { left: 84 }, flags: { templates } })
    expect(outcome).to.deep.equal({ class: 'sent', warnings: ['template_error'] })
    expect(received.map(({ body }) => (body as { content: string }).content)).to.deep.equal([
      'Bank: 84 €',
      'Your balance is low',
    ])
  })

  const faults: readonly (readonly [
    change: Partial<Record<keyof SmsProvider, unknown>>,
    path: string,
  ])[] = [
    [{ provider: 'fax' }, 'default.provider'],
    [{ url: 'ftp://x/' }, 'default.url'],
    [{ url: 'x' }, 'default.url'],
    [{ token: '' }, 'default.token'],
    [{ token: 'a\r\nX: y' }, 'default.token'],
    [{ maxLength: 3 }, 'default.maxLength'],
    [{ maxLength: 160.5 }, 'default.maxLength'],
    [{ overflow: 'drop' }, 'default.overflow'],
    [{ fields: { content: '' } }, 'default.fields.content'],
  ]
  for (const [change, path] of faults) {
    it(`do not start with ${JSON.stringify(change)}`, () => {
      // What a configuration may hold that no compiler saw.
      const sms = { default: { ...provider(), ...change } }
      const { settle } = defineOptions({ sms: smsOptions() })
      expect(() => settle({ sms })).to.throw(TypeError, `options.sms.${path}: must be`)
    })
  }
})
