import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** What the browser says it signed, as far as it is used here. */
export interface ClientData {
  /** Base64url. */
  readonly challenge: string
}

const BASE64URL = /^[A-Za-z0-9_-]+$/
const MAX_CHARS = 32_768
const ALWAYS = ['clientDataJSON'] as const

/** Both kinds of answer of an authenticator, with what was read from their client data. */
export interface Parsed<Answer> {
  readonly answer: Answer
  readonly clientData: ClientData
}

/** An assertion as `navigator.credentials.get` gives it, or undefined when the text is none. Never throws. */
export function parseAssertion(text: string): Parsed<AuthenticationResponseJSON> | undefined {
  return parse<AuthenticationResponseJSON>(text, [...ALWAYS, 'authenticatorData', 'signature'])
}

/** A new credential as `navigator.credentials.create` gives it, or undefined when the text is none. Never throws. */
export function parseRegistration(text: string): Parsed<RegistrationResponseJSON> | undefined {
  return parse<RegistrationResponseJSON>(text, [...ALWAYS, 'attestationObject'])
}

/** Transports of a new credential that browsers know; a hint, so unknown ones are dropped. */
export function transportsOf({ response }: RegistrationResponseJSON): readonly string[] {
  const { transports } = response as { transports?: unknown }
  if (!Array.isArray(transports)) return []
  const known = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
  return known.filter((name) => transports.includes(name))
}

/** Whether the authenticator finds a new credential by itself; where the browser does not say, as it was asked for. */
export function isDiscoverable(answer: RegistrationResponseJSON, asked: boolean): boolean {
  const { credProps } = answer.clientExtensionResults ?? {}
  return typeof credProps?.rk === 'boolean' ? credProps.rk : asked
}

/**
 * We ask for no attestation, and browsers then send none, or one the credential gives of itself. Anything else brings
 * certificates, and checking those asks their issuers over the network.
 */
export async function attestsNothing({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const bytes = new Uint8Array(Buffer.from(response.attestationObject, 'base64url'))
    const attestation = decodeAttestationObject(bytes)
    const format = attestation.get('fmt')
    return (
      format === 'none' ||
      (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
    )
  } catch {
    return false
  }
}

function parse<Answer>(text: string, members: readonly string[]): Parsed<Answer> | undefined {
  if (text.length > MAX_CHARS) return undefined
  const answer = objectOf(text)
  const response = asObject(answer?.['response'])
  if (answer === undefined || response === undefined) return undefined
  if (!isBase64url(answer['id'])) return undefined
  if (!members.every((name) => isBase64url(response[name]))) return undefined
  // Checked above.
  const encoded = response['clientDataJSON'] as string
  const clientData = objectOf(Buffer.from(encoded, 'base64url').toString())
  // Our pages cannot be framed: what was signed in a frame was not signed on them.
  if (clientData === undefined || clientData['crossOrigin'] === true) return undefined
  const { challenge } = clientData
  if (!isBase64url(challenge)) return undefined
  // The members that matter have the right types; the library checks the rest.
  return { answer: answer as Answer, clientData: { challenge } }
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && BASE64URL.test(value)
}
