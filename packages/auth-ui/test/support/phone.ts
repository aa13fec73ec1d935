import type { Instance } from '@svc/platform'
import type { AuthUiOptions } from '../../src/index.ts'
import { confirmedFor, type OwnerAt, ownerAt } from './factor-flows.ts'
import { createAlice, startUi, type UiServer, type UiServerOptions } from './ui-server.ts'

export const PHONE = '/settings/profile/phone'
export const NUMBER = '+33612345678'

interface SentText {
  readonly domain: string
  readonly number: string
  readonly code: string
}

/** A host that keeps numbers, and a phone that gets every text. */
export interface PhoneHost {
  readonly ui: Required<Pick<AuthUiOptions, 'contacts' | 'texter'>>
  readonly numbers: Map<string, string>
  readonly texts: SentText[]
  /** Every number that the host was told, in that order; undefined: none any more. */
  readonly told: (string | undefined)[]
  /** What gets in the way. */
  readonly faults: { noGateway?: boolean; ofText?: Error; beforeSet?: () => Promise<void> }
}

export function phoneHost(): PhoneHost {
  const numbers = new Map<string, string>()
  const texts: SentText[] = []
  const told: (string | undefined)[] = []
  const faults: PhoneHost['faults'] = {}
  return {
    numbers,
    texts,
    told,
    faults,
    ui: {
      contacts: {
        phone: async ({ domain }) => numbers.get(domain),
        setPhone: async ({ domain }, number) => {
          await faults.beforeSet?.()
          told.push(number)
          if (number === undefined) numbers.delete(domain)
          else numbers.set(domain, number)
        },
      },
      texter: {
        canSend: () => faults.noGateway !== true,
        send: async ({ domain }, number, { variables }) => {
          if (faults.ofText !== undefined) throw faults.ofText
          texts.push({ domain, number, code: variables.code })
        },
      },
    },
  }
}

export interface PhoneServer {
  readonly server: UiServer
  readonly host: PhoneHost
  readonly owner: OwnerAt
  readonly instance: Instance
}

/** A server with an owner who is logged in. */
export async function startPhone(options: UiServerOptions = {}): Promise<PhoneServer> {
  const host = phoneHost()
  const server = await startUi({ ...options, ui: { ...host.ui, ...options.ui } })
  const { instance } = await createAlice(server, { email: 'alice@mail.example' })
  return { server, host, instance, owner: await ownerAt(server) }
}

/** Asks for a code, and answers it as it stands in the text. */
export async function askForCode(
  { server, host, owner }: Omit<PhoneServer, 'instance'>,
  phone: string = NUMBER,
): Promise<string> {
  const fields = await confirmedFor(server, owner)
  const answer = await owner.call('PUT', PHONE, { ...fields, phone })
  if (answer.status !== 202) throw new Error(`no code: ${answer.status} ${answer.text}`)
  return host.texts.at(-1)?.code ?? ''
}

/** Six digits that are not those. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}
