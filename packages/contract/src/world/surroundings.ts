import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HttpDriver } from '../drivers/http-driver.ts'
import { Journal } from '../journal/journal.ts'
import { type Mail, type Mailbox, mailOf } from '../mailbox/mailbox.ts'
import type { Ability } from '../model/ability.ts'
import { Budget, UNLIMITED } from '../net/budget.ts'
import { learnLinks } from '../net/learn.ts'
import { fill, filledCommand, mustExecute, type Operator } from '../operator/operator.ts'
import { type FakeProvider, startProvider } from '../operator/provider.ts'
import type { Beside } from './beside.ts'
import { onboard } from './onboarding.ts'
import { World } from './world.ts'

export interface SurroundingsOptions {
  readonly run: string
  readonly operator?: Operator
  readonly mailbox?: Mailbox
  /** Waits for expiries where no clock can be advanced. */
  readonly isSlow?: boolean
  /** Whether the passphrase of the owner is known. */
  readonly hasPassphrase: boolean
}

const POLL_MS = 200
const MAIL_MS = 15_000
const EMAIL = 'owner-{run}@contract.example'

/** What a run has beside the server: an operator, a mailbox, a provider. */
export class Surroundings implements Beside<World> {
  readonly notes: Record<string, string> = {}
  readonly #options: SurroundingsOptions
  readonly #begun = new Date()
  readonly #seen = new Set<string>()
  #fresh: Promise<World> | undefined
  #accountType: Promise<string> | undefined
  #provider: FakeProvider | undefined
  #world: World | undefined

  constructor(options: SurroundingsOptions) {
    this.#options = options
  }

  get abilities(): readonly Ability[] {
    const { operator, mailbox, isSlow, hasPassphrase } = this.#options
    return [
      ...(hasPassphrase ? (['passphrase'] as const) : []),
      ...(operator === undefined ? [] : (['fresh'] as const)),
      ...(mailbox === undefined ? [] : (['mailbox'] as const)),
      ...(operator?.accountType === undefined || operator.provider === undefined
        ? []
        : (['provider'] as const)),
      ...(operator?.advanceClock === undefined && isSlow !== true ? [] : (['clock'] as const)),
    ]
  }

  /** Makes an instance once, and lets its owner in. @param main - the world of the run */
  fresh(main: World): Promise<World> {
    this.#world ??= main
    this.#fresh ??= this.#makeFresh(main)
    return this.#fresh
  }

  /** Waits for a mail, and keeps it as what was answered. */
  async mail(label: string, host: string, accepts: (mail: Mail) => boolean): Promise<Mail> {
    const found = await this.#waitForMail(host, accepts)
    const { wire, secrets } = this.#required()
    const { to = '', subject = '', text = '', html = '' } = found ?? {}
    learnLinks(secrets, text)
    wire.keep({
      label,
      by: 'mailbox',
      request: { method: 'MAIL', url: `mailto:${host}`, headers: [] },
      answer: {
        status: 200,
        headers: [['content-type', 'application/json']],
        body: JSON.stringify(found === undefined ? {} : { to, subject, text, html }),
      },
    })
    return found ?? mailOf({})
  }

  /** Puts an account type that leads to a provider of the run. @returns its name */
  accountType(): Promise<string> {
    this.#accountType ??= this.#makeAccountType()
    return this.#accountType
  }

  async advanceClock(seconds: number): Promise<void> {
    const { operator, isSlow } = this.#options
    const command = operator?.advanceClock
    if (command !== undefined) {
      await mustExecute(filledCommand(command, { seconds: String(seconds) }))
    } else if (isSlow === true) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    } else throw new Error('no clock can be advanced')
  }

  async close(): Promise<void> {
    await this.#provider?.close()
    await this.#options.mailbox?.close()
  }

  #required(): World {
    if (this.#world === undefined) throw new Error('there is no fresh instance')
    return this.#world
  }

  async #makeFresh(main: World): Promise<World> {
    const { operator, run } = this.#options
    if (operator === undefined) throw new Error('there is no operator')
    const domain = fill(operator.domain, { run })
    const email = fill(operator.email ?? EMAIL, { run })
    const values = { run, domain, email }
    main.budget.exempt(domain)
    const made = main.journal.making('instance', domain)
    main.journal.made(made, { command: filledCommand(operator.remove, values) })
    const said = await mustExecute(filledCommand(operator.create, values))
    const link = linkIn(
      operator.onboardingLink === undefined
        ? said
        : await mustExecute(filledCommand(operator.onboardingLink, values)),
    )
    learnLinks(main.secrets, link)
    const base = new URL(`${main.base.protocol}//${domain}/`)
    const passphrase = `contract ${randomBytes(12).toString('hex')}`
    const { profile, wire, secrets } = main
    secrets.learn('passphrase', passphrase)
    const fresh = new World({
      base,
      run,
      profile,
      wire,
      secrets,
      budget: new Budget(UNLIMITED),
      // All of it goes with the instance.
      journal: new Journal({ run, target: base.origin }),
      driver: new HttpDriver({ base, profile, passphrase, secrets }),
      surroundings: this,
      prefix: 'fresh.',
    })
    await onboard(fresh, link, passphrase)
    return fresh
  }

  async #waitForMail(host: string, accepts: (mail: Mail) => boolean): Promise<Mail | undefined> {
    const { mailbox } = this.#options
    if (mailbox === undefined) throw new Error('there is no mailbox')
    const until = performance.now() + MAIL_MS
    for (;;) {
      const email = fill(this.#options.operator?.email ?? EMAIL, { run: this.#options.run })
      const mails = (await mailbox.list(host)).filter(
        ({ id, date, to }) =>
          !this.#seen.has(id) &&
          // Mail servers write whole seconds.
          date.getTime() >= this.#begun.getTime() - 1000 &&
          to.toLowerCase().includes(email.toLowerCase()),
      )
      const found = mails.toReversed().find(accepts)
      if (found !== undefined) {
        this.#seen.add(found.id)
        await mailbox.remove?.(found)
        return found
      }
      if (performance.now() > until) return undefined
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  async #makeAccountType(): Promise<string> {
    const { operator, run } = this.#options
    if (operator?.accountType === undefined || operator.provider === undefined) {
      throw new Error('the operator names no accountType or no provider')
    }
    const { journal, wire, secrets } = this.#required()
    const name = `contract-${run}`
    const provider = await startProvider({
      ...operator.provider,
      record: (exchange) => wire.keep(exchange),
    })
    this.#provider = provider
    secrets.learn('client_secret', provider.clientSecret)
    const entry = {
      grant_mode: 'authorization_code',
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      auth_endpoint: `${provider.url}/authorize`,
      token_endpoint: `${provider.url}/token`,
      revocation_endpoint: `${provider.url}/revoke`,
      issuer: provider.url,
      pkce: 'S256',
      ...operator.provider.entry,
    }
    const folder = mkdtempSync(path.join(tmpdir(), 'contract-'))
    try {
      const file = path.join(folder, 'account-type.json')
      writeFileSync(file, JSON.stringify(entry), { mode: 0o600 })
      const values = { run, name, file }
      const made = journal.making('account type', name)
      if (operator.removeAccountType !== undefined) {
        journal.made(made, { command: filledCommand(operator.removeAccountType, values) })
      } else journal.gone(made.id)
      await mustExecute(filledCommand(operator.accountType, values))
    } finally {
      rmSync(folder, { recursive: true })
    }
    return name
  }
}

/** The link in what a program said. @throws Error when there is none */
export function linkIn(said: string): string {
  const [link] = /https?:\/\/[^\s"<>]+[?&]registerToken=[^\s"&<>]+/.exec(said) ?? []
  if (link === undefined) throw new Error('the operator printed no link that onboards the instance')
  return link
}
