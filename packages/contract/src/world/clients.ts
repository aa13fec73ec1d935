import { createHash } from 'node:crypto'
import type { Choice, Consent } from '../drivers/driver.ts'
import type { Answered } from '../model/evidence.ts'
import { header, jsonOf, parameterOf } from '../model/expect.ts'
import { NotSent } from '../net/budget.ts'
import type { Ground } from './ground.ts'

export interface Client {
  readonly id: string
  readonly secret: string
  readonly registrationToken: string
  readonly redirectUri: string
  /** Where its record is read and changed. */
  readonly managementUrl: string
  readonly name: string
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

export interface CodeRequest {
  readonly scope?: string
  readonly redirectUri?: string
  readonly state?: string
  /** Without PKCE where false. @defaultValue true */
  readonly pkce?: boolean
  readonly choice?: Choice
  readonly more?: Readonly<Record<string, string>>
}

export interface Code {
  readonly code: string
  readonly verifier: string
  readonly state: string
  readonly consent: Consent
}

/** Where clients of a run are sent back to; nothing is ever sent there. */
export const CALLBACK = 'https://client.contract.example/callback'

/**
 * How many grants of a client the least of servers keeps: one consent more, and the tokens of the first are dead while
 * another scenario may still use them.
 */
const MOST_CONSENTS = 20
const MINUTE_S = 60
const HOUR_S = 3600

/** Registers clients, and gets codes and tokens for them. */
export class Clients {
  readonly #ground: Ground
  /** By client: how many were asked for, and the end of the first. */
  readonly #consents = new Map<string, { count: number; readonly first: Promise<void> }>()
  readonly #shared = new Map<string, Promise<Client>>()
  #count = 0

  constructor(ground: Ground) {
    this.#ground = ground
  }

  /**
   * A client that scenarios share, registered when it is first needed. The tokens of `main` may end after
   * {@link MOST_CONSENTS} consents; whoever needs tokens for long takes `other`, which is asked for rarely.
   */
  shared(name: string): Promise<Client> {
    const known = this.#shared.get(name) ?? this.#registered(`${this.#ground.prefix}client.${name}`)
    this.#shared.set(name, known)
    return known
  }

  /** What is sent to register, with these members instead; `undefined` leaves one out. */
  metadata(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      redirect_uris: [CALLBACK],
      client_name: `Contract check ${this.#ground.run} ${++this.#count}`,
      software_id: 'https://contract.example/check',
      ...more,
    }
  }

  /** Registers, and writes down how the client is removed. Whatever comes is only recorded. */
  async register(
    label: string,
    metadata: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const { registration } = await this.#ground.endpoints()
    const made = this.#ground.journal.making('client', String(metadata['client_name']))
    const answer = await this.#ground
      .send(label, registration, { method: 'POST', json: metadata, headers })
      .catch((error: unknown) => {
        if (error instanceof NotSent) this.#ground.journal.gone(made.id)
        throw error
      })
    if (answer.answer.status === 429) {
      const seconds = Number(header(answer, 'retry-after') ?? HOUR_S)
      this.#ground.stop(
        `The registrations of this hour are used up; run it again in ${Math.ceil(seconds / MINUTE_S)} minutes.`,
      )
    }
    const client = this.clientOf(answer)
    if (client === undefined) this.#ground.journal.gone(made.id)
    else {
      this.#ground.journal.made(made, {
        method: 'DELETE',
        url: client.managementUrl,
        headers: { Authorization: `Bearer ${client.registrationToken}` },
      })
    }
    return answer
  }

  /** The client of an answer to a registration, if it is one. */
  clientOf(answer: Answered): Client | undefined {
    const record = jsonOf(answer)
    const text = (name: string): string => String(record[name] ?? '')
    if (text('client_id') === '') return undefined
    this.#ground.secrets.learn('client_secret', text('client_secret'))
    this.#ground.secrets.learn('registration_access_token', text('registration_access_token'))
    const uris = record['redirect_uris']
    return {
      id: text('client_id'),
      secret: text('client_secret'),
      registrationToken: text('registration_access_token'),
      redirectUri: Array.isArray(uris) ? String(uris[0]) : CALLBACK,
      managementUrl:
        text('registration_client_uri') || `${answer.request.url}/${text('client_id')}`,
      name: text('client_name'),
    }
  }

  /** Registers a client that must work. */
  async registerOne(label: string, more: Readonly<Record<string, unknown>> = {}): Promise<Client> {
    const answer = await this.register(label, this.metadata(more))
    const client = this.clientOf(answer)
    if (client === undefined) {
      throw new Error(`${label}: no client was registered (${answer.answer.status})`)
    }
    return client
  }

  /** An authorization request. */
  async authorizeUrl(
    client: Client,
    request: CodeRequest = {},
    challenge?: string,
  ): Promise<string> {
    const { authorization } = await this.#ground.endpoints()
    const url = new URL(authorization)
    const parameters = {
      client_id: client.id,
      redirect_uri: request.redirectUri ?? client.redirectUri,
      response_type: 'code',
      scope: request.scope ?? this.#ground.scope,
      state: request.state ?? this.#ground.random(),
      ...(challenge !== undefined && {
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
      ...request.more,
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /** Lets the owner allow a client. @throws Error when no code comes */
  async code(label: string, client: Client, request: CodeRequest = {}): Promise<Code> {
    const verifier = this.#ground.random(32)
    this.#ground.secrets.learn('code_verifier', verifier)
    const state = request.state ?? this.#ground.random()
    const challenge = request.pkce === false ? undefined : challengeOf(verifier)
    const url = await this.authorizeUrl(client, { ...request, state }, challenge)
    const browser = await this.#ground.owner()
    const { agent } = this.#ground
    const consent = await this.#afterFirst(client, () =>
      agent.consent(label, browser, url, request.choice ?? 'accept'),
    )
    const code = parameterOf(consent.location, 'code')
    if (code === undefined) throw new Error(`${label}: no code came back`)
    this.#ground.secrets.learn('code', code)
    return { code, verifier, state, consent }
  }

  /**
   * Lets the first consent of a client end before others begin. How long a server proposes to allow a client that nobody
   * knows may depend on what it asks, and whoever chooses a shorter time ends the longer access of before.
   * @throws Error when the client has had {@link MOST_CONSENTS}
   */
  async #afterFirst<Result>({ id, name }: Client, ask: () => Promise<Result>): Promise<Result> {
    const known = this.#consents.get(id)
    if (known === undefined) {
      const asking = ask()
      // What became of it is the matter of who asked.
      const first = asking.then(nothing, nothing)
      this.#consents.set(id, { count: 1, first })
      return asking
    }
    if (known.count >= MOST_CONSENTS) {
      throw new Error(`${name} has had ${MOST_CONSENTS} consents already`)
    }
    known.count++
    await known.first
    return ask()
  }

  /** Exchanges a code; whatever comes is only recorded. */
  async exchange(
    label: string,
    client: Client,
    code: Pick<Code, 'code'> & { readonly verifier?: string },
    fields: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const { token } = await this.#ground.endpoints()
    return this.#ground.send(label, token, {
      method: 'POST',
      form: present({
        grant_type: 'authorization_code',
        code: code.code,
        client_id: client.id,
        client_secret: client.secret,
        redirect_uri: client.redirectUri,
        code_verifier: code.verifier,
        ...fields,
      }),
      headers,
    })
  }

  /** Refreshes; whatever comes is only recorded. */
  async refresh(
    label: string,
    client: Client,
    refreshToken: string,
    fields: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Answered> {
    const { token } = await this.#ground.endpoints()
    return this.#ground.send(label, token, {
      method: 'POST',
      form: present({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: client.id,
        client_secret: client.secret,
        ...fields,
      }),
    })
  }

  /** Tokens of a fresh grant. @throws Error when none come */
  async tokens(label: string, client: Client, request: CodeRequest = {}): Promise<Tokens> {
    const code = await this.code(`${label}.ask`, client, request)
    return this.tokensOf(await this.exchange(label, client, withVerifier(code, request)))
  }

  tokensOf(answer: Answered): Tokens {
    const record = jsonOf(answer)
    const { access_token: access, refresh_token: refresh } = record
    if (typeof access !== 'string') throw new Error(`${answer.label}: there is no access token`)
    return { access, refresh: String(refresh ?? ''), scope: String(record['scope'] ?? '') }
  }

  /** Asks the guarded resource. */
  resource(label: string, token: string, path?: string): Promise<Answered> {
    return this.#ground.send(label, path ?? this.#ground.profile.resource?.path ?? '/', {
      headers: { Authorization: `Bearer ${token}` },
    })
  }

  async #registered(label: string): Promise<Client> {
    return this.registerOne(label)
  }
}

/** What the token endpoint needs of a code. */
export function withVerifier(
  code: Code,
  { pkce }: CodeRequest = {},
): Pick<Code, 'code'> & { verifier?: string } {
  return { code: code.code, ...(pkce !== false && { verifier: code.verifier }) }
}

/** The challenge of a verifier (RFC 7636 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function present(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function nothing(): void {}
