import { until } from '@svc/testkit'
import type { TourRun } from './tour-stage.ts'

/** An instance and its mailbox. */
export interface TourOwner {
  readonly domain: string
  readonly origin: string
  readonly passphrase: string
  /** Empty for an instance that is onboarded already. */
  readonly onboardingUrl: string
  /** Origin of an app. */
  app(slug: string): string
  /**
   * What the expression finds in the newest mail of a template; waits until there is one that was not read.
   * @throws Error when none comes, or nothing is found in it
   */
  mailed(template: string, wanted: RegExp): Promise<string>
  /** How many mails of a template there are. */
  countMails(template: string): Promise<number>
}

/** Where the admin listener is. */
export interface AdminAccess {
  readonly port: number
  readonly token: string
}

interface Mail {
  readonly id: string
  readonly template: string
  readonly text: string
}

export const TOUR_PASSPHRASE = 'seven green kettles sing at dawn'

/** Creates an instance over the admin listener, as an operator does. */
export async function createTourOwner(
  admin: AdminAccess,
  { subdomains, locale }: TourRun,
  name: string,
  options: { readonly isOnboarded?: false; readonly magicLink?: true } = {},
): Promise<TourOwner> {
  const domain = subdomains === 'flat' ? `${name}.svc.localhost` : `${name}.localhost`
  const created = await callAdmin(admin, 'POST', '/instances', {
    domain,
    locale,
    email: `${name}@mail.example`,
    publicName: 'Alice',
    ...(options.isOnboarded !== false && { passphrase: TOUR_PASSPHRASE }),
    ...(options.magicLink === true && { magic_link: true }),
  })
  const { onboardingUrl = '' } = created as { onboardingUrl?: string } // of `POST /instances`
  const read = new Set<string>()

  async function mails(template: string): Promise<readonly Mail[]> {
    const answer = await callAdmin(admin, 'GET', `/instances/${domain}/mails`)
    const { mails: all } = answer as { mails: readonly Mail[] } // newest first
    return all.filter((mail) => mail.template === template)
  }

  return {
    domain,
    origin: `http://${domain}`,
    passphrase: TOUR_PASSPHRASE,
    onboardingUrl,
    app: (slug) =>
      subdomains === 'flat' ? `http://${name}-${slug}.svc.localhost` : `http://${slug}.${domain}`,
    async mailed(template, wanted) {
      const newest = await until(
        async () => {
          const found = await mails(template)
          const [mail] = found
          if (mail === undefined || read.has(mail.id)) return undefined
          for (const { id } of found) read.add(id)
          return mail
        },
        { limitMs: 10_000, describe: () => `no mail ${template} came` },
      )
      const match = wanted.exec(newest.text)?.[0]
      if (match === undefined) throw new Error(`no ${wanted} in a mail ${template}`)
      return match
    },
    countMails: async (template) => (await mails(template)).length,
  }
}

/** Calls the admin listener. @throws Error for an answer that is no success */
export async function callAdmin(
  { port, token }: AdminAccess,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return response.status === 204 ? undefined : response.json()
}
