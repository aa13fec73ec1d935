import { setTimeout as pause } from 'node:timers/promises'
import { type BrowserClient, browserClient, scaledLimit } from '@svc/testkit'
import { type KillableHost, startKillableHost } from '../support/killable-host.ts'
import type { Program } from '../support/program.ts'

/** What can go wrong with a store, and how that is made. */
export interface Trouble {
  readonly name: string
  begin(): unknown
  end(): unknown
  /** The host goes on as if nothing had happened. */
  readonly isBorne?: true
  /** The same, as long as this takes. */
  borneUntil?(): Promise<unknown>
  /** What is put in order before the next one, after the host is back. */
  mend?(): Promise<void>
}

const DOMAIN = 'alice.example.com'
const REFUSED_MS = scaledLimit(3000)
const BACK_MS = scaledLimit(5000)

/** A host on a Redis that has troubles, with an owner whose space clients come to. */
export async function startTroubledHost(
  { atEnd }: Pick<Program, 'atEnd'>,
  store: string,
): Promise<KillableHost> {
  const host = await startKillableHost('sqlite', { SVC_STORE: store })
  atEnd(() => host.stop())
  await host.admin('POST', '/instances', { domain: DOMAIN, email: 'owner@mail.example' })
  return host
}

/**
 * Has the host meet a trouble so often. @returns whether it bore it: writes were refused in time, or not at all, it was
 * back in time, and it was not started again
 */
export async function meetAll(
  program: Program,
  host: KillableHost,
  troubles: readonly Trouble[],
): Promise<boolean> {
  const { pid } = host
  let hasPassed = true
  for (const trouble of troubles) {
    for (let round = 1; round <= Number(program.option('count')); round += 1) {
      hasPassed = (await meet(program, host, trouble, round)) && hasPassed
    }
  }
  return hasPassed && host.pid === pid && (await isRegistering(clientOf(host)))
}

async function meet(
  { say }: Program,
  host: KillableHost,
  trouble: Trouble,
  round: number,
): Promise<boolean> {
  const { name, isBorne = trouble.borneUntil !== undefined } = trouble
  const client = clientOf(host)
  await trouble.begin()
  const startedAt = performance.now()
  const status = await register(client)
  const refusedMs = Math.round(performance.now() - startedAt)
  const refused = await refusedWhile(client, trouble.borneUntil?.())
  await trouble.end()
  const backMs = await msUntilBack(client)
  await trouble.mend?.()
  const isRight = refused === 0 && status === (isBorne ? 201 : 503)
  const hasPassed = isRight && refusedMs <= REFUSED_MS && backMs <= BACK_MS
  say('met', { trouble: name, round, status, refusedMs, refused, backMs, hasPassed })
  return hasPassed
}

/** @returns how many were refused meanwhile */
async function refusedWhile(
  client: BrowserClient,
  work: Promise<unknown> | undefined,
): Promise<number> {
  let isOver = work === undefined
  const over = work?.finally(() => {
    isOver = true
  })
  // What went wrong with it is thrown below.
  over?.catch(() => {})
  let refused = 0
  while (!isOver) if (!(await isRegistering(client))) refused += 1
  await over
  return refused
}

/** How long it takes from now on until the host writes. Milliseconds. */
async function msUntilBack(client: BrowserClient): Promise<number> {
  const endedAt = performance.now()
  while (!(await isRegistering(client)) && performance.now() - endedAt < BACK_MS * 2) {
    await pause(50)
  }
  return Math.round(performance.now() - endedAt)
}

/** A visitor of the owner's space. */
function clientOf({ port }: KillableHost): BrowserClient {
  return browserClient({ base: `https://${DOMAIN}`, port })
}

/**
 * @returns the status of a registration, which writes; 0 when none comes. The client is deleted at once: an instance keeps
 * so many clients that wait for their owner and refuses more, and whoever moves a slot splits what is in it, so that a
 * large one takes longer to move than calls wait.
 */
async function register(client: BrowserClient): Promise<number> {
  try {
    const answer = await client.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['https://client.example/callback'],
        client_name: 'A client',
        software_id: 'github.com/example/redis-faults',
      }),
    })
    if (answer.status === 201) await remove(client, answer.json<Registered>()).catch(() => {})
    return answer.status
  } catch {
    return 0
  }
}

interface Registered {
  readonly client_id: string
  readonly registration_access_token: string
}

/** What is not deleted while Redis is in trouble stays. */
async function remove(
  client: BrowserClient,
  { client_id, registration_access_token }: Registered,
): Promise<void> {
  await client.request('DELETE', `/auth/register/${client_id}`, {
    headers: { authorization: `Bearer ${registration_access_token}` },
  })
}

async function isRegistering(client: BrowserClient): Promise<boolean> {
  return (await register(client)) === 201
}
