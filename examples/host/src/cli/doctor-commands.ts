import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { systemClock } from '@svc/store'
import type { Command } from 'commander'
import { type CheckResult, lineOf } from '../checks/check.ts'
import { examineAlone } from '../checks/alone.ts'
import { type DoctorAnswer, examineOutside, exitCodeOf } from '../checks/doctor.ts'
import { createNames } from '../checks/names.ts'
import { createOutsideClient } from '../checks/outside-client.ts'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { type AdminClient, createAdminClient, isServerAway } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, type OutputOptions, print } from './output.ts'

interface DoctorOptions extends OutputOptions {
  readonly offline?: boolean
  readonly domain?: string
  readonly dnsServer?: readonly string[]
  readonly resolve?: readonly string[]
  readonly cacert?: string
}

const collect = (text: string, all: readonly string[] = []): string[] => [...all, text]

/** `svc doctor`: everything that is wrong with an installation, as seen from within and from outside. */
export function addDoctorCommand(program: Command): void {
  subcommand(program, 'doctor', 'Says what is wrong with this installation.')
    .option('--offline', 'leave out what needs the network')
    .option('--domain <domain>', 'look at one instance only')
    .option('--dns-server <address>', 'ask this DNS server instead of those of the system', collect)
    .option('--resolve <host:port:address>', 'go to this address for a host, as curl does', collect)
    .option('--cacert <file>', 'trust the authority in this PEM file besides')
    .action(async (options: DoctorOptions) => {
      const results = await examine(options)
      const faults = results.filter(({ state }) => state === 'fault').length
      const warnings = results.filter(({ state }) => state === 'warning').length
      const lines = results.map((result) => clean(lineOf(result)))
      const summary = `${faults} faults, ${warnings} warnings, ${results.length} checks.`
      print(options, { faults, warnings, checks: results }, [...lines, summary].join('\n'))
      process.exitCode = exitCodeOf(results)
    })
}

async function examine(options: DoctorOptions): Promise<CheckResult[]> {
  const config = readConfig()
  if ('faults' in config) return config.faults
  const names = createNames({
    ...(options.dnsServer !== undefined && { servers: options.dnsServer }),
    ...(options.resolve !== undefined && { resolve: options.resolve }),
  })
  const isOffline = options.offline === true
  const admin = createAdminClient(config)
  const inside = await askServer(admin, options)
  const { checks, sites } = inside ?? (await examineAlone(config, names, isOffline, options.domain))
  if (isOffline) return [...checks]
  const ca = options.cacert === undefined ? undefined : await readFile(options.cacert, 'utf8')
  const outside = createOutsideClient({ names, ...(ca !== undefined && { ca }) })
  const front = await examineOutside({
    config,
    clock: systemClock,
    names,
    sites,
    outside,
    ...(inside !== undefined && { makeNonce: () => makeNonce(admin) }),
  })
  return [...checks, ...front]
}

/** The configuration, or what is wrong with it. */
function readConfig(): Config | { readonly faults: CheckResult[] } {
  try {
    return loadConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = 'docs/configuration.md has every entry.'
    return {
      faults: error.faults.map((text) => ({
        id: 'config',
        state: 'fault',
        text: `${text}.`,
        remedy,
      })),
    }
  }
}

/** @returns undefined where no server runs */
async function askServer(
  admin: AdminClient,
  { domain, offline, dnsServer }: DoctorOptions,
): Promise<DoctorAnswer | undefined> {
  try {
    const answer = await admin.call('POST', '/checks', {
      ...(domain !== undefined && { domain }),
      ...(offline === true && { offline }),
      ...(dnsServer !== undefined && { servers: dnsServer }),
    })
    return answer as unknown as DoctorAnswer // The admin API answers it.
  } catch (error) {
    if (isServerAway(error)) return undefined
    throw error
  }
}

async function makeNonce(admin: AdminClient): Promise<string> {
  return String((await admin.call('POST', '/probes'))['nonce'])
}
