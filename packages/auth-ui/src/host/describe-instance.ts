import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { type Instance, SECOND_MS } from '@svc/platform'
import { firstAddresses } from '../apps/first-pages.ts'
import { createOnboardingUrl } from '../passphrase/new-owner.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { AuthUiServices } from '../services.ts'

/** A name that nobody answers for within this time is not complained about. */
const LOOKUP_MS = 2 * SECOND_MS

/**
 * Where an instance is reached, as text for who starts the server. An owner who has yet to choose a passphrase gets a
 * link for it, but only over plain http: what a server prints in production is kept, and read by others.
 */
export async function describeInstance(
  services: AuthUiServices,
  instance: Instance,
): Promise<string> {
  const { store } = services.oauth
  const { home, settings } = await firstAddresses(services, instance)
  const place = store.place === undefined ? '' : `, store ${store.place}`
  const lines: [what: string, address: string, note?: string][] = [
    ['Home', home],
    ...(settings === undefined ? [] : [['Settings', settings] as [string, string]]),
    ['Metadata', `${instance.origin}/.well-known/oauth-authorization-server`],
  ]
  const isOnboarded = (await onboardedOwner(services, instance)) !== undefined
  const link = await onboardingLink(services, instance, isOnboarded)
  if (link !== undefined) lines.unshift(['Owner', link, '(works once)'])
  const hosts = [home, settings].flatMap((address) =>
    address === undefined ? [] : [new URL(address).hostname],
  )
  const names = await unknownNames(hosts)
  return [
    `Svc ${version()} on Node ${process.versions.node}${place}`,
    ...lines.map(([what, ...rest]) => `  ${what.padEnd(10)} ${rest.join('   ')}`),
    ...names.map(
      (name) =>
        `  ${name} does not resolve here: add a record for *${name.slice(name.indexOf('.'))}`,
    ),
    `Next: ${nextStep(instance, home, isOnboarded)}`,
  ].join('\n')
}

/** Undefined for an owner who has a passphrase, and over https. */
async function onboardingLink(
  services: AuthUiServices,
  instance: Instance,
  isOnboarded: boolean,
): Promise<string | undefined> {
  if (isOnboarded || instance.isHttps) return undefined
  return createOnboardingUrl(services, instance)
}

/** What the reader does now. */
function nextStep({ isHttps }: Instance, home: string, isOnboarded: boolean): string {
  if (isOnboarded) return `log in at ${home}`
  return isHttps
    ? 'create a link for the owner with ui.owners.createOnboardingUrl(instance).'
    : 'open the Owner link in a browser and choose a passphrase.'
}

/** Names that the resolver of this computer does not know. Those below `localhost` are the browser's business. */
async function unknownNames(hosts: readonly string[]): Promise<string[]> {
  const asked = [...new Set(hosts)].filter((host) => !/(?:^|\.)localhost$/.test(host))
  const known = await Promise.all(asked.map(isKnown))
  return asked.filter((_host, at) => known[at] === false)
}

async function isKnown(host: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, LOOKUP_MS, true)
  })
  const found = lookup(host).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOTFOUND' && error.code !== 'EAI_AGAIN',
  )
  try {
    return await Promise.race([found, late])
  } finally {
    clearTimeout(timer)
  }
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // The package's own manifest.
  return (JSON.parse(manifest) as { readonly version: string }).version
}
