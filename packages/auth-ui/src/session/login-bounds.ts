import type { Instance } from '@svc/platform'
import { indexKey } from '@svc/store'
import type { AuthUiServices } from '../services.ts'
import { keepNewest } from './keep-newest.ts'

/** Of an instance, by index. @see operation.md 8.1 */
const MOST = { 'session-logins': 1000, 'login-places': 1000, 'known-devices': 100 } as const

/** What logins leave behind is bounded: the oldest entries go, and the browsers that logged in longest ago. */
export function boundLogins(
  { background, store }: Pick<AuthUiServices, 'background' | 'store'>,
  instance: Instance,
): void {
  background.run('logins.bound', async () => {
    for (const [name, most] of Object.entries(MOST)) {
      await keepNewest(store, indexKey(instance.id, name), most)
    }
  })
}
