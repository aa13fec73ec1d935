import type { AppManifest } from '@svc/oauth-core'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { sampleApp } from './sample-instance.ts'
import { startUi, type UiServer, type UiServerOptions } from './ui-server.ts'

/** `settings` may do everything there, `reader` may look, `drive` nothing. */
const APPS: readonly AppManifest[] = [
  sampleApp('home'),
  sampleApp('drive'),
  {
    ...sampleApp('reader'),
    permissions: { settings: { type: 'io.svc.settings', verbs: ['GET'] } },
  },
  {
    ...sampleApp('settings'),
    permissions: {
      sessions: { type: 'io.svc.sessions' },
      settings: { type: 'io.svc.settings' },
    },
  },
]

/** A server whose apps have permissions on the settings. */
export function startWithSettings(options: UiServerOptions = {}): Promise<UiServer> {
  return startUi({
    ...options,
    oauth: {
      apps: {
        installed: async (_instance, slug) => APPS.find((app) => app.slug === slug),
        listInstalled: async () => APPS,
        available: async () => undefined,
      },
      ...options.oauth,
    },
  })
}

/** The token in an app's page, for the browser's session. */
export async function appToken(browser: BrowserClient, slug = 'settings'): Promise<string> {
  const page = await browser.get(`${appOriginOf(browser, slug)}/`)
  return String(page.json<Record<string, string>>()['data-svc-token'])
}

/** What an app's script sends: the app's token, JSON, from the app's own origin. */
export async function ask(
  browser: BrowserClient,
  method: string,
  path: string,
  json?: unknown,
  { slug = 'settings', token }: { readonly slug?: string; readonly token?: string } = {},
): Promise<BrowserResponse> {
  const bearer = token ?? (await appToken(browser, slug))
  return browser.request(method, path, {
    from: appOriginOf(browser, slug),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
  })
}

function appOriginOf(browser: BrowserClient, slug: string): string {
  return browser.base.replace('https://', `https://${slug}.`)
}
