import type { Exchange, Header } from '../model/exchange.ts'
import type { Secrets } from './secrets.ts'

/** Members, fields and parameters whose value is a secret, wherever they stand. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'access_code',
  'access_token',
  'client_secret',
  'code',
  'code_verifier',
  'confirm-token',
  'consent',
  'csrf_token',
  'email_verified_code',
  'magic_code',
  'nonce',
  'notification_device_token',
  'passphrase',
  'passphrase_reset_token',
  'password',
  'refresh_token',
  'register_token',
  'registerToken',
  'registration_access_token',
  'session_code',
  'token',
  'trusted-device-token',
  'two-factor-passcode',
  'two-factor-token',
  'two_factor_code',
  'two_factor_passcode',
  'two_factor_token',
])
const KINDS: Readonly<Record<string, string>> = { access_code: 'code' }

/** Tells the secrets that an exchange shows. */
export function learnFrom(secrets: Secrets, { request, answer }: Exchange): void {
  learnParameters(secrets, queryOf(request.url))
  learnBody(secrets, request.body, typeOf(request.headers))
  for (const [name, value] of request.headers) learnSent(secrets, name.toLowerCase(), value)
  if (answer === undefined) return
  for (const [name, value] of answer.headers) {
    if (name.toLowerCase() === 'set-cookie') learnCookie(secrets, value)
    if (name.toLowerCase() === 'location') learnParameters(secrets, queryOf(value))
  }
  learnBody(secrets, answer.body, typeOf(answer.headers))
}

/** Tells the secrets in the links of a text, such as a mail. */
export function learnLinks(secrets: Secrets, text: string): void {
  for (const [url] of text.matchAll(/https?:\/\/[^\s<>"]+/g)) {
    learnParameters(secrets, queryOf(url.replaceAll('&amp;', '&')))
  }
}

function learnSent(secrets: Secrets, name: string, value: string): void {
  if (name === 'cookie') {
    for (const pair of value.split(';')) {
      secrets.learn('cookie', pair.split('=').slice(1).join('=').trim())
    }
  }
  if (name !== 'authorization') return
  const [scheme = '', credentials = ''] = value.split(' ')
  if (scheme.toLowerCase() === 'basic') secrets.learn('basic_credentials', credentials)
  if (scheme.toLowerCase() === 'bearer') secrets.learn('bearer_token', credentials)
}

function learnCookie(secrets: Secrets, value: string): void {
  const [pair = ''] = value.split(';')
  secrets.learn('cookie', pair.split('=').slice(1).join('=').trim())
}

function learnBody(secrets: Secrets, body: string | undefined, type: string): void {
  if (body === undefined || body === '') return
  if (type.includes('json')) learnJson(secrets, body)
  else if (type.includes('x-www-form-urlencoded')) {
    learnParameters(secrets, new URLSearchParams(body))
  } else if (type.includes('html')) {
    for (const [input] of body.matchAll(/<input\b[^>]*>/g)) {
      const name = /\bname="([^"]*)"/.exec(input)?.[1] ?? ''
      if (SECRET_NAMES.has(name)) learnNamed(secrets, name, /\bvalue="([^"]*)"/.exec(input)?.[1])
    }
    for (const [, value] of body.matchAll(/\bdata-[a-z-]*token="([^"]+)"/g)) {
      secrets.learn('app_token', value)
    }
  }
}

function learnJson(secrets: Secrets, body: string): void {
  try {
    JSON.parse(body, (name, value: unknown) => {
      if (typeof value !== 'string') return value
      // `code` of a JSON answer is the code of an error.
      if (name !== 'code' && SECRET_NAMES.has(name)) learnNamed(secrets, name, value)
      else if (/^https?:/.test(value)) learnParameters(secrets, queryOf(value))
      return value
    })
  } catch {
    // What is no JSON has no members.
  }
}

function learnParameters(secrets: Secrets, parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    if (SECRET_NAMES.has(name)) learnNamed(secrets, name, value)
  }
}

function learnNamed(secrets: Secrets, name: string, value: string | undefined): void {
  if (name === 'code' && value === 'code') return
  secrets.learn(KINDS[name] ?? name, value)
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '')
}

function typeOf(headers: readonly Header[]): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
}
