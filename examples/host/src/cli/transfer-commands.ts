import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import { IMPORT_KEY_HEADER } from '../transfer/import-key-header.ts'
import type { AdminClient } from './admin-client.ts'
import { verificationInWords } from './activity-commands.ts'
import { instancePath, subcommand } from './command.ts'
import { clean, listOf, type OutputOptions, print } from './output.ts'

interface ExportCommandOptions extends OutputOptions {
  readonly to: string
  readonly recipient?: readonly string[]
  readonly passphraseFile?: string
  readonly move?: true
}

interface ImportCommandOptions extends OutputOptions {
  readonly identityFile?: string
  readonly passphraseFile?: string
  readonly domain?: string
  readonly dryRun?: true
  readonly replace?: true
  readonly abort?: string
  readonly yes?: true
}

/** How often it is asked how far an import is, milliseconds. */
const ASK_MS = 300

/** `svc instance export`, `import` and `unfreeze`. @see operation.md 4.3 */
export function addTransferCommands(instance: Command, connect: () => AdminClient): void {
  subcommand(instance, 'export <domain>', 'Writes an instance into an encrypted file.')
    .requiredOption('--to <file>', 'the file to write')
    .option('--recipient <age1...>', 'who can read it, such as age1…; several may be named')
    .option('--passphrase-file <file>', 'a file whose first line opens it')
    .option('--move', 'it is to live elsewhere: freeze it for good')
    .action(async (domain: string, options: ExportCommandOptions) => {
      const body = { ...(await exportKey(options)), move: options.move === true }
      const path = instancePath(domain, '/export')
      await download(await connect().download('POST', path, body), options.to)
      const frozen = `\n${domain} is frozen. Remove it once it lives elsewhere, or: svc instance unfreeze ${domain} --force`
      const words = `Wrote ${options.to}.${options.move === true ? frozen : ''}`
      print(options, { domain, file: options.to, move: options.move === true }, words)
    })

  subcommand(instance, 'import [file]', 'Takes an instance in from such a file.')
    .option('--identity-file <file>', 'a file with an identity of age')
    .option('--passphrase-file <file>', 'a file whose first line opens it')
    .option('--domain <domain>', 'give it another domain; says what that ends, and asks')
    .option('--dry-run', 'check all of it and change nothing')
    .option('--replace', 'in place of the instance that is here and has the same id')
    .option('--abort <domain>', 'undo an import that was cut short')
    .option('--yes', 'ask nothing')
    .action(async (file: string | undefined, options: ImportCommandOptions) => {
      const admin = connect()
      if (options.abort !== undefined) {
        await admin.call('POST', instancePath(options.abort, '/abort-import'))
        print(options, { domain: options.abort }, `Nothing of ${options.abort} is left.`)
        return
      }
      if (file === undefined) throw new Error('Name the file to import.')
      if (options.domain !== undefined && options.dryRun === undefined) {
        await agreeToLosses(admin, file, options)
      }
      const answer = await runImport(admin, file, options, options.dryRun === true)
      print(options, answer, wordsOf(answer, options.dryRun === true))
    })

  subcommand(instance, 'unfreeze <domain>', 'Takes an instance into service again.')
    .option('--force', 'although an export was completed, and a second copy may be alive')
    .action(async (domain: string, options: OutputOptions & { readonly force?: true }) => {
      const body = { force: options.force === true }
      const answer = await connect().call('POST', instancePath(domain, '/unfreeze'), body)
      print(options, answer, `${domain} is in service again.`)
    })
}

async function exportKey(options: ExportCommandOptions): Promise<Record<string, unknown>> {
  const { recipient, passphraseFile } = options
  if ((recipient === undefined) === (passphraseFile === undefined)) {
    throw new Error('Say who can read the file: either --recipient or --passphrase-file.')
  }
  if (passphraseFile === undefined) return { recipients: recipient }
  return { passphrase: await firstLine(passphraseFile) }
}

async function importKey(options: ImportCommandOptions): Promise<Record<string, unknown>> {
  const { identityFile, passphraseFile } = options
  if ((identityFile === undefined) === (passphraseFile === undefined)) {
    throw new Error('Say what opens the file: either --identity-file or --passphrase-file.')
  }
  if (passphraseFile !== undefined) return { passphrase: await firstLine(passphraseFile) }
  const lines = (await readFile(identityFile ?? '', 'utf8')).split(/\r?\n/)
  return { identities: lines.filter((line) => line.startsWith('AGE-SECRET-KEY-')) }
}

async function firstLine(file: string): Promise<string> {
  const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/)
  if (line === '') throw new Error(`The first line of ${file} is empty.`)
  return line
}

/** The file is there when all of it is. */
async function download(from: AsyncIterable<Uint8Array>, to: string): Promise<void> {
  const part = `${to}.${randomUUID()}.part`
  try {
    await pipeline(from, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(part, to)
  } catch (cause) {
    await rm(part, { force: true })
    throw new Error('The export was cut short: there is no file.', { cause })
  }
}

async function runImport(
  admin: AdminClient,
  file: string,
  options: ImportCommandOptions,
  isTry: boolean,
): Promise<Record<string, unknown>> {
  const query = new URLSearchParams({
    dry_run: String(isTry),
    replace: String(options.replace === true),
    ...(options.domain !== undefined && { domain: options.domain }),
  })
  const key = Buffer.from(JSON.stringify(await importKey(options))).toString('base64url')
  const { import: id } = await admin.upload(
    'POST',
    `/imports?${query.toString()}`,
    createReadStream(file),
    { [IMPORT_KEY_HEADER]: key },
  )
  for (;;) {
    const job = await admin.call('GET', `/imports/${String(id)}`)
    if (job['state'] !== 'running') return job
    await setTimeout(ASK_MS)
  }
}

/** @throws Error when the operator does not agree */
async function agreeToLosses(
  admin: AdminClient,
  file: string,
  options: ImportCommandOptions,
): Promise<void> {
  const { losses } = await runImport(admin, file, options, true)
  const lines = lossLines(losses)
  if (lines.length === 0 || options.yes === true) return
  process.stderr.write(`Under ${String(options.domain)} these end:\n${lines.join('\n')}\n`)
  if (!process.stdin.isTTY) throw new Error('Nothing was imported. Agree with --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Import it all the same? [y/N] ')
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was imported.')
}

function lossLines(losses: unknown): string[] {
  return listOf(losses).map(
    ({ what, count, meaning }) => `  ${clean(what)} (${clean(count)}): ${clean(meaning)}`,
  )
}

function wordsOf(
  { report, losses, activity }: Readonly<Record<string, unknown>>,
  isTry: boolean,
): string {
  const { domain, records, exportedAt, product } = report as Readonly<Record<string, unknown>>
  const when = new Date(Number(exportedAt)).toISOString()
  const head = isTry ? 'The file is whole and can be imported as' : 'Imported'
  const ends = lossLines(losses)
  return [
    `${head} ${clean(domain)}: ${clean(records)} records, exported ${when} by ${clean(product)}.`,
    ...(activity === undefined ? [] : [verificationInWords(activity)]),
    ...(ends.length === 0 ? [] : [isTry ? 'These would end:' : 'These ended:', ...ends]),
  ].join('\n')
}
