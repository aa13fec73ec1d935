import { browserClient, fakeClock } from '@svc/testkit'
import { startTestHost, type TestHost } from '../test/support/test-host.ts'
import { type Program, runProgram } from './support/program.ts'

// Jumps of the clock, while the host runs: ten minutes and a day, forward and back.
//   node --conditions=source examples/host/faults/clock.ts [--count 20] [--seed n]
// The host takes its clock from outside: it runs in this process, on one that jumps. Passes when nothing crashes, what
// was used once stays so whatever the clock says, and what is valid by its own instant works after the clock
// has come back.

const MINUTE_MS = 60_000
const JUMPS = [10 * MINUTE_MS, -10 * MINUTE_MS, 24 * 60 * MINUTE_MS, -24 * 60 * MINUTE_MS]

await runProgram('clock', { count: '20' }, async (program) => {
  const clock = fakeClock()
  const host = await startTestHost({}, 'alice.example.com', clock)
  program.atEnd(() => host.stop())
  let hasPassed = true
  for (let count = 1; count <= Number(program.option('count')); count += 1) {
    const jumpMs = JUMPS[(count - 1) % JUMPS.length] ?? 0
    hasPassed = (await jump(program, host, jumpMs, (ms) => clock.advance(ms))) && hasPassed
  }
  const faults = host.log.filter(([event]) => event === 'request.failed')
  for (const [event, fields] of faults.slice(0, 10)) program.say(event, fields)
  return hasPassed && faults.length === 0
})

async function jump(
  { say }: Program,
  host: TestHost,
  jumpMs: number,
  advance: (ms: number) => void,
): Promise<boolean> {
  const { instance } = host
  const { party } = await host.connect('io.svc.notes')
  const visitor = browserClient({ base: instance.origin, port: host.host.port })
  const read = async (bearer: string): Promise<number> => {
    const headers = { authorization: `Bearer ${bearer}` }
    return (await visitor.request('GET', '/data/io.svc.notes', { headers })).status
  }
  // A code is used before the jump.
  const owner = await host.browser()
  const pending = await party.authorize({ scope: 'io.svc.notes' })
  const page = await owner.get(pending.url)
  const answer = await owner.submit(page.page().form('/auth/authorize'))
  const { searchParams } = new URL(answer.location ?? '')
  await party.exchange(answer.location ?? '', pending)
  const reuse = async (): Promise<number> => {
    const form = {
      grant_type: 'authorization_code',
      client_id: party.client.client_id,
      client_secret: String(party.client.client_secret),
      code: searchParams.get('code') ?? '',
      redirect_uri: party.redirectUri,
      code_verifier: pending.codeVerifier,
    }
    return (await visitor.post('/auth/access_token', form)).status
  }
  const other = await host.connect('io.svc.notes')
  advance(jumpMs)
  const during = {
    read: await read(other.token),
    page: await statusOf(owner),
    reuse: await reuse(),
  }
  advance(-jumpMs)
  const after = { read: await read(other.token), page: await statusOf(owner), reuse: await reuse() }
  const isServed = [during, after].every(({ page: shown }) => shown === 200 || shown === 302)
  const hasPassed =
    isServed &&
    [200, 401].includes(during.read) &&
    after.read === 200 &&
    during.reuse === 400 &&
    after.reuse === 400
  say('jumped', { minutes: jumpMs / MINUTE_MS, during, after, hasPassed })
  return hasPassed
}

async function statusOf(browser: Awaited<ReturnType<TestHost['browser']>>): Promise<number> {
  return (await browser.get('/auth/login')).status
}
