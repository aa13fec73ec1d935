import type http from 'node:http'
import { createOutbound, type Instance } from '@svc/platform'
import { anyStore, listen, type Listening } from '@svc/testkit'
import { expect } from 'chai'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { createSmsChannel } from '../../src/channels/sms/sms-channel.ts'
import type { OutgoingText, SmsOptions, SmsProvider } from '../../src/channels/sms/sms-options.ts'
import { createSmsSender } from '../../src/channels/sms/sms-sender.ts'
import { createTexter } from '../../src/channels/sms/system-texts.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { openRenderBench, type RenderBench } from '../support/render-bench.ts'
import { type NotificationChanges, sampleNotification } from '../support/sample-notification.ts'
import { outcomeOf } from '../support/sample-push.ts'

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

  it('have no control characters but line feeds and tabs', async () => {
    await attempt({ message: 'a\r\nb\u0000\u2028c\td"}' })
    expect(received[0]?.body).to.have.property('content', 'a\nbc\td"}')
  })

  const answers: readonly (readonly [status: number, outcome: string, headers?: object])[] = [
    [200, 'sent'],
    [202, 'sent'],
    [204, 'sent'],
    [302, 'config http_302', { location: '/other' }],
    [400, 'permanent http_400'],
    [401, 'config http_401'],
    [403, 'config http_403'],
    [404, 'permanent http_404'],
    [422, 'permanent http_422'],
    [429, 'transient http_429'],
    [429, 'transient http_429 7000', { 'retry-after': '7' }],
    [500, 'transient http_500'],
    [503, 'transient http_503 90000', { 'retry-after': '90' }],
  ]
  for (const [status, outcome, headers = {}] of answers) {
    it(`end as ${outcome} when the gateway answers ${status} ${JSON.stringify(headers)}`, async () => {
      reply = { status, headers: { ...headers } }
      expect(await attempt()).to.deep.equal(outcomeOf(outcome))
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
})

const CODE = { template: 'phone_code', variables: { code: '012345', minutes: 10 } } as const
const NUMBER = '+33612345678'
const ALICE = { domain: 'alice.example.com', locale: 'en' } as Instance // What a text reads of it.

describe('texts of the server itself (owner.md 1.9)', () => {
  anyStore((open) => {
    let at: NotifyServer
    beforeEach(async () => {
      at = await startNotify({ store: (clock) => open({ clock }), isIdle: true })
    })
    afterEach(closeServers)

    it('leave by the gateway of notifications, in the language of the owner', async () => {
      expect(at.notify.texter.canSend(at.instance)).to.equal(true)
      for (const locale of ['en', 'fr', 'de', 'es', 'it']) {
        await at.notify.texter.send({ ...at.instance, locale }, NUMBER, CODE)
      }
      const texts = at.texts.map(({ number, text }) => ({ number, text }))
      expect(texts).to.deep.equal(
        [
          '012345 is your code to confirm this phone number for alice.example.com. It expires in 10 minutes.',
          '012345 est votre code pour confirmer ce numéro auprès de alice.example.com. Il expire dans 10 minutes.',
          '012345 ist Ihr Code, um diese Telefonnummer für alice.example.com zu bestätigen. Er läuft in 10 Minuten ab.',
          '012345 es su código para confirmar este número en alice.example.com. Caduca en 10 minutos.',
          '012345 is your code to confirm this phone number for alice.example.com. It expires in 10 minutes.',
        ].map((text) => ({ number: NUMBER, text })),
      )
    })
  })

  const { lines, log } = recordedLog()
  beforeEach(() => {
    lines.length = 0
  })

  it('go nowhere without a gateway', async () => {
    const texter = createTexter(log, undefined)
    expect(texter.canSend(ALICE)).to.equal(false)
    let fault: unknown
    await texter.send(ALICE, NUMBER, CODE).catch((error: unknown) => (fault = error))
    expect(fault).to.be.instanceOf(Error)
  })

  const refusals: readonly ChannelOutcome['class'][] = ['transient', 'permanent', 'config']
  for (const outcome of refusals) {
    it(`reject what the provider did not take (${outcome}), and tell the log no number and no code`, async () => {
      const sender = createSmsSender(
        { clock: { now: () => 0 }, log },
        {
          options: { gateway: { send: async () => ({ class: outcome, code: 'http_500' }) } },
          outbound: { request: () => Promise.reject(new Error('nobody asks')) },
        },
      )
      let fault: unknown
      await createTexter(log, sender)
        .send(ALICE, NUMBER, CODE)
        .catch((error: unknown) => (fault = error))
      expect(fault).to.be.instanceOf(Error)
      const told = JSON.stringify(lines) + String(fault)
      expect(told)
        .to.include('text.failed')
        .and.not.match(/012345|6123/)
    })
  }
})
