import { indexKey, recordKey, type Store } from '@svc/store'
import type { HostServices } from '../services.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { createInstance } from '../create-instance.ts'
import { DEV_ACCOUNT_TYPE } from './provider/photos.ts'

export interface WelcomeOptions {
  readonly app: HostServices
  readonly store: Store
  readonly config: Config
  /** Port of the public listener. */
  readonly port: number
  readonly notice: (text: string) => void
}

/**
 * Creates the demo instance at the first start and says what to open. As long as nobody has onboarded it, every start
 * prints a fresh link; the three latest work.
 * @see architecture.md 5, decision D53
 */
export async function welcome(options: WelcomeOptions): Promise<void> {
  const { app, store, config, port, notice } = options
  if (!config.demo) return
  const domain = config.demoDomain ?? demoDomain(config, port)
  const hindrance = await createDemo(app, store, domain)
  const instance = await app.oauth.instances.byHost(domain)
  if (instance === undefined) {
    if (hindrance !== undefined) {
      notice(
        `The demo instance was not made: ${hindrance}.\nSet SVC_PORT to the port of that one to use it, or SVC_DEMO_DOMAIN to another name.`,
      )
    }
    return
  }
  const lines = [`The demo instance is ${instance.origin}/`]
  if (await app.ui.owners.isOnboarded(instance)) {
    lines.push('Open it in a browser and log in.')
  } else {
    const link = await app.ui.owners.createOnboardingUrl(instance)
    lines.push('Open this link in a browser to choose its passphrase; it works once:', `  ${link}`)
  }
  const hasPages = await app.devPages.areOn()
  if (app.mailbox !== undefined) {
    const where = hasPages ? `at ${instance.origin}/dev/mails` : 'by `svc mails`'
    lines.push(`Mails that would be sent are shown ${where}`)
  }
  if (app.outbox !== undefined) {
    const where = hasPages ? `at ${instance.origin}/dev/outbox` : 'by `svc outbox`'
    lines.push(`Pushes and texts that would be sent are shown ${where}`)
  }
  notice(lines.join('\n'))
}

function demoDomain({ subdomains }: Config, port: number): string {
  // Flat app hosts are neighbours of the instance's: only below a common name are they one site for cookies.
  return subdomains === 'flat' ? `alice.svc.localhost:${port}` : `alice.localhost:${port}`
}

/**
 * Once per domain: an instance that the operator removed stays removed.
 * @returns why there can be none, when another instance is in the way
 */
async function createDemo(
  app: HostServices,
  store: Store,
  domain: string,
): Promise<string | undefined> {
  const marker = recordKey('host', 'demo-instance', domain)
  if ((await store.get(marker)) !== undefined) return undefined
  if ((await app.oauth.instances.byHost(domain)) === undefined) {
    try {
      const { instance } = await createInstance(app, {
        domain,
        email: 'alice@mail.localhost',
        publicName: 'Alice',
        locale: 'en',
      })
      // Shown once `svc dev-provider` has told where its provider is.
      await app.konnectors.install(instance, DEV_ACCOUNT_TYPE)
    } catch (error) {
      // Another process of the same store was first, or the name is that of another instance.
      if ((error as { code?: unknown }).code === 'domain_taken') return (error as Error).message
      if (error instanceof TypeError) throw new ConfigError([`SVC_DEMO_DOMAIN: ${error.message}`])
      throw error
    }
  }
  const indexes = [{ index: indexKey('host', 'demo-instances'), sort: domain }]
  await store.write([{ op: 'put', key: marker, value: { domain }, indexes }])
  return undefined
}
