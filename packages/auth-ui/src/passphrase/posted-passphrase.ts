import type { RouteContext } from '@svc/oauth-core'
import { AuthUiError } from '../errors.ts'
import type { PassphraseFields } from './new-passphrase.ts'

/** `POST /settings/passphrase`, form or JSON. */
export interface PostedPassphrase {
  readonly registerToken: string
  readonly redirection: string
  readonly fields: PassphraseFields
}

/** @throws AuthUiError `invalid_parameter` for members of a wrong type */
export function readPosted(ctx: RouteContext): PostedPassphrase {
  const read = ctx.state.json === undefined ? formReader(ctx) : jsonReader(ctx.state.json)
  return {
    registerToken: read('register_token'),
    redirection: read('redirection'),
    fields: {
      passphrase: read('passphrase'),
      hint: read('hint'),
      iterations: read('iterations'),
      key: read('key'),
      publicKey: read('public_key'),
      privateKey: read('private_key'),
    },
  }
}

function formReader(ctx: RouteContext): (name: string) => string {
  return (name) => ctx.state.form.text(name)
}

function jsonReader(json: unknown): (name: string) => string {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new AuthUiError('invalid_parameter', { description: 'the body is not an object' })
  }
  const members = new Map<string, unknown>(Object.entries(json))
  return (name) => {
    const value = members.get(name) ?? ''
    if (typeof value === 'string' && value.isWellFormed()) return value
    if (name === 'iterations' && typeof value === 'number') return String(value)
    throw new AuthUiError('invalid_parameter', { description: `${name} is not a text` })
  }
}
