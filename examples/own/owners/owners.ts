import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthUi, HostFieldChange, HostProfile } from '@svc/auth-ui'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'

/** A row of the table `users`, which was there before the packages were. */
export interface User {
  readonly id: number
  readonly login: string
  readonly email: string
  readonly name: string
}

/** The host's own table. */
export class Users {
  readonly #database: DatabaseSync

  constructor(file: string) {
    this.#database = new DatabaseSync(file)
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, login TEXT UNIQUE, email TEXT, name TEXT)',
    )
  }

  add({ login, email, name }: Omit<User, 'id'>): User {
    const insert = this.#database.prepare(
      'INSERT INTO users (login, email, name) VALUES (?, ?, ?) RETURNING *',
    )
    return insert.get(login, email, name) as unknown as User
  }

  find(id: number): User | undefined {
    const select = this.#database.prepare('SELECT * FROM users WHERE id = ?')
    return select.get(id) as unknown as User | undefined
  }

  rename(id: number, name: string): void {
    this.#database.prepare('UPDATE users SET name = ? WHERE id = ?').run(name, id)
  }

  close(): void {
    this.#database.close()
  }
}

/**
 * The user's instance, made at the first call: `externalId` ties the two together. However many ask at the same time,
 * one instance is made, since the id is unique in the store.
 */
export async function instanceOf(
  { oauth, ui }: { readonly oauth: OAuth; readonly ui: AuthUi },
  { id, login, email, name }: User,
  host: string,
): Promise<Instance> {
  const externalId = `user:${id}`
  const known = await oauth.instances.byExternalId(externalId)
  if (known !== undefined) return known
  const domain = `${login}.${host}`
  try {
    const made = await ui.owners.createInstance({ domain, email, publicName: name, externalId })
    return made.instance
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code !== 'external_id_taken' && code !== 'domain_taken') throw error
    // Another request is making it this moment, unless the name is somebody else's.
    for (let tries = 0; tries < 20; tries += 1) {
      const other = await oauth.instances.byExternalId(externalId)
      if (other !== undefined) return other
      await sleep(50)
    }
    throw error
  }
}

/** Fields that the table has: the name is changed in the settings and copied, the address is changed at the host. */
export function profileOf(users: Users, accountPage: string): HostProfile {
  return {
    fields: ['email', 'public_name'],
    link: { email: accountPage },
    onChange: ({ value }) => {
      if (/^admin/i.test(value)) throw refusal('This name is kept for the administrator.')
    },
    onChanged: ({ instance, field, value }: HostFieldChange) => {
      const id = Number(instance.externalId?.replace('user:', ''))
      if (field === 'public_name') users.rename(id, value)
    },
  }
}

/** An error with `status` and `code` is answered as it is. */
function refusal(description: string): Error {
  return Object.assign(new Error(description), {
    status: 403,
    code: 'name_kept',
    expose: true,
    description,
  })
}
