import type { Instance } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { createTexter } from '../../src/channels/sms/system-texts.ts'
import { createSmsSender } from '../../src/channels/sms/sms-sender.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { recordedLog } from '../support/recorded-log.ts'

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
