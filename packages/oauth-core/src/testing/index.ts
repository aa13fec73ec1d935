import '@svc/store/node-version'
import type { Instance, NewInstance } from '@svc/platform'
import type { OAuth } from '../oauth.ts'
import { testAccess } from './test-access.ts'
import { TestClock } from './test-clock.ts'

export type { TestClock } from './test-clock.ts'

/** What `testOwner` needs of the package with the owners, such as `createAuthUi` of `@svc/auth-ui`. */
export interface TestUi {
  readonly owners: {
    createInstance(
      input: NewInstance,
      passphrase?: string,
    ): Promise<{ readonly instance: Instance }>
    createSession(
      instance: Instance,
    ): Promise<{ readonly cookie: { readonly name: string; readonly value: string } }>
  }
}

/** Somebody who is logged in. */
export interface TestOwner {
  readonly instance: Instance
  /** The value of a `Cookie` header, for the instance's own host. */
  readonly cookie: string
  readonly passphrase: string
}

const PASSPHRASE = 'correct horse battery staple'

/**
 * An access token of a new client, as if the owner had allowed it the scope.
 * @throws TypeError unless the package was made with `testing: true`, and the instance is at or below `localhost`
 * @throws OAuthError `invalid_scope` for what no owner could allow
 * @example
 * const token = await testToken(oauth, { instance, scope: 'io.example.recipes:GET' })
 * await fetch(address, { headers: { authorization: `Bearer ${token}` } })
 */
export async function testToken(
  oauth: OAuth,
  { instance, scope }: { readonly instance: Instance; readonly scope: string },
): Promise<string> {
  const access = testAccess(oauth, instance.domain)
  const id = await access.register(instance, {
    client_name: 'Test',
    software_id: 'test',
    redirect_uris: ['http://localhost/callback'],
  })
  return access.issueToken(instance, id, scope)
}

/**
 * An owner with a session: that of the domain, or a new one.
 * @throws TypeError unless the package was made with `testing: true`, and the domain is at or below `localhost`
 * @example
 * const { instance, cookie } = await testOwner(ui, { oauth })
 */
export async function testOwner(
  ui: TestUi,
  options: {
    readonly oauth: OAuth
    /** @defaultValue `alice.localhost` */
    readonly domain?: string
  },
): Promise<TestOwner> {
  const { oauth, domain = 'alice.localhost' } = options
  testAccess(oauth, domain)
  const known = await oauth.instances.byHost(domain)
  const made = async (): Promise<Instance> => {
    const input = { domain, email: 'alice@example.com' }
    return (await ui.owners.createInstance(input, PASSPHRASE)).instance
  }
  const instance = known ?? (await made())
  const { cookie } = await ui.owners.createSession(instance)
  return { instance, cookie: `${cookie.name}=${cookie.value}`, passphrase: PASSPHRASE }
}

/** A clock to pass to `createOAuth({ testing: true, clock })`, which moves when a test says so. */
export function testClock(): TestClock {
  return new TestClock()
}
