import { randomBytes } from 'node:crypto'
import { Browser, formsOf } from '../drivers/browser.ts'
import { HttpDriver } from '../drivers/http-driver.ts'
import type { Profile } from '../model/profile.ts'
import { Budget, UNLIMITED } from '../net/budget.ts'
import { Secrets } from '../net/secrets.ts'
import { type ConnectTo, Wire } from '../net/wire.ts'
import { fill, filledCommand, mustExecute, type Operator } from '../operator/operator.ts'
import { linkIn } from '../world/surroundings.ts'

/** An instance of the self-test, whose owner it is. */
export interface Owned {
  readonly base: string
  readonly passphrase: string
  remove(): Promise<void>
}

export interface OwnInstanceOptions {
  readonly run: string
  readonly target: string
  readonly profile: Profile
  readonly operator: Operator
  readonly connectTo?: readonly ConnectTo[]
}

/** Makes an instance by the operator's commands, and lets its owner in. */
export async function ownInstance(options: OwnInstanceOptions): Promise<Owned> {
  const { run, target, profile, operator, connectTo } = options
  const values = {
    run,
    domain: fill(operator.domain, { run }),
    email: fill(operator.email ?? 'owner-{run}@contract.example', { run }),
  }
  const remove = async (): Promise<void> => {
    await mustExecute(filledCommand(operator.remove, values))
  }
  const said = await mustExecute(filledCommand(operator.create, values))
  const wire = new Wire({
    budget: new Budget(UNLIMITED),
    concurrency: 1,
    ...(connectTo !== undefined && { connectTo }),
  })
  try {
    const base = new URL(`${new URL(target).protocol}//${values.domain}/`)
    const passphrase = `contract ${randomBytes(12).toString('hex')}`
    const link = linkIn(
      operator.onboardingLink === undefined
        ? said
        : await mustExecute(filledCommand(operator.onboardingLink, values)),
    )
    const driver = new HttpDriver({ base, profile, passphrase, secrets: new Secrets() })
    const browser = new Browser(wire)
    const page = await browser.visit('choose', link)
    const form = formsOf(page).find(({ fields }) => fields.some(({ type }) => type === 'password'))
    if (form === undefined) throw new Error('the onboarding link shows no form')
    await browser.submit('chosen', page, await driver.passphraseFields(page), { form })
    return { base: base.href, passphrase, remove }
  } catch (error) {
    await remove()
    throw error
  } finally {
    wire.close()
  }
}
