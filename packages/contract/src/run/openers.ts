import type { Driver } from '../drivers/driver.ts'
import type { DriverOptions } from '../drivers/driver-options.ts'
import { openDriver } from '../drivers/open-driver.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { openMailbox } from '../mailbox/open-mailbox.ts'
import { CannotRun } from '../model/cannot-run.ts'
import type { Budget } from '../net/budget.ts'
import { Wire } from '../net/wire.ts'
import type { RunOptions } from './options.ts'

const CONCURRENCY = 8

/** The mailbox of a run. @throws CannotRun */
export async function mailboxOf(
  { mailbox, mailboxDelete, ca, environment = {} }: RunOptions,
  wire: Wire,
): Promise<Mailbox | undefined> {
  if (mailbox === undefined) return undefined
  try {
    return await openMailbox(mailbox, wire, {
      isDeleting: mailboxDelete === true,
      environment,
      ...(ca !== undefined && { ca }),
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotRun(`The mailbox cannot be opened: ${reason}`, { cause: error })
  }
}

/** What acts for the owner of a run. @throws CannotRun */
export async function agentOf(
  { driver = 'http', passphrase, connectTo, ca, environment = {} }: RunOptions,
  about: Pick<DriverOptions, 'base' | 'wire' | 'pages'>,
): Promise<Driver> {
  try {
    return await openDriver(driver, {
      ...about,
      environment,
      ...(passphrase !== undefined && { passphrase }),
      ...(connectTo !== undefined && { connectTo }),
      ...(ca !== undefined && { ca }),
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotRun(`The driver cannot be opened: ${reason}`, { cause: error })
  }
}

/** Opens one thing more; when that fails, what is open already is closed: it would keep the process from its end. */
export async function openBeside<T>(
  close: () => Promise<void>,
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    await close()
    throw error
  }
}

/** The base of the server. @throws CannotRun */
export function baseOf(target: string): URL {
  if (!URL.canParse(target)) throw new CannotRun(`${target} is no URL`)
  const url = new URL(target)
  if (!['http:', 'https:'].includes(url.protocol))
    throw new CannotRun(`${target} is no web address`)
  return new URL(`${url.origin}/`)
}

/** How a run asks the server. */
export function wireOf(
  options: RunOptions,
  budget: Budget,
  {
    isLabelled,
    signal,
  }: { readonly isLabelled?: boolean; readonly signal?: AbortSignal | undefined },
): Wire {
  return new Wire({
    budget,
    concurrency: options.concurrency ?? CONCURRENCY,
    ...(options.connectTo !== undefined && { connectTo: options.connectTo }),
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(signal !== undefined && { signal }),
    ...(isLabelled !== undefined && { isLabelled }),
  })
}
