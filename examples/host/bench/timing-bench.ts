import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { browserClient } from '@svc/testkit'
import { softwareAuthenticator } from '../../../packages/auth-ui/test/support/software-authenticator.ts'
import { startChild } from './child.ts'
import { type Figure, median } from './figure.ts'
import { ask as sendAny, send } from './servers/ask.ts'

export interface TimingBenchOptions {
  /** Requests of each kind; they take turns. */
  readonly requests: number
  readonly say: (line: string) => void
}

/** Requests that nobody may tell apart by how long the answer takes. */
interface Question {
  readonly name: string
  readonly kinds: readonly Kind[]
}

interface Kind {
  readonly name: string
  readonly status: number
  readonly ask: () => Promise<{ readonly status: number }>
}

const LOGIN_VALUE = 'v'.repeat(44)
const WRONG = 'w'.repeat(44)
const PLAIN = 'plain.example.com'
const HINTED = 'hint.example.com'
const KEYED = 'keyed.example.com'
const NEW = 'new.example.com'
/** Owners whose hash of elsewhere is over the passphrase itself: the first right login ends that. */
const WRONGLY = 'imported-wrong.example.com'
const rightly = (n: number): string => `imported-${n}.example.com`
const TOLERANCE = 0.1
const WARM_UP = 5

/**
 * Median times of answers that must not tell anything: which passphrase, which client, whether there is a reminder or a
 * passkey.
 * The token endpoint is none of them: it names unknown clients as such (D40).
 * @see login.md 10.7, security.md 32, owner.md 2
 */
export async function benchTiming({
  requests,
  say,
}: TimingBenchOptions): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const server = await startChild('login-server.ts', [
    folder,
    LOGIN_VALUE,
    'silent',
    PLAIN,
    HINTED,
    KEYED,
    NEW,
    WRONGLY,
    ...Array.from({ length: requests + WARM_UP }, (_, n) => rightly(n)),
  ])
  try {
    const { port } = server.hello as { port: number } // What it says first.
    const figures: Figure[] = []
    // What the last answer left to do, such as a mail, is done before the next one is asked for.
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) await sendAny(port, NEW, 'GET', '/public/prelogin')
    }
    for (const question of await createQuestions(port)) {
      const figure = await measure(question, requests, settle)
      say(`${figure.name}: ${figure.value}`)
      figures.push(figure)
    }
    return figures
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

/** The kinds take turns, in changing order, so that all of them see the same machine. */
async function measure(
  { name, kinds }: Question,
  requests: number,
  settle: () => Promise<void>,
): Promise<Figure> {
  const times = kinds.map((): number[] => [])
  for (let turn = -WARM_UP; turn < requests; turn += 1) {
    for (let at = 0; at < kinds.length; at += 1) {
      const which = (at + Math.max(turn, 0)) % kinds.length
      const kind = kinds[which]
      if (kind === undefined) continue
      await settle()
      const startedAt = performance.now()
      const { status } = await kind.ask()
      if (turn >= 0) times[which]?.push(performance.now() - startedAt)
      if (status !== kind.status) throw new Error(`${name}, ${kind.name}: answered ${status}`)
    }
  }
  const medians = times.map(median)
  const ratio = Math.max(...medians) / Math.min(...medians)
  return {
    name: `time of ${name}`,
    value: kinds.map((kind, at) => `${kind.name} ${medians[at]?.toFixed(2)} ms`).join(', '),
    ratio,
    target: `within ${TOLERANCE * 100} %`,
    isMet: ratio <= 1 + TOLERANCE,
  }
}

async function createQuestions(port: number): Promise<readonly Question[]> {
  const client = await registerClient(port)
  const logIn = (passphrase: string) => () =>
    sendAny(port, PLAIN, 'POST', '/auth/login', { form: { passphrase }, headers: BROWSER })
  const sessionCode = (host: string, passphrase: string) => () =>
    sendAny(port, host, 'POST', '/auth/session_code', { json: { passphrase }, headers: BROWSER })
  const flagship = (client_id: string) => () =>
    sendAny(port, PLAIN, 'POST', '/auth/login/flagship', {
      json: { passphrase: LOGIN_VALUE, client_id, client_secret: WRONG },
      headers: BROWSER,
    })
  const hint = (host: string) => () =>
    sendAny(port, host, 'POST', '/auth/hint', {
      form: {},
      headers: { ...BROWSER, accept: 'application/json' },
    })
  const passkeyOptions = (host: string) => () =>
    sendAny(port, host, 'POST', '/auth/login/passkey/options', {
      form: {},
      headers: { ...BROWSER, accept: 'application/json' },
    })
  const firstLogin = (host: () => string, raw: string) => () =>
    sendAny(port, host(), 'POST', '/auth/login', {
      form: { passphrase: WRONG, passphrase_raw: raw },
      headers: { ...BROWSER, accept: 'application/json' },
    })
  let fresh = 0
  const unknown = 'a'.repeat(client.length)
  await addPasskey(port)
  return [
    {
      name: 'a login',
      kinds: [
        { name: 'wrong', status: 401, ask: logIn(WRONG) },
        { name: 'empty', status: 401, ask: logIn('') },
      ],
    },
    {
      name: 'the first login of an imported owner',
      kinds: [
        { name: 'right', status: 200, ask: firstLogin(() => rightly(fresh++), LOGIN_VALUE) },
        { name: 'wrong', status: 401, ask: firstLogin(() => WRONGLY, WRONG) },
        { name: 'empty', status: 401, ask: firstLogin(() => WRONGLY, '') },
      ],
    },
    {
      name: 'a session code',
      kinds: [
        { name: 'wrong', status: 401, ask: sessionCode(PLAIN, WRONG) },
        { name: 'empty', status: 401, ask: sessionCode(PLAIN, '') },
        { name: 'unset', status: 401, ask: sessionCode(NEW, WRONG) },
      ],
    },
    {
      name: 'a direct login',
      kinds: [
        { name: 'known client', status: 400, ask: flagship(client) },
        { name: 'unknown client', status: 400, ask: flagship(unknown) },
      ],
    },
    {
      name: 'a reminder',
      kinds: [
        { name: 'set', status: 200, ask: hint(HINTED) },
        { name: 'not set', status: 200, ask: hint(PLAIN) },
      ],
    },
    {
      name: 'what a passkey is asked',
      kinds: [
        { name: 'there is one', status: 200, ask: passkeyOptions(KEYED) },
        { name: 'there is none', status: 200, ask: passkeyOptions(PLAIN) },
      ],
    },
  ]
}

const BROWSER = {
  'x-forwarded-for': '192.0.2.1',
  'x-forwarded-proto': 'https',
  'sec-fetch-site': 'same-origin',
}

async function registerClient(port: number): Promise<string> {
  const { body } = await send(port, PLAIN, 'POST', '/auth/register', {
    json: {
      redirect_uris: ['https://client.example/cb'],
      client_name: 'Bench',
      software_id: 'github.com/example/bench',
    },
    headers: BROWSER,
  })
  // RFC 7591: the answer of a registration.
  return (JSON.parse(body) as { client_id: string }).client_id
}

/** The owner logs in, confirms, and makes a passkey on its page. */
async function addPasskey(port: number): Promise<void> {
  const base = `https://${KEYED}`
  const browser = browserClient({ base, port, headers: BROWSER })
  const fields = { passphrase: LOGIN_VALUE }
  await browser.submit((await browser.get('/auth/login')).page().form('/auth/login'), fields)
  const about = new URLSearchParams({ state: 'bench', redirect: `${base}/auth/passkey` })
  const question = (await browser.get(`/auth/confirm?${about}`)).page()
  const confirmed = await browser.submit(question.form('/auth/confirm'), fields)
  const page = (await browser.follow(confirmed)).page()
  // What the page's script hands to the browser.
  const options = JSON.parse(page.attribute('data-options') ?? '') as Record<string, unknown>
  const credential = softwareAuthenticator(base).create(options)
  const made = await browser.submit(page.form('/auth/passkey'), { credential, label: 'Key' })
  if (made.status !== 302) throw new Error(`no passkey was made: ${made.status}`)
}
