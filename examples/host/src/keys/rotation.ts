import type { AuthUi } from '@svc/auth-ui'
import type { OAuth } from '@svc/oauth-core'
import { type Instance, PacedWork, type PacedWorkOptions, type WorkProgress } from '@svc/platform'

/** Which keys of an instance are replaced beside those that sign access tokens. */
export type RotationKinds = {
  /** Older keys die at once, and every access token with them. */
  readonly revoke: boolean
  /** Ends every session of the owner. */
  readonly sessions: boolean
  /** Ends every link in mails that were sent. */
  readonly links: boolean
}

/** Where a rotation of all instances is. */
export type RotationState = {
  readonly kinds: RotationKinds
  /** Of the instances; empty: the first page. */
  readonly place: string
  readonly rotated: number
}

export type RotationProgress = WorkProgress<RotationState>

type RotationServices = {
  readonly oauth: Pick<OAuth, 'instances' | 'keyring'>
  readonly ui: Pick<AuthUi, 'owners'>
}

/**
 * Replaces the keys of an instance.
 * @param madeBefore - keys that were made since then stay, so that a repeat does nothing; milliseconds since the epoch
 */
export async function rotateKeys(
  { oauth, ui }: RotationServices,
  instance: Instance,
  { revoke, sessions, links }: RotationKinds,
  madeBefore?: number,
): Promise<void> {
  const since = madeBefore === undefined ? {} : { madeBefore }
  await oauth.keyring.rotate(instance, { revoke, ...since })
  if (links) await oauth.keyring.replace(instance, 'mail', since)
  if (!sessions) return
  await oauth.keyring.replace(instance, 'session', since)
  // Their cookies died with the key: only dead records would be left.
  await ui.owners.deleteAllSessions(instance)
}

/** Replaces the keys of all instances, at a pace, and from where it was after a kill. */
export class Rotation {
  readonly #work: PacedWork<RotationState>

  constructor(
    services: RotationServices,
    options: Omit<PacedWorkOptions<RotationState>, 'name' | 'next'>,
  ) {
    this.#work = new PacedWork<RotationState>({
      ...options,
      name: 'rotate-keys',
      async next({ kinds, place, rotated }, { pace, startedAt }) {
        const page = await services.oauth.instances.list(place === '' ? {} : { cursor: place })
        for (const instance of page.instances) {
          await pace(1)
          await rotateKeys(services, instance, kinds, startedAt)
        }
        const state = {
          kinds,
          place: page.cursor ?? '',
          rotated: rotated + page.instances.length,
        }
        return { state, isDone: page.cursor === undefined }
      },
    })
  }

  /** Starts, or goes on where one of the same kinds was cut short; of one that goes on already, the progress. */
  start(kinds: RotationKinds, rate: number): Promise<RotationProgress> {
    const isSame = (state: RotationState): boolean =>
      state.kinds.revoke === kinds.revoke &&
      state.kinds.sessions === kinds.sessions &&
      state.kinds.links === kinds.links
    return this.#work.start({ kinds, place: '', rotated: 0 }, rate, isSame)
  }

  progress(): Promise<RotationProgress | undefined> {
    return this.#work.progress()
  }

  resume(): Promise<void> {
    return this.#work.resume()
  }

  close(): Promise<void> {
    return this.#work.close()
  }
}
