import type { Json } from '@svc/store'
import type { SystemMail } from '../mail/system-mails.ts'

/** Mails about assistants. */
export type AssistantMail = Extract<
  SystemMail,
  { template: 'assistant_busy' | 'assistant_connected' | 'assistant_ended' }
>

type Data = Readonly<Record<string, Json | undefined>>

const REASONS = ['client_gone', 'refresh_reuse', 'weaker_authentication'] as const

/**
 * The mail of a notification about an assistant, or undefined. `data` comes from the host: even if malformed, a
 * mail comes of it.
 * @see assistants.md 5.7
 */
export function assistantMail(
  { category, data = {} }: { readonly category: string; readonly data?: Data },
  url: string,
): AssistantMail | undefined {
  const clientName = textOf(data, 'ClientName')
  if (category === 'assistant-connected') {
    const [host, browser, os] = [textOf(data, 'Host'), textOf(data, 'Browser'), textOf(data, 'Os')]
    return {
      template: 'assistant_connected',
      variables: {
        url,
        clientName,
        ...(host !== '' && { host }),
        ...(data['IsUnnamed'] === true && { isUnnamed: true }),
        news: data['News'] === 'write' ? 'write' : 'first',
        rights: textsOf(data['Rights']),
        endsAt: numberOf(data, 'EndsAt'),
        time: numberOf(data, 'Time'),
        address: textOf(data, 'Address'),
        ...(browser !== '' && { browser }),
        ...(os !== '' && { os }),
      },
    }
  }
  if (category === 'assistant-ended') {
    const reason = REASONS.find((each) => each === data['Reason']) ?? 'client_gone'
    return { template: 'assistant_ended', variables: { url, clientName, reason } }
  }
  if (category !== 'assistant-busy') return undefined
  const documents = numberOf(data, 'Documents')
  return { template: 'assistant_busy', variables: { url, clientName, documents } }
}

function textOf(data: Data, name: string): string {
  const value = data[name]
  return typeof value === 'string' ? value : ''
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function numberOf(data: Data, name: string): number {
  return Number(data[name] ?? 0) || 0
}
