import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Slots } from '../net/slots.ts'
import type { Browser } from './browser.ts'
import type { Choice, Consent, Driver } from './driver.ts'
import type { DriverOptions } from './driver-options.ts'

/** What the program is asked: one line of JSON each. */
export type DriverQuestion =
  | { readonly do: 'login'; readonly url: string }
  | { readonly do: 'consent'; readonly url: string; readonly choice: Choice }
  | { readonly do: 'confirm'; readonly url: string }
  | { readonly do: 'appToken'; readonly url: string; readonly slug: string }

const ANSWER_MS = 60_000

/** Starts the program, which runs as long as the run. No shell reads the command. */
export async function openCommand(command: string, options: DriverOptions): Promise<Driver> {
  const [program = '', ...words] = command.split(' ').filter((word) => word !== '')
  const { passphrase, environment } = options
  const child = spawn(program, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...environment,
      ...(passphrase !== undefined && { CONTRACT_OWNER_PASSPHRASE: passphrase }),
    },
  })
  await once(child, 'spawn')
  return new CommandDriver(child, options)
}

/** A program that uses the pages of a server: it answers each question by one line of JSON. */
class CommandDriver implements Driver {
  readonly #options: DriverOptions
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  /** The program is asked one thing after another. */
  readonly #turns = new Slots(1)

  constructor(child: ChildProcess, options: DriverOptions) {
    this.#options = options
    this.#child = child
    const { stdout } = child
    if (stdout === null) throw new Error('the program has no output')
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    // A program that ended takes nothing more; the missing line says so.
    child.stdin?.on('error', () => {})
  }

  async login(label: string, browser: Browser): Promise<void> {
    const { base } = this.#options
    const url = new URL('/auth/login', base).href
    const { cookies } = await this.#ask(`${label}.submit`, { do: 'login', url })
    if (!Array.isArray(cookies)) throw new Error(`${label}: the program gave no "cookies"`)
    for (const cookie of cookies) await browser.jar.setCookie(String(cookie), base.href)
  }

  async consent(label: string, _: Browser, url: string, choice: Choice): Promise<Consent> {
    const answer = await this.#ask(`${label}.submit`, { do: 'consent', url, choice })
    return { location: textOf(answer, 'location', label) }
  }

  async confirm(label: string, _: Browser, url: string): Promise<string> {
    const answer = await this.#ask(`${label}.confirm`, { do: 'confirm', url })
    return textOf(answer, 'location', label)
  }

  async appToken(label: string, _: Browser, slug: string): Promise<string> {
    const url = this.#options.pages.appUrl(slug)
    return textOf(await this.#ask(label, { do: 'appToken', url, slug }), 'token', label)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }

  #ask(label: string, question: DriverQuestion): Promise<Readonly<Record<string, unknown>>> {
    return this.#turns.run(async () => {
      const request = { method: 'GET', url: question.url, headers: [] }
      this.#options.wire.count(request)
      this.#child.stdin?.write(`${JSON.stringify(question)}\n`)
      const line = await this.#line(label)
      // What the server answered is not known: a check of the answer is skipped, and says why.
      const fault = 'the program of --driver asked this, and does not tell the answer'
      this.#options.wire.keep({ label, request, fault })
      return readLine(line, label)
    })
  }

  async #line(label: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${label}: the program of --driver did not answer in time`)),
        ANSWER_MS,
      )
    })
    try {
      const { value, done } = await Promise.race([this.#lines.next(), late])
      if (done === true) throw new Error(`${label}: the program of --driver ended`)
      return value
    } finally {
      clearTimeout(timer)
    }
  }
}

/** @throws Error for no object, and with what the program says is wrong */
function readLine(line: string, label: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null) {
    throw new Error(`${label}: the program of --driver answered no JSON object`)
  }
  const answer = value as Readonly<Record<string, unknown>> // an object that was parsed
  if (answer['error'] !== undefined) throw new Error(`${label}: ${String(answer['error'])}`)
  return answer
}

function textOf(answer: Readonly<Record<string, unknown>>, name: string, label: string): string {
  const value = answer[name]
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`${label}: the program of --driver gave no "${name}"`)
}
