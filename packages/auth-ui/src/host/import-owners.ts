import { setTimeout as pause } from 'node:timers/promises'
import { type Instance, InstanceError, type InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import { base32Bytes, knownAuthenticator } from '../factors/totp.ts'
import type { Factors, Passkey } from '../owner/factors.ts'
import {
  acceptsRegisterToken,
  invitationContext,
  newRegisterToken,
  newSecurityStamp,
  type Owner,
  withRegisterToken,
} from '../owner/owner.ts'
import { newOwner, onboardingUrl } from '../passphrase/new-owner.ts'
import type { AuthUiServices } from '../services.ts'
import { readImported } from './imported-passphrase.ts'
import {
  faultsOf,
  instanceOf,
  type OwnerLine,
  type OwnerLineFault,
  type PasskeyLine,
  readLine,
} from './owner-line.ts'

/** How owners are imported. */
export interface ImportAllOptions {
  /** Checks every line and writes nothing. @defaultValue `false` */
  readonly dryRun?: boolean
  /** Records of the host that join the write which creates an instance, such as its first apps. */
  readonly changes?: (id: InstanceId) => readonly Change[]
}

/** What became of the lines. */
export interface ImportedOwners {
  /** Owners that were made; in a dry run those that would be. */
  readonly created: number
  /** Owners that were there, and were left as they are. */
  readonly unchanged: number
  /** In the order of the lines. */
  readonly owners: readonly ImportedOwner[]
}

/** What became of a line. */
export interface ImportedOwner {
  /** From 1. */
  readonly line: number
  readonly externalId: string
  readonly domain: string
  readonly state: 'created' | 'unchanged'
  /** Of an owner without a passphrase; a repeat answers the same. Absent in a dry run. */
  readonly onboardingUrl?: string
}

/**
 * Refuses an import: all faults of all lines, each with its line and path. Recognise it by `code`.
 * @example
 * if (error instanceof OwnerImportError) {
 *   for (const { line, path, problem } of error.faults) process.stderr.write(`${line}: ${path} ${problem}\n`)
 * }
 */
export class OwnerImportError extends TypeError {
  override readonly name: string = 'OwnerImportError'
  readonly code: string = 'invalid_owners'
  readonly faults: readonly OwnerLineFault[]

  constructor(faults: readonly OwnerLineFault[]) {
    super(
      faults
        .map(
          ({ line, path, problem }) => `line ${line}: ${path === '' ? '' : `${path} `}${problem}`,
        )
        .join('\n'),
    )
    this.faults = faults
  }
}

interface Entry {
  readonly number: number
  readonly line: OwnerLine
  /** As it is stored. */
  readonly domain: string
}

type Outcome = ImportedOwner | { readonly faults: readonly OwnerLineFault[] }

const MAX_LINES = 100_000
/** Lines that are checked or written at a time. */
const AT_A_TIME = 32
/** Names that a killed import had claimed are free after a minute; nobody else holds one for longer without an instance. */
const PATIENCE_MS = 75_000
const ASK_AGAIN_MS = 250

/** @throws OwnerImportError */
export async function importOwners(
  services: AuthUiServices,
  lines: AsyncIterable<OwnerLine | string> | Iterable<OwnerLine | string>,
  options: ImportAllOptions = {},
): Promise<ImportedOwners> {
  const { entries, faults } = await readLines(services, lines)
  const present = new Map<number, ImportedOwner>()
  await inParallel(entries, async (entry) => {
    const found = await lookUp(services, entry, options)
    if ('state' in found) present.set(entry.number, found)
    else faults.push(...found.faults)
  })
  if (faults.length > 0) throw new OwnerImportError(inOrder(faults))
  const missing = entries.filter(({ number }) => !present.has(number))
  const made: readonly Outcome[] =
    options.dryRun === true
      ? missing.map((entry) => answerOf(entry, 'created'))
      : await writeAll(services, missing, options)
  const left = made.flatMap((outcome) => ('faults' in outcome ? outcome.faults : []))
  if (left.length > 0) throw new OwnerImportError(inOrder(left))
  const owners = [...present.values(), ...made.filter((outcome) => 'state' in outcome)].toSorted(
    (one, other) => one.line - other.line,
  )
  const created = owners.filter(({ state }) => state === 'created').length
  return { created, unchanged: owners.length - created, owners }
}

/** What an imported passphrase changes of an owner who was not onboarded. */
export function ofImported(
  passphrase: ReturnType<typeof readImported>,
  now: number,
): Pick<Owner, 'onboardedAt' | 'registerTokens' | 'securityStamp' | 'updatedAt'> &
  typeof passphrase {
  return {
    ...passphrase,
    registerTokens: [],
    securityStamp: newSecurityStamp(now),
    onboardedAt: now,
    updatedAt: now,
  }
}

/** Everything that the lines tell by themselves. */
async function readLines(
  services: AuthUiServices,
  lines: AsyncIterable<OwnerLine | string> | Iterable<OwnerLine | string>,
): Promise<{ entries: Entry[]; faults: OwnerLineFault[] }> {
  const entries: Entry[] = []
  const faults: OwnerLineFault[] = []
  const seen = new Map<string, number>()
  let number = 0
  for await (const given of lines) {
    number += 1
    if (number > MAX_LINES) {
      throw new OwnerImportError([{ line: number, path: '', problem: `is more than ${MAX_LINES}` }])
    }
    if (typeof given === 'string' && given.trim() === '') continue
    const read = readLine(given)
    const fault = (path: string, problem: string): void => {
      faults.push({ line: number, path, problem })
    }
    if ('faults' in read) {
      for (const { path, problem } of read.faults) fault(path, problem)
      continue
    }
    const { line } = read
    for (const { path, problem } of await faultsOf(services, line)) fault(path, problem)
    const domain = spellingOf(services, line)
    for (const [path, value] of [
      ['externalId', line.externalId],
      ['domain', domain ?? line.domain],
    ] as const) {
      const first = seen.get(`${path} ${value}`)
      if (first !== undefined) fault(path, `is that of line ${first}`)
      else seen.set(`${path} ${value}`, number)
    }
    entries.push({ number, line, domain: domain ?? line.domain })
  }
  return { entries, faults }
}

/** Undefined for what is no domain; the check of the instance says so. */
function spellingOf({ oauth }: AuthUiServices, { domain }: OwnerLine): string | undefined {
  try {
    return oauth.instances.normalize(domain)
  } catch {
    return undefined
  }
}

/** The owner of a line, when an import before this one made it. */
async function presentOf(
  services: AuthUiServices,
  entry: Entry,
  { dryRun = false }: ImportAllOptions,
): Promise<ImportedOwner | undefined> {
  const { oauth, owners } = services
  const instance = await oauth.instances.byExternalId(entry.line.externalId)
  if (instance?.domain !== entry.domain) return undefined
  const owner = (await owners.get(instance.id))?.owner
  const token = dryRun || owner === undefined ? undefined : invitationOf(services, instance, owner)
  return answerOf(entry, 'unchanged', token && onboardingUrl(instance, token))
}

/** The token of the first import, while it is good. */
function invitationOf(
  { oauth }: AuthUiServices,
  { id }: Instance,
  owner: Owner,
): string | undefined {
  if (owner.invitation === undefined) return undefined
  const token = oauth.sealer.open(owner.invitation, invitationContext(id)).toString()
  return acceptsRegisterToken(owner, token) ? token : undefined
}

/** The owner who is there, or why the store refuses this one; no faults: nothing keeps it from being made. */
async function lookUp(
  services: AuthUiServices,
  entry: Entry,
  options: ImportAllOptions,
): Promise<Outcome> {
  const present = await presentOf(services, entry, options)
  if (present !== undefined) return present
  const faults = await services.oauth.instances.check(instanceOf(entry.line))
  if (faults.length === 0) return { faults: [] }
  // Another import may have made it between the two.
  return (
    (await presentOf(services, entry, options)) ?? {
      faults: faults.map((fault) => ({ line: entry.number, ...fault })),
    }
  )
}

/** Lines whose names are claimed by somebody without an instance come last: such claims end by themselves. */
async function writeAll(
  services: AuthUiServices,
  entries: readonly Entry[],
  options: ImportAllOptions,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const claimed: Entry[] = []
  await inParallel(entries, async (entry) => {
    const outcome = await tryWrite(services, entry, options)
    if (outcome === undefined) claimed.push(entry)
    else outcomes.push(outcome)
  })
  const end = performance.now() + PATIENCE_MS
  await inParallel(claimed, async (entry) => {
    for (;;) {
      const outcome = await tryWrite(services, entry, options)
      if (outcome !== undefined) {
        outcomes.push(outcome)
        return
      }
      if (performance.now() > end) {
        const problem = 'is being given to another instance'
        outcomes.push({ faults: [{ line: entry.number, path: 'domain', problem }] })
        return
      }
      await pause(ASK_AGAIN_MS)
    }
  })
  return outcomes
}

/** Undefined: somebody who has no instance holds one of its names this moment. */
async function tryWrite(
  services: AuthUiServices,
  entry: Entry,
  options: ImportAllOptions,
): Promise<Outcome | undefined> {
  const { line, domain } = entry
  const token = line.passphrase === undefined ? newRegisterToken() : undefined
  try {
    const instance = await services.oauth.instances.create(instanceOf(line), (id) => [
      services.owners.create(id, ownerOf(services, { id, domain }, line, token)),
      ...(options.changes?.(id) ?? []),
    ])
    return answerOf(entry, 'created', token && onboardingUrl(instance, token))
  } catch (error) {
    if (!(error instanceof InstanceError)) throw error
    const found = await lookUp(services, entry, options)
    return 'faults' in found && found.faults.length === 0 ? undefined : found
  }
}

function ownerOf(
  services: AuthUiServices,
  { id, domain }: Pick<Instance, 'domain' | 'id'>,
  { passphrase, totp, passkeys = [] }: OwnerLine,
  token: string | undefined,
): Owner {
  const { clock, oauth } = services
  const now = clock.now()
  const owner = newOwner(services, domain)
  const secret = totp && base32Bytes(totp.secret)
  const factors: Factors = {
    ...(secret !== undefined && { totp: knownAuthenticator(services, id, secret) }),
    ...(passkeys.length > 0 && {
      passkeys: passkeys.map((passkey) => toPasskey(passkey, now)),
      passkeyAfterPassphrase: true,
    }),
  }
  const invited =
    token === undefined
      ? owner
      : {
          ...withRegisterToken(owner, token),
          invitation: oauth.sealer.seal(token, invitationContext(id)),
        }
  return {
    ...invited,
    ...(Object.keys(factors).length > 0 && { factors }),
    ...(passphrase !== undefined &&
      ofImported(readImported(services, { domain }, passphrase), now)),
  }
}

function toPasskey(
  { label = '', transports = [], userHandle = '', ...known }: PasskeyLine,
  now: number,
): Passkey {
  return { ...known, label, transports, userHandle, createdAt: now }
}

function answerOf(
  { number, line, domain }: Entry,
  state: ImportedOwner['state'],
  url?: string,
): ImportedOwner {
  const { externalId } = line
  const answer = { line: number, externalId, domain, state }
  return url === undefined ? answer : { ...answer, onboardingUrl: url }
}

function inOrder(faults: readonly OwnerLineFault[]): readonly OwnerLineFault[] {
  return faults.toSorted((one, other) => one.line - other.line)
}

async function inParallel<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const item of queue) await run(item)
    }),
  )
}
