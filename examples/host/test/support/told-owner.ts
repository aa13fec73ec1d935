import { loopbackFetch, until } from '@svc/testkit'
import { type AdminAccess, callAdmin, type TourOwner } from './tour-owner.ts'

/** A notification as the admin listener shows it. */
export interface Told {
  readonly id: string
  readonly status: string
  readonly title: string
  readonly slug?: string
  readonly channel?: string
  readonly reason?: string
  readonly due_at?: string
}

/** A push of the development outbox. */
export interface PushedEntry {
  readonly kind: string
  readonly device: string
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What reaches the owner, as an operator sees it, and a device for it to reach. */
export interface ToldOwner {
  /** Registers a client of an app, on a phone unless told otherwise, which the owner has let in. */
  addDevice(
    software: string,
    name: string,
    push?: Readonly<Record<`notification_${string}`, string>>,
  ): Promise<void>
  /** Waits for the one of this title to be as wanted. @throws Error with what it is instead */
  isTold(title: string, wanted: (told: Told) => boolean): Promise<Told>
  /** Newest first. */
  pushes(): Promise<readonly PushedEntry[]>
}

const A_PHONE = {
  notification_platform: 'android',
  notification_device_token: 'a-device-token',
}

export function createToldOwner(
  admin: AdminAccess,
  owner: Pick<TourOwner, 'domain' | 'origin'>,
  port: number,
): ToldOwner {
  const path = `/instances/${owner.domain}`
  const send = loopbackFetch({ port })

  return {
    async addDevice(software, name, push = A_PHONE) {
      const answer = await send(`${owner.origin}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          client_name: name,
          software_id: software,
          redirect_uris: ['https://app.example/callback'],
          client_kind: 'mobile',
          ...push,
        }),
      })
      if (answer.status !== 201) throw new Error(`registration: ${await answer.text()}`)
      const { client_id: id } = (await answer.json()) as { client_id: string } // of the registration
      const scope = `@io.svc.apps/${software.split('/').at(-1)}`
      await callAdmin(admin, 'POST', `${path}/clients/${id}/tokens`, { scope })
    },
    async isTold(title, wanted) {
      let found: Told | undefined
      return until(
        async () => {
          const { notifications } = (await callAdmin(admin, 'GET', `${path}/notifications`)) as {
            notifications: readonly Told[]
          } // by the admin listener
          found = notifications.findLast((each) => each.title === title)
          return found !== undefined && wanted(found) && found
        },
        { limitMs: 10_000, describe: () => `${title}: ${JSON.stringify(found)}` },
      )
    },
    async pushes() {
      const answer = await callAdmin(admin, 'GET', `${path}/outbox`)
      return (answer as { entries: readonly PushedEntry[] }).entries // by the admin listener
    },
  }
}
