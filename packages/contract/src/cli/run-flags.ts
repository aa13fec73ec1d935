import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CATALOGUE_VERSION } from '../groups/catalogue.ts'
import type { Selection } from '../model/selection.ts'
import type { RunOptions } from '../run/options.ts'
import { readConnectTo, readExpected, readOperator } from './options.ts'
import type { OwnerOptions } from './owner.ts'

/** What the command line of a run was given. */
export interface RunFlags extends OwnerOptions {
  readonly profile?: string
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly group?: readonly string[]
  readonly level?: readonly string[]
  readonly catalogue: string
  readonly expected?: string
  readonly report?: readonly string[]
  readonly connectTo?: readonly string[]
  readonly ca?: string
  readonly seed?: string
  readonly concurrency: string
  readonly time: string
  readonly replay?: string
  readonly driver: string
  readonly operator?: string
  readonly mailbox?: string
  readonly mailboxDelete?: boolean
  readonly slow?: boolean
}

/** An option that may stand several times. */
function many(value: string, before?: readonly string[]): readonly string[] {
  return [...(before ?? []), value]
}

/** Gives the program the options of a run. */
export function withRunOptions(program: Command): Command {
  return program
    .option('--owner-passphrase <text>', 'the owner; other users of the machine can read it')
    .option('--owner-passphrase-file <file>', 'a file with the passphrase of the owner')
    .option('--owner-session <cookie>', 'a cookie of the owner instead, as name=value')
    .option('--driver <name>', 'acts for the owner: http, chromium, command:<program>', 'http')
    .option('--profile <name>', 'seed, svc (default), embedded, core-oauth, or a file')
    .option('--only <pattern>', 'checks by id, such as TOK-0*', many)
    .option('--except <pattern>', 'checks that are left out', many)
    .option('--group <name>', 'groups, such as TOK', many)
    .option('--level <name>', 'must, should, may', many)
    .option('--catalogue <version>', 'keeps to the checks of a version', CATALOGUE_VERSION)
    .option('--expected <file>', 'known failures: [{ "id", "reason", "until"? }]')
    .option('--operator <file>', 'commands that make and remove an instance for the run')
    .option('--mailbox <address>', 'imap(s)://, http(s)://, maildir:, smtp:PORT, command:, none')
    .option('--mailbox-delete', 'deletes the mails that were read')
    .option('--slow', 'waits for what expires within minutes')
    .option('--report <format=file>', 'json=, junit=, tap=, html=', many)
    .option('--connect-to <rule>', 'host:port:address:port, as curl has it', many)
    .option('--ca <file>', 'certificates of authorities, PEM')
    .option('--seed <number>', 'order of the scenarios')
    .option('--concurrency <count>', 'requests at a time', '8')
    .option('--time <seconds>', 'the run ends after that, and cleans up', '60')
    .option('--replay <file>', 'judges a saved run (json) again; sends nothing')
}

/** What a run has beside the server. @throws CannotRun for files that cannot be read */
export function surroundingFlags(
  flags: RunFlags,
): Pick<RunOptions, 'operator' | 'mailbox' | 'mailboxDelete' | 'isSlow' | 'driver'> {
  const { driver, operator, mailbox, mailboxDelete, slow } = flags
  return {
    driver,
    ...(operator !== undefined && { operator: readOperator(operator) }),
    ...(mailbox !== undefined && mailbox !== 'none' && { mailbox }),
    ...(mailboxDelete !== undefined && { mailboxDelete }),
    ...(slow !== undefined && { isSlow: slow }),
  }
}

/** How the server is reached. @throws CannotRun */
export function wireFlags({
  connectTo,
  ca,
}: Pick<RunFlags, 'connectTo' | 'ca'>): Pick<RunOptions, 'connectTo' | 'ca'> {
  return {
    ...(connectTo !== undefined && { connectTo: connectTo.map(readConnectTo) }),
    ...(ca !== undefined && { ca: readFileSync(ca, 'utf8') }),
  }
}

/** Which checks, and which of them are known to fail. @throws CannotRun */
export function chosenFlags(flags: RunFlags): Pick<RunOptions, 'selection' | 'expected'> {
  const { only, except, group, level, catalogue, expected } = flags
  const selection: Selection = {
    catalogue,
    ...(only !== undefined && { only }),
    ...(except !== undefined && { except }),
    ...(group !== undefined && { groups: group }),
    ...(level !== undefined && { levels: level }),
  }
  return { selection, ...(expected !== undefined && { expected: readExpected(expected) }) }
}
