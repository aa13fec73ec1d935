import type { Instance } from '@svc/platform'
import type { SystemMail } from '../../src/ports.ts'
import { type AuthUiOptions } from '../../src/index.ts'
import { confirmedFor, type OwnerAt, ownerAt } from './factor-flows.ts'
import { createAlice, startUi, type UiServer, type UiServerOptions } from './ui-server.ts'

export const OLD = 'alice@old.example'
export const NEW = 'alice@new.example'

/** A mail, and the mailbox that it went to. */
export interface Delivered {
  readonly to: string
  readonly mail: SystemMail
}

export interface EmailServer {
  readonly server: UiServer
  readonly owner: OwnerAt
  readonly instance: Instance
  readonly delivered: Delivered[]
  /** What the next mail to a mailbox runs into. */
  readonly faults: Map<string, () => Promise<void>>
}

/** A server with an owner who is logged in, and what each mailbox got. */
export async function startEmail(
  options: UiServerOptions = {},
  email: string | undefined = OLD,
): Promise<EmailServer> {
  const delivered: Delivered[] = []
  const faults = new Map<string, () => Promise<void>>()
  const mailer: AuthUiOptions['mailer'] = {
    send: async (instance, mail) => {
      const recipient = mail.template === 'update_email' ? mail.variables.recipient : instance.email
      const to = recipient ?? ''
      await faults.get(to)?.()
      delivered.push({ to, mail })
      // As the server's own mailer does, for the flows of other tests.
      mails.push(mail)
    },
  }
  const server = await startUi({ ...options, ui: { mailer, ...options.ui } })
  const mails = server.mails as SystemMail[] // Its own array.
  const { instance } = await createAlice(server, email === undefined ? {} : { email })
  return { server, instance, delivered, faults, owner: await ownerAt(server) }
}

/** Mails of a template to a mailbox, oldest first. */
export function mailsTo(
  { delivered }: Pick<EmailServer, 'delivered'>,
  to: string,
): readonly SystemMail['template'][] {
  return delivered.filter((each) => each.to === to).map(({ mail }) => mail.template)
}

/** The token in the newest mail of a template. */
export function tokenIn(
  { delivered }: Pick<EmailServer, 'delivered'>,
  template: 'email_changed' | 'update_email',
): string {
  const found = delivered.findLast(({ mail }) => mail.template === template)?.mail
  const url = found !== undefined && 'url' in found.variables ? found.variables.url : undefined
  return new URL(url ?? 'none:').searchParams.get('token') ?? ''
}

/** Asks for the new address as the settings app does. */
export async function askFor(
  { server, owner }: Pick<EmailServer, 'owner' | 'server'>,
  email: string = NEW,
  more: object = {},
): Promise<Awaited<ReturnType<OwnerAt['call']>>> {
  const fields = await confirmedFor(server, owner)
  return owner.call('PUT', '/settings/profile/email', { ...fields, email, ...more })
}

/** Follows a mailed link and presses its button. */
export async function press(
  browser: OwnerAt['browser'],
  path: '/auth/email' | '/auth/email/undo',
  token: string,
): Promise<Awaited<ReturnType<OwnerAt['call']>>> {
  await browser.get('/auth/passphrase_reset?from=settings')
  const csrf_token = browser.cookie('__Host-csrf')?.value
  return browser.post(path, { csrf_token, token }, { headers: { accept: 'application/json' } })
}

/** The whole change. */
export async function change(at: EmailServer, email: string = NEW): Promise<void> {
  const asked = await askFor(at, email)
  if (asked.status !== 202) throw new Error(`not asked: ${asked.status} ${asked.text}`)
  const proven = await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
  if (proven.status !== 200) throw new Error(`not proven: ${proven.status} ${proven.text}`)
}

/** The address as it is stored. */
export async function emailOf({ server, instance }: EmailServer): Promise<string | undefined> {
  return (await server.oauth.instances.fresh(instance.id))?.email
}
