import { hash, randomBytes } from 'node:crypto'
import { DAY_MS, equalSecrets, type RecordKind, toFound, valueSchemas } from '@svc/platform'
import { type Clock, indexKey, type Json, type PutChange, recordKey, type Store } from '@svc/store'
import { AdminError } from './admin-error.ts'
import { ADMIN_SCOPES, type AdminScope } from './admin-scopes.ts'

const { digest, instant, list, members, oneOf } = valueSchemas

/** A token of the admin listener for one purpose, with an end. */
export interface NamedToken {
  readonly name: string
  readonly scopes: readonly AdminScope[]
  readonly createdAt: number
  /** When it ends, milliseconds since the epoch. */
  readonly until: number
}

interface StoredToken extends Omit<NamedToken, 'name'> {
  /** SHA-256 of the secret; its 256 random bits cannot be guessed from it. */
  readonly digest: string
}

const TAG = 'host'
const KIND = 'admin-token'
const INDEX_NAME = 'admin-tokens'
const INDEX = indexKey(TAG, INDEX_NAME)
/** How long one that ended is listed. */
const LISTED_MS = 30 * DAY_MS
/** A name has no dot: the secret begins behind the first one. */
const FORM = /^([a-z0-9][a-z0-9-]{0,39})\.([A-Za-z0-9_-]{43})$/

/** The declaration of the kind, for the registry. */
export const ADMIN_TOKEN_RECORD: RecordKind = {
  kind: KIND,
  version: 1,
  schema: members({
    scopes: list(oneOf(...ADMIN_SCOPES)),
    createdAt: instant,
    until: instant,
    digest,
  }),
  tags: [TAG],
  places: { by: 'index', index: INDEX_NAME },
  life: '30 days after its end, or until revoked, by `svc admin-token revoke`',
  export: { no: 'It is the host’s.' },
  content: 'name of an admin token: the SHA-256 of its secret, what it may do, and until when',
}

/** The named tokens of a store; all processes know them at once. */
export class NamedTokens {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Makes one. The secret is in the answer and nowhere else.
   * @throws AdminError `admin_token_exists` while one of that name lives
   */
  async create(
    name: string,
    scopes: readonly AdminScope[],
    until: number,
  ): Promise<{ readonly token: NamedToken; readonly secret: string }> {
    const createdAt = this.#clock.now()
    if (until <= createdAt) throw new AdminError('invalid_request', 400, 'until is in the past')
    const key = recordKey(TAG, KIND, name)
    const known = await this.#store.get<Json>(key)
    if (known !== undefined && toStored(known.value).until > createdAt) throw taken(name)
    const secret = randomBytes(32).toString('base64url')
    const sorted = ADMIN_SCOPES.filter((each) => scopes.includes(each))
    const stored: StoredToken = { scopes: sorted, createdAt, until, digest: digestOf(secret) }
    const put: PutChange = {
      op: 'put',
      key,
      value: stored as unknown as Json, // plain members
      expiresAt: until + LISTED_MS,
      indexes: [{ index: INDEX, sort: name }],
      ...(known === undefined ? { ifAbsent: true } : { ifRevision: known.revision }),
    }
    if (!(await this.#store.write([put])).written) throw taken(name)
    return { token: { name, scopes: sorted, createdAt, until }, secret: `${name}.${secret}` }
  }

  /** All that were not revoked, by name; those that ended lately too. */
  async list(): Promise<readonly NamedToken[]> {
    const found: NamedToken[] = []
    let cursor: string | undefined
    do {
      const page = await this.#store.list(INDEX, cursor === undefined ? {} : { cursor })
      found.push(...page.records.map((each) => toToken(toFound(each).id, toStored(each.value))))
      cursor = page.cursor
    } while (cursor !== undefined)
    return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** @returns whether there was one */
  async revoke(name: string): Promise<boolean> {
    const key = recordKey(TAG, KIND, name)
    return (await this.#store.write([{ op: 'delete', key, ifPresent: true }])).written
  }

  /** The token whose secret was given; undefined for anything else. One that ended is answered, too. */
  async find(given: string): Promise<NamedToken | undefined> {
    const [, name, secret] = FORM.exec(given) ?? []
    if (name === undefined || secret === undefined) return undefined
    const known = await this.#store.get<Json>(recordKey(TAG, KIND, name))
    if (known === undefined) return undefined
    const stored = toStored(known.value)
    return equalSecrets(digestOf(secret), stored.digest) ? toToken(name, stored) : undefined
  }
}

function taken(name: string): AdminError {
  return new AdminError('admin_token_exists', 409, `there is an admin token called ${name}`)
}

function toStored(value: Json): StoredToken {
  return value as unknown as StoredToken // Stored under keys of this kind only.
}

function toToken(name: string, { scopes, createdAt, until }: StoredToken): NamedToken {
  return { name, scopes, createdAt, until }
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
