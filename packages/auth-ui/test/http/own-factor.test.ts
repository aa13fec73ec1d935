import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import type { OwnFactor } from '../../src/factors/own-factor.ts'
import { newOwnFactor } from '../../src/factors/own-factors.ts'
import { newRecoveryCodes } from '../../src/factors/recovery-codes.ts'
import {
  confirmed,
  enableMail,
  lastMail,
  logsIn,
  mailed,
  type OwnerAt,
  ownerAt,
  startFactors,
} from '../support/factor-flows.ts'
import { JSON_ONLY, ownerOf, passStep1, passStep2, setFactors } from '../support/second-step.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const PLAIN = 'plain-state-of-the-factor'
const PATH = '/settings/factors/own/list'

/** A list of numbered answers: `answer-0`, then `answer-1`, and so on. */
const numbered: OwnFactor = {
  name: 'list',
  label: { en: 'List' },
  enrol: () => ({ show: { secret: 'answer', uri: 'list:answer' }, state: `${PLAIN}:0` }),
  verify(state, answer) {
    const next = Number(state.split(':')[1])
    if (answer === 'throw') throw new Error('out of order')
    if (answer === 'long') return { result: 'right', state: 'é'.repeat(1025) }
    if (answer !== `answer-${next}`) return { result: 'wrong' }
    return { result: 'right', state: `${PLAIN}:${next + 1}` }
  },
}

const typed = (code: string) => () => ({ 'two-factor-passcode': code })

describe('a code factor of the host', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors({ ui: { factors: [numbered] } }))
    owner = await ownerAt(server)
  })
  afterEach(() => server.close())

  async function shown(): Promise<Record<string, unknown>> {
    const answer = await owner.call('GET', '/settings/factors')
    return answer.json<{ data: { attributes: Record<string, unknown> } }>().data.attributes
  }

  /** Switches it on alone. @returns the recovery codes that came first */
  async function turnOn(): Promise<readonly string[]> {
    await owner.call('POST', PATH, await confirmed(server))
    const proved = await owner.call('PUT', PATH, { code: 'answer-0' })
    expect(proved.status).to.equal(200)
    expect((await owner.call('PUT', PATH, { kept: true })).status).to.equal(204)
    return proved.json<{ codes: string[] }>().codes
  }

  it('shows what to set up, and is on only after a right code and kept recovery codes', async () => {
    expect((await owner.call('POST', PATH)).status).to.equal(403)
    const begun = await owner.call('POST', PATH, await confirmed(server))
    expect(begun.json()).to.include({ secret: 'answer', uri: 'list:answer' })
    expect(begun.text).not.to.include(PLAIN)
    expect((await owner.call('PUT', PATH, { code: 'answer-1' })).status).to.equal(422)
    expect(await shown()).to.deep.include({
      auth_mode: 'basic',
      own: [{ name: 'list', label: { en: 'List' }, available: true, enrolled: null }],
    })
    expect(await turnOn()).to.have.lengthOf(10)
    const { auth_mode, own } = await shown()
    expect(auth_mode).to.equal('two_factor_mail')
    expect(own).to.have.nested.property('[0].enrolled.created_at')
    expect(lastMail(server, 'auth_mode_changed')).to.include({
      change: 'two_factor_on',
      factor: 'own',
    })
  })

  it('logs in with the next answer, once, and not with the one that proved it', async () => {
    await turnOn()
    expect(await logsIn(server, typed('answer-0'))).to.equal(false)
    expect(await logsIn(server, typed(' answer -1'))).to.equal(true)
    expect(await logsIn(server, typed('answer-1'))).to.equal(false)
    expect(await logsIn(server, typed('answer-2'))).to.equal(true)
  })

  it('stands beside mailed codes and recovery codes, and goes off by itself', async () => {
    await enableMail(server, owner)
    await owner.call('POST', PATH, await confirmed(server))
    expect((await owner.call('PUT', PATH, { code: 'answer-0' })).status).to.equal(204)
    expect(await logsIn(server, typed('answer-1'))).to.equal(true)
    expect(await logsIn(server, mailed(server))).to.equal(true)
    const removed = await owner.call('DELETE', PATH, await confirmed(server, typed('answer-2')))
    expect(removed.status).to.equal(204)
    expect(lastMail(server, 'auth_mode_changed')).to.include({
      change: 'factor_removed',
      factor: 'own',
    })
    expect(await logsIn(server, typed('answer-3'))).to.equal(false)
    expect((await owner.call('DELETE', PATH, await confirmed(server))).status).to.equal(404)
  })

  it('counts as wrong what throws or is too long, and says so in the log', async () => {
    await turnOn()
    for (const code of ['throw', 'long', 'x'.repeat(65)]) {
      expect(await logsIn(server, typed(code)), code).to.equal(false)
    }
    const failed = server.logged.filter(([event]) => event === 'own_factor.failed')
    expect(failed).to.have.lengthOf(2)
    expect(await logsIn(server, typed('answer-1'))).to.equal(true)
  })

  it('is nowhere in plain', async () => {
    await turnOn()
    const alice = await server.oauth.instances.byHost('alice.example.com')
    if (alice === undefined) throw new Error('no instance')
    const record = await ownerOf(server, alice)
    expect(record.factors?.own).to.have.lengthOf(1)
    expect(JSON.stringify(record)).not.to.include(PLAIN)
  })

  it('stays a second step after the host took it out: recovery codes get in, and it can be removed', async () => {
    const codes = await turnOn()
    const { store, key, clock } = server
    const without = await startUi({ store, key, clock })
    try {
      expect(await logsIn(without, typed('answer-1'))).to.equal(false)
      expect(without.logged.map(([event]) => event)).to.include('own_factor.missing')
      const back = await ownerAt(without, typed(codes[0] ?? ''))
      const answer = await back.call('GET', '/settings/factors')
      expect(answer.text).to.include('"available":false')
      const fields = await confirmed(without, typed(codes[1] ?? ''))
      expect((await back.call('DELETE', PATH, fields)).status).to.equal(204)
      const after = await back.call('GET', '/settings/factors')
      expect(after.json()).to.have.nested.property('data.attributes.auth_mode', 'basic')
    } finally {
      await without.close()
    }
  })
})

describe('options with faulty factors', () => {
  const faulty: readonly [string, readonly unknown[], RegExp][] = [
    ['a bad name', [{ ...numbered, name: 'X-List' }], /a factor with name/],
    ['no label in English', [{ ...numbered, label: { de: 'Liste' } }], /a factor with name/],
    ['no verify', [{ ...numbered, verify: undefined }], /a factor with name/],
    ['one name twice', [numbered, numbered], /two factors named list/],
  ]
  for (const [what, factors, message] of faulty) {
    it(`are refused: ${what}`, async () => {
      const started = startUi({ ui: { factors: factors as readonly OwnFactor[] } })
      const refused = await started.then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(String(refused)).to.match(message)
    })
  }
})

describe('an answer to a factor of the host, taken at once from two processes', () => {
  eachStore((open, name) => {
    it('one of 30 parallel uses wins, each with a challenge of its own', async () => {
      const limits = {
        'two-factor-generation': { limit: 1000, windowMs: 3_600_000 },
        'two-factor': { limit: 1000, windowMs: 300_000 },
      }
      const ui = { limits, factors: [numbered] }
      const store = await open()
      const first = await startUi({ store, ui })
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const { key, clock } = first
      const second = await startUi({ store: secondStore, key, clock, ui })
      try {
        const { instance } = await createAlice(first)
        const { factor } = await newOwnFactor(first, instance, numbered)
        const { recovery } = newRecoveryCodes(instance, clock.now())
        await setFactors(first, instance, { own: [factor], recovery })
        const tokens: string[] = []
        for (let at = 0; at < 30; at += 1) tokens.push(await passStep1(first.browser()))
        const answers = await Promise.all(
          tokens.map((token, at) =>
            passStep2((at % 2 === 0 ? first : second).browser(), token, 'answer-0', {}, JSON_ONLY),
          ),
        )
        expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1)
        expect(await first.ui.owners.listSessions(instance)).to.have.lengthOf(1)
      } finally {
        await second.close()
        await first.close()
      }
    })
  })
})
