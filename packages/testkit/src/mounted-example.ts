import { type ChildProcess, spawn } from 'node:child_process'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { browserClient } from './browser-client.ts'
import { timeBudget } from './time-budget.ts'

/** Of a run of the contract on a quiet machine, at most. */
const CONTRACT_MS = 60_000

/** A server of `examples/mounts` that runs. */
export interface MountedExample {
  /** The address that onboards its owner. */
  readonly link: string
  /** Asks it to end, once. @returns its exit code: 0 when everything ended in order */
  stop(): Promise<number | null>
}

/**
 * Starts a program that puts the packages together as `examples/mounts` do, with a store of its own.
 * @param file - absolute path of the program; where it lies, the packages are installed
 * @param data - a folder that exists; the store is made below it
 * @throws Error when it ends before it printed its link
 */
export async function startExample(
  file: string,
  data: string,
  settings: { readonly domain: string; readonly port: number; readonly smtpPort: number },
): Promise<MountedExample> {
  const child = spawn(process.execPath, [file], {
    cwd: mkdtempSync(path.join(data, 'data-')),
    env: {
      PATH: process.env['PATH'],
      DOMAIN: settings.domain,
      PORT: String(settings.port),
      SMTP_PORT: String(settings.smtpPort),
      SEALING_KEY: randomBytes(32).toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const link = await linkOf(child).catch((error: unknown) => {
    child.kill()
    throw error
  })
  return {
    link,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill()
      await ended
      return child.exitCode
    },
  }
}

/**
 * Chooses the passphrase of a new owner as the script of the page does, so that clients that derive it can log in.
 * @param link - what `startExample` printed
 * @throws Error when the server does not take it
 */
export async function choosePassphrase(
  link: string,
  passphrase: string,
  port: number,
): Promise<void> {
  const owner = browserClient({ base: new URL(link).origin, port })
  const shown = await owner.get(link)
  const [, salt = ''] = /data-salt="([^"]+)"/.exec(shown.text) ?? []
  const [, iterations = ''] = /data-iterations="(\d+)"/.exec(shown.text) ?? []
  const master = pbkdf2Sync(passphrase, salt, Number(iterations), 32, 'sha256')
  const value = pbkdf2Sync(master, passphrase, 1, 32, 'sha256').toString('base64')
  const form = shown.page().form('/settings/passphrase')
  const { status } = await owner.submit(form, { passphrase: value, iterations })
  if (status !== 302) throw new Error(`the passphrase was answered with ${status}`)
}

/**
 * Runs the contract's program of an installation against a server.
 * @param program - absolute path of the installed `@svc/contract/dist/cli.js`
 * @param folder - where its journal goes
 * @param options - of the program, such as `--profile=file`
 * @returns its exit code, and what it printed
 */
export async function runContract(
  program: string,
  folder: string,
  base: string,
  passphrase: string,
  options: readonly string[],
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const time = `--time=${Math.ceil(timeBudget(CONTRACT_MS) / 1000)}`
  const child = spawn(process.execPath, [program, base, time, ...options], {
    cwd: mkdtempSync(path.join(folder, 'contract-')),
    env: { PATH: process.env['PATH'], CONTRACT_OWNER_PASSPHRASE: passphrase },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { code: child.exitCode, printed }
}

async function linkOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('Open ')) continue
    // Whoever writes into a full pipe stops.
    child.stdout.resume()
    return line.replace('Open ', '')
  }
  throw new Error('the server ended before it printed its link')
}
