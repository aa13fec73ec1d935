import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { InstanceId } from '@svc/platform'
import { indexKey, recordKey } from '@svc/store'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { until } from '@svc/testkit'
import { spawnHost } from '../test/support/host-process.ts'
import {
  bytesOf,
  carriedLines,
  createMovingOwner,
  openExport,
} from '../test/support/moving-owner.ts'
import { startTestHost, type TestHost } from '../test/support/test-host.ts'
import { type Program, runProgram } from './support/program.ts'

// Owners move from SQLite to Redis and back; the server that takes them in is killed while it does.
//   node --conditions=source examples/host/faults/move.ts [--instances 200] [--kills 20] [--seed n]
// Passes when each export has the bytes of the one before, and everything that owners and their clients had works.

/** An import of these sizes takes about that long. */
const KILL_WITHIN_MS = 700

await runProgram('move', { instances: '200', kills: '20' }, async (program) => {
  if (!hasRedisServer()) {
    program.say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  const redis = await startRedisServer()
  program.atEnd(() => redis.stop())
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-move-'))
  program.atEnd(() => rm(dir, { recursive: true, force: true }))
  const count = Number(program.option('instances'))
  let kills = Number(program.option('kills'))
  for (let n = 0; n < count; n += 1) {
    const isKilled = kills > 0 && (count - n <= kills || program.random() < kills / count)
    if (isKilled) kills -= 1
    if (!(await moveOne(program, { url: redis.url, dir, n, isKilled }))) return false
  }
  return true
})

interface Move {
  readonly url: string
  readonly dir: string
  readonly n: number
  readonly isKilled: boolean
}

async function moveOne(program: Program, { url, dir, n, isKilled }: Move): Promise<boolean> {
  const { say, random } = program
  const identity = await generateIdentity()
  const key = { recipients: [await identityToRecipient(identity)] }
  const identityFile = path.join(dir, 'identity')
  await writeFile(identityFile, identity, { mode: 0o600 })
  const env = { SVC_STORE: url, SVC_KEYS: keyOf('next') }
  const old = await startTestHost({ SVC_KEYS: keyOf('old') }, `old-${n}.example.com`)
  let next: TestHost | undefined
  try {
    const owner = await createMovingOwner(old.host, `owner-${n}.example.net`)
    const { id } = owner.instance
    await addDocuments(old, id, Math.floor(random() * 300))
    await isQuiet(old, id)
    const file = path.join(dir, `${n}.age`)
    await writeFile(file, await exportOf(old, id, key))
    if (isKilled)
      await killWhileImporting(env, { file, identityFile, afterMs: random() * KILL_WITHIN_MS })
    next = await startTestHost(env, `next-${n}.example.com`)
    const importing = await next.host.app.oauth.instances.byId(id)
    // Killed before it began, in the middle, or after its end.
    const state = importing?.status ?? 'absent'
    if (state !== 'active') await importInto(next, await readFile(file), identity)
    await isQuiet(next, id)
    const first = await openExport(await readFile(file), identity)
    const second = await openExport(await exportOf(next, id, key), identity)
    const isSame = isDeepStrictEqual(carriedLines(first), carriedLines(second))
    await owner.check(next.host)
    // What the owner did there is put into the record of activity a moment later.
    await isQuiet(next, id)
    const back = await exportOf(next, id, key)
    await old.host.app.oauth.instances.remove(id)
    await importInto(old, back, identity)
    await isQuiet(old, id)
    const third = await openExport(await exportOf(old, id, key), identity)
    const returned = await openExport(back, identity)
    const isSameAgain = isDeepStrictEqual(carriedLines(returned), carriedLines(third))
    say('moved', {
      n,
      lines: first.length,
      killed: isKilled,
      found: state,
      same: isSame && isSameAgain,
    })
    return isSame && isSameAgain
  } finally {
    const { instances } = (next ?? old).host.app.oauth
    for (const instance of (await instances.list()).instances) await instances.remove(instance.id)
    await next?.stop()
    await old.stop()
  }
}

function keyOf(name: string): string {
  return `${name}:${createHash('sha256').update(name).digest('base64')}`
}

function exportOf(
  { host }: TestHost,
  id: InstanceId,
  key: { readonly recipients: readonly string[] },
): Promise<Buffer> {
  return bytesOf(host.app.oauth.transfer.exportInstance(id, { key }))
}

async function importInto({ host }: TestHost, file: Buffer, identity: string): Promise<void> {
  const { transfer } = host.app.oauth
  async function* whole() {
    yield file
  }
  await transfer.importInstance(whole(), { key: { identities: [identity] } })
}

/** So that imports are of different lengths. */
async function addDocuments({ host }: TestHost, id: InstanceId, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const key = recordKey(id, 'installed-konnector', `made-${n}`)
    const indexes = [{ index: indexKey(id, 'konnectors'), sort: `made-${n}` }]
    await host.store.write([{ op: 'put', key, value: { slug: `made-${n}` }, indexes }])
  }
}

/** What a change has to be followed by at once has followed. */
async function isQuiet({ host }: TestHost, id: InstanceId): Promise<void> {
  await until(async () => {
    for await (const entry of host.store.dump()) {
      const isOwn = entry.type === 'wake-up' && entry.id.startsWith(id)
      if (isOwn && entry.dueAt < Date.now() + 60_000) return false
    }
    return true
  })
}

/** An import by command, whose server is killed meanwhile. */
async function killWhileImporting(
  env: Readonly<Record<string, string>>,
  {
    file,
    identityFile,
    afterMs,
  }: Readonly<Record<'file' | 'identityFile', string>> & { readonly afterMs: number },
): Promise<void> {
  const server = await spawnHost({ env: { ...env, SVC_DEMO: 'off' } })
  const command = server.svc('instance', 'import', file, '--identity-file', identityFile)
  // From the moment that the server has the file.
  await Promise.race([
    command,
    until(async () => (await readdir(server.dataDir)).some((name) => name.startsWith('import-')), {
      limitMs: 20_000,
    }),
  ])
  await pause(afterMs)
  await server.stop('SIGKILL')
  await command
}
