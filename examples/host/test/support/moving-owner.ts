import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Instance, sealedMembers, sealMember, toFound, withTexts } from '@svc/platform'
import { type Json, recordKey } from '@svc/store'
import type { BrowserClient } from '@svc/testkit'
import { Decrypter } from 'age-encryption'
import { createInstance } from '../../src/create-instance.ts'
import type { RunningHost } from '../../src/host.ts'
import { authenticatorApp } from './authenticators.ts'
import {
  browserAt,
  connectClient,
  findToCome,
  givePassphrase,
  postToCome,
  refreshAt,
} from './owner-parts.ts'
import { PASSPHRASE } from './owner-visit.ts'

/** An owner with a second factor, a session, a client and a notification that is still to come. */
export interface MovingOwner {
  readonly instance: Instance
  readonly dueAt: number
  /** What the client calls with, signed by the key of before. */
  readonly accessToken: string
  /** Everything the owner and the client had works at this host. @throws Error when it does not */
  check(host: RunningHost): Promise<void>
}

const HOUR_MS = 3_600_000

/** Creates one. @param domain - of the new instance */
export async function createMovingOwner(host: RunningHost, domain: string): Promise<MovingOwner> {
  const { instance } = await createInstance(
    host.app,
    { domain, email: 'alice@mail.example' },
    PASSPHRASE,
  )
  const cookie = await host.app.ui.owners.createSession(instance)
  const owner = browserAt(host, instance)
  plant(owner, cookie.cookie, instance)
  const client = await connectClient(host, instance, owner, 'io.svc.files:GET')
  let { refreshToken } = client
  const nextCode = authenticatorApp(await addAuthenticator(host, instance))
  const dueAt = Date.now() + HOUR_MS
  await postToCome(host, instance, dueAt)

  async function logIn(at: RunningHost): Promise<void> {
    const stranger = browserAt(at, instance)
    const second = await givePassphrase(at, instance, PASSPHRASE, stranger)
    const step = second.page().form('/auth/twofactor')
    const done = await stranger.submit(step, { 'two-factor-passcode': await nextCode() })
    if (done.status !== 302) throw new Error(`the second step answered ${done.status}`)
  }

  return {
    instance,
    dueAt,
    accessToken: client.token,
    async check(at) {
      await logIn(at)
      const browser = browserAt(at, instance)
      plant(browser, cookie.cookie, instance)
      const page = await browser.get('/auth/login')
      if (page.status !== 302) throw new Error(`the old cookie was answered ${page.status}`)
      refreshToken = await refreshAt(at, instance, { ...client, refreshToken })
      await findToCome(at, instance)
    },
  }
}

function plant(
  browser: BrowserClient,
  { name, value }: { readonly name: string; readonly value: string },
  { domain, origin }: Instance,
): void {
  browser.plantCookie(`${name}=${value}; Path=/; Domain=${domain}; Secure`, origin)
}

/** Turns the authenticator app on as the settings do. @returns its key, base32 */
async function addAuthenticator({ app, store }: RunningHost, { id }: Instance): Promise<string> {
  const { records, sealer } = app.oauth
  const key = recordKey(id, 'owner', 'owner')
  const record = await store.get<{ [name: string]: Json }>(key)
  const kind = records.get('owner')
  if (record === undefined || kind === undefined) throw new Error('there is no owner')
  const bytes = randomBytes(20)
  const totp = { id: 'a'.repeat(22), secret: '', lastStep: 0, createdAt: Date.now() }
  const recovery = { hashes: ['x'], createdAt: Date.now() }
  const value = { ...record.value, factors: { totp, recovery } }
  const [member] = sealedMembers(kind, toFound({ ...record, value }))
  if (member === undefined) throw new Error('nothing of an owner is sealed')
  const text = sealMember(sealer, member.context, bytes)
  const sealed = withTexts(value, [{ path: member.path, text }])
  await store.write([{ op: 'put', key, value: sealed }])
  return base32(bytes)
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('')
}

/** All of a stream. */
export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * The lines of two exports between which the instance was imported must be these: all but the first, which says when,
 * and the last, which has the digest, and the `access` keys, which an import makes anew (D86).
 */
export function carriedLines(lines: readonly string[]): readonly string[] {
  return lines.slice(1, -1).filter((line) => !line.includes('"k":"keys:access"'))
}

/** The lines of an export. @param identity - of age */
export async function openExport(file: Uint8Array, identity: string): Promise<string[]> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return gunzipSync(await decrypter.decrypt(file))
    .toString()
    .split('\n')
    .slice(0, -1)
}
