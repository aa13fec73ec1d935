import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import {
  type Enrolled,
  enroll,
  JSON_ONLY,
  lastPasscode,
  ownerOf,
  passStep1,
  passStep2,
} from '../support/second-step.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

/** Attempts at once: as many as the hourly challenges allow where each has its own. */
const ATTEMPTS = 50
const CHALLENGES = { limit: 1000, windowMs: 3_600_000 }
const TRIES = { limit: 1000, windowMs: 300_000 }

describe('the second step, taken at once from two processes', () => {
  eachStore((open, name) => {
    let servers: readonly [UiServer, UiServer]
    let enrolled: Enrolled
    let instance: Awaited<ReturnType<typeof createAlice>>['instance']

    async function start(limits = {}): Promise<void> {
      const store = await open()
      const first = await startUi({ store, ui: { limits } })
      ;({ instance } = await createAlice(first))
      enrolled = await enroll(first, instance, 'mail', 'totp', 'recovery')
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const { key, clock } = first
      servers = [first, await startUi({ store: secondStore, key, clock, ui: { limits } })]
    }
    afterEach(async () => {
      for (const server of servers.toReversed()) await server.close()
    })

    /** Every attempt in a browser of its own, on both processes in turn. @returns statuses */
    async function race(
      tokenOf: (at: number) => string,
      codeOf: (at: number) => string,
    ): Promise<readonly number[]> {
      const answers = await Promise.all(
        Array.from({ length: ATTEMPTS }, (_, at) =>
          passStep2(
            (at % 2 === 0 ? servers[0] : servers[1]).browser(),
            tokenOf(at),
            codeOf(at),
            {},
            JSON_ONLY,
          ),
        ),
      )
      for (const { status, setCookies } of answers) {
        expect(status).to.be.oneOf([200, 401])
        if (status !== 200) expect(setCookies).to.deep.equal([])
      }
      return answers.map(({ status }) => status)
    }

    async function expectOneWinner(statuses: readonly number[]): Promise<void> {
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1)
      expect(await servers[0].ui.owners.listSessions(instance)).to.have.lengthOf(1)
    }

    it('one of 50 parallel uses of a pair wins', async () => {
      await start()
      const token = await passStep1(servers[0].browser())
      const code = lastPasscode(servers[0])
      await expectOneWinner(
        await race(
          () => token,
          () => code,
        ),
      )
    })

    const used: readonly [what: string, code: () => string][] = [
      ['a recovery code', () => enrolled.recoveryCodes[2] ?? ''],
      ['a code of the authenticator app', () => enrolled.totp()],
    ]
    for (const [what, code] of used) {
      it(`one of 50 parallel uses of ${what} wins, each with a challenge of its own`, async () => {
        await start({ 'two-factor-generation': CHALLENGES, 'two-factor': TRIES })
        const tokens: string[] = []
        for (let at = 0; at < ATTEMPTS; at += 1) tokens.push(await passStep1(servers[0].browser()))
        const passcode = code()
        await expectOneWinner(
          await race(
            (at) => tokens[at] ?? '',
            () => passcode,
          ),
        )
        const { factors } = await ownerOf(servers[0], instance)
        expect(factors?.recovery?.hashes).to.have.lengthOf(what === 'a recovery code' ? 9 : 10)
      })
    }

    it('ten recovery codes at once let ten challenges through, and none is left', async () => {
      await start({ 'two-factor-generation': CHALLENGES, 'two-factor': TRIES })
      const tokens: string[] = []
      for (let at = 0; at < ATTEMPTS; at += 1) tokens.push(await passStep1(servers[0].browser()))
      const statuses = await race(
        (at) => tokens[at] ?? '',
        (at) => enrolled.recoveryCodes[at % 10] ?? '',
      )
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(10)
      expect((await ownerOf(servers[1], instance)).factors?.recovery?.hashes).to.deep.equal([])
    })

    it('a pair and its resend at once: one of them wins', async () => {
      await start()
      const [first, second] = servers
      const browser = first.browser()
      const token = await passStep1(browser)
      const code = lastPasscode(first)
      const [passed, ...resent] = await Promise.all([
        passStep2(browser, token, code, {}, JSON_ONLY),
        ...Array.from({ length: 8 }, () =>
          second
            .browser()
            .post('/auth/twofactor/resend', { 'two-factor-token': token }, { headers: JSON_ONLY }),
        ),
      ])
      const won = [passed, ...resent].filter((answer) => answer?.status === 200)
      expect(won).to.have.lengthOf(1)
    })
  })
})
