import process from 'node:process'
import { type Command, InvalidArgumentError } from 'commander'
import type { DevProvider } from '../demo/provider/dev-provider.ts'
import type { AdminClient } from './admin-client.ts'
import { parseCount } from './command.ts'

interface DevProviderCommandOptions {
  readonly port: number
  readonly tokenSeconds: number
  readonly register: boolean
}

/** `svc dev-provider`: everything about accounts can be seen without one anywhere. */
export function addDevProviderCommand(program: Command, connect: () => AdminClient): void {
  program
    .command('dev-provider')
    .description('Runs an OAuth provider for development, "Demo photos", until it is stopped.')
    .option('--port <port>', 'where it listens on this machine', parsePort, 8090)
    .option('--token-seconds <seconds>', 'how long its access tokens live', parsePositive, 180)
    .option('--no-register', 'only print the account type, do not put it into the running server')
    .action(async ({ port, tokenSeconds, register }: DevProviderCommandOptions) => {
      // Other commands do without it.
      const { startDevProvider } = await import('../demo/provider/dev-provider.ts')
      const provider = await startDevProvider({ port, tokenLifeMs: tokenSeconds * 1000 })
      say(`Demo photos, a provider for development, listens at ${provider.origin}`)
      if (!register || !(await putType(connect, provider))) sayCommand(provider)
      say(`End connections there, as a person would, at ${provider.origin}/grants`)
      await stopped()
      await provider.close()
    })
}

async function putType(
  connect: () => AdminClient,
  { accountType, entry }: DevProvider,
): Promise<boolean> {
  try {
    await connect().call('PUT', `/admin/account_types/${accountType}`, entry)
  } catch (error) {
    say(`It could not be put into the server: ${(error as Error).message}`)
    return false
  }
  say(`Its account type ${accountType} is in the server: the start page offers to connect it.`)
  say(`Owners beside the demo one need its konnector first, by \`svc konnector install\`.`)
  return true
}

function sayCommand({ accountType, entry }: DevProvider): void {
  say(`Put its account type into a server with:`)
  say(`  svc account-type put ${accountType} <<'END'\n${JSON.stringify(entry, null, 2)}\nEND`)
}

function stopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}

/** 0: one that is free. */
function parsePort(text: string): number {
  const port = parseCount(text)
  if (port < 0 || port > 65_535) throw new InvalidArgumentError('must be a port')
  return port
}

function parsePositive(text: string): number {
  const count = parseCount(text)
  if (count < 1) throw new InvalidArgumentError('must be 1 or more')
  return count
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
